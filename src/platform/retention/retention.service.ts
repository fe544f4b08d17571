import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY } from '../kernel/time.js';
import { Clock } from '../kernel/clock.js';
import { AlreadyRunning, Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';

/** Rows per transaction, which delays orders by a few milliseconds at most. */
const BATCH = 500;
/** Milliseconds between two transactions, in which waiting orders proceed. */
const PAUSE = 20;
/** Days for which test checks, orders, quotes, watches and messages are kept. */
export const TEST_DAYS = 30;

/** For how long rows are kept, and how those that are too old are deleted. Their feature registers it. */
export interface RetentionRule {
  /** What the rows are called in the log, such as `idempotency keys`. Null if they are only changed. */
  readonly rows: string | null;
  readonly days: number;
  /** Called once before rows are deleted. */
  prepare?(): Promise<void>;
  /** Deletes at most `most` of the rows before this instant. @returns how many; 0 if none is left */
  prune(tx: Tx, before: Date, most: number): Promise<number>;
}

/** How many rows were deleted, by what they are called. Without those of which there were none. */
export type DeletedRows = Readonly<Record<string, number>>;

/** Deletes expired records, on one instance at a time. */
@Injectable()
export class RetentionService {
  private readonly logger = new Logger(RetentionService.name);
  private readonly rules: RetentionRule[] = [];

  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  register(rule: RetentionRule): void {
    this.rules.push(rule);
  }

  /** Prunes and logs the result, unless another instance is already pruning. */
  async pruneAndLog(stopping: AbortSignal): Promise<void> {
    try {
      const deleted = Object.entries(await this.prune(stopping));
      if (deleted.length === 0) return;
      this.logger.log(`Deleted ${deleted.map(([rows, count]) => `${count} ${rows}`).join(', ')}.`);
    } catch (error) {
      if (!(error instanceof AlreadyRunning)) throw error;
    }
  }

  /** Prunes in small transactions. If stopped, the next run continues. */
  async prune(stopping?: AbortSignal): Promise<DeletedRows> {
    const now = this.clock.now().getTime();
    const deleted: Record<string, number> = {};
    for (const rule of this.rules) {
      const count = await this.inBatches(rule, new Date(now - rule.days * DAY), stopping);
      if (rule.rows && count > 0) deleted[rule.rows] = (deleted[rule.rows] ?? 0) + count;
    }
    return deleted;
  }

  private async inBatches(
    rule: RetentionRule,
    before: Date,
    stopping: AbortSignal | undefined,
  ): Promise<number> {
    await rule.prepare?.();
    for (let total = 0; ;) {
      const deleted = await this.transactions.runExclusively('retention', (tx) =>
        rule.prune(tx, before, BATCH),
      );
      total += deleted;
      if (deleted === 0 || stopping?.aborted) return total;
      await sleep(PAUSE);
    }
  }
}
