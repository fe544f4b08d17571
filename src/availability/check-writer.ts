import { Logger } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transactions } from '../database/transactions.js';
import type { Check } from './check.entity.js';
import { type CheckTable, storedChecks, type StoredChecks } from './stored-checks.js';

/**
 * Milliseconds for which a record may wait for others before its group is written, and rows of one
 * transaction. SQLite is in this thread: more at a time would hold up the answers. On PostgreSQL other
 * instances are soon asked about a check.
 */
const groups = { sqlite: { delay: 50, size: 512 }, postgres: { delay: 50, size: 500 } };
/** Records kept while the database is away; later ones are dropped, and counted in the log. */
const MOST_WAITING = 200_000;

/** Writes records of checks to one table, behind and in groups. */
export class CheckWriter {
  private readonly logger = new Logger(CheckWriter.name);
  private readonly stored: StoredChecks;
  /** Until they are written: those of the group that is being written are the first. */
  private readonly waiting: Check[] = [];
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private failing = false;
  private dropped = 0;
  private readonly group: { readonly delay: number; readonly size: number };

  constructor(transactions: Transactions, table: CheckTable) {
    this.stored = storedChecks(transactions, table);
    this.group = groups[transactions.engine];
    transactions.beforeClose(() => this.flush());
  }

  /** Records that wait to be written, and those that were dropped because too many did. */
  get backlog(): { readonly waiting: number; readonly dropped: number } {
    return { waiting: this.waiting.length, dropped: this.dropped };
  }

  record(check: Check): void {
    if (this.waiting.length >= MOST_WAITING) {
      this.dropped += 1;
      return;
    }
    this.waiting.push(check);
    this.timer ??= setTimeout(() => void this.flush(), this.group.delay);
    if (this.waiting.length >= this.group.size && !this.next && !this.failing) void this.flush();
  }

  /** The record with this id, whether it has been written yet or not. */
  async find(id: string): Promise<Check | null> {
    return this.waiting.find((check) => check.id === id) ?? this.stored.find(id);
  }

  /** Writes all that waits. Never rejects: what could not be written waits for the next time. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    // While the database hangs, all who ask for the next flush share it.
    this.next ??= this.flushing.then(() => {
      this.next = undefined;
      return (this.flushing = this.writeWaiting());
    });
    return this.next;
  }

  private async writeWaiting(): Promise<void> {
    for (let left = this.waiting.length; left > 0;) {
      const group = this.waiting.slice(0, Math.min(left, this.group.size));
      try {
        await this.stored.write(group);
      } catch (error) {
        this.failing = true;
        this.logger.warn(
          `${this.waiting.length} check records wait for the database (${this.dropped} dropped): ${String(error)}`,
        );
        this.timer ??= setTimeout(() => void this.flush(), 1_000).unref();
        return;
      }
      this.failing = false;
      this.waiting.splice(0, group.length);
      left -= group.length;
      if (left > 0) await nextTurn();
    }
  }
}
