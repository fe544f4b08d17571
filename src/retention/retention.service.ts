import { Injectable, Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Between, In, LessThan, LessThanOrEqual } from 'typeorm';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { CheckDaysService } from '../availability/check-days.service.js';
import { type CheckTable, StoredChecks } from '../availability/stored-checks.js';
import { Clock } from '../kernel/clock.js';
import { londonDay } from '../kernel/working-hours.js';
import { Config } from '../config/config.js';
import { AlreadyRunning, Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import { OutboxMessage } from '../notifications/outbox-message.entity.js';
import { IdempotencyKey } from '../orders/placing/idempotency-key.entity.js';
import { orderSubject, TestOrder } from '../orders/order.entity.js';
import { LinksService } from '../staff/sign-in/links.service.js';
import { SessionsService } from '../staff/sessions/sessions.service.js';
import { SignInDelaysService } from '../staff/sign-in/sign-in-delays.service.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Milliseconds from the start to the first pruning; a start has better things to do. */
const FIRST = 5 * 60_000;
/** Rows of one transaction: it holds up an order for a few milliseconds at most. */
const BATCH = 500;
/** Milliseconds between two transactions, for the orders that wait. */
const PAUSE = 20;
/** Days for which what was made with a test token is kept. */
const TEST_DAYS = 30;

export interface Pruned {
  readonly checks: number;
  /** Counts of checks by day. */
  readonly checkDays: number;
  readonly keys: number;
  /** Ended sessions, expired links, old delays. */
  readonly signIns: number;
  /** Checks and orders of the sandbox. */
  readonly tests: number;
}

/** Deletes what has been kept long enough, every hour, on whichever instance comes first. */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RetentionService.name);
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly checkDays: CheckDaysService,
    private readonly sessions: SessionsService,
    private readonly links: LinksService,
    private readonly delays: SignInDelaysService,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule(FIRST);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** In small transactions; what is left when it is stopped is for the next time. */
  async prune(): Promise<Pruned> {
    const { checkRetentionDays, checkDayRetentionDays, idempotencyRetentionDays } = this.config;
    const firstDay = londonDay(this.before(checkDayRetentionDays));
    // What reports have not counted yet must not be deleted.
    await this.checkDays.countNew();
    return {
      checks: await this.pruneChecks('checks', this.before(checkRetentionDays)),
      checkDays: await this.inBatches((tx) => this.checkDays.prune(tx, firstDay, BATCH)),
      keys: await this.inBatches((tx) => pruneKeys(tx, this.before(idempotencyRetentionDays))),
      signIns: await this.inBatches((tx) => this.pruneSignIns(tx)),
      tests: await this.pruneTests(this.before(TEST_DAYS)),
    };
  }

  private async pruneSignIns(tx: Tx): Promise<number> {
    let deleted = 0;
    for (const one of [this.sessions, this.links, this.delays])
      deleted += await one.prune(tx, BATCH);
    return deleted;
  }

  private async pruneTests(before: Date): Promise<number> {
    const orders = await this.inBatches((tx) => pruneTestOrders(tx, before));
    return orders + (await this.pruneChecks('test_checks', before));
  }

  private pruneChecks(table: CheckTable, before: Date): Promise<number> {
    const stored = new StoredChecks(this.transactions, table);
    return this.inBatches((tx) => stored.prune(tx, before, BATCH));
  }

  private before(days: number): Date {
    return new Date(this.clock.now().getTime() - days * DAY);
  }

  private async inBatches(prune: (tx: Tx) => Promise<number>): Promise<number> {
    for (let total = 0; ;) {
      const deleted = await this.transactions.runExclusively('retention', prune);
      total += deleted;
      if (deleted === 0 || this.stopping) return total;
      await sleep(PAUSE);
    }
  }

  private schedule(delay: number): void {
    this.timer = setTimeout(() => {
      this.running = this.pruneQuietly();
      this.schedule(HOUR);
    }, delay).unref();
  }

  private async pruneQuietly(): Promise<void> {
    try {
      const { checks, checkDays, keys, signIns, tests } = await this.prune();
      if (checks + checkDays + keys + signIns + tests === 0) return;
      this.logger.log(
        `Deleted ${checks} check records, ${checkDays} daily counts of checks, ${keys} idempotency keys, ${signIns} leftovers of sign-ins and ${tests} records of the sandbox.`,
      );
    } catch (error) {
      // Another instance is at it, or the database is away; there is a next time.
      if (!(error instanceof AlreadyRunning)) this.logger.warn(`Not pruned: ${String(error)}`);
    }
  }
}

/** With all that tells of them: their keys, their timelines and their webhooks. */
async function pruneTestOrders(tx: Tx, before: Date): Promise<number> {
  const oldest = await tx.find(TestOrder, {
    select: { id: true, receivedAt: true },
    where: { receivedAt: LessThan(before) },
    order: { receivedAt: 'ASC' },
    take: BATCH,
  });
  const [first, last] = [oldest[0], oldest.at(-1)];
  if (!first || !last) return 0;
  const ids = In(oldest.map(({ id }) => id));
  const createdAt = Between(first.receivedAt, last.receivedAt);
  await tx.delete(IdempotencyKey, { createdAt, orderId: ids });
  await tx.delete(AuditEntry, { subjectType: orderSubject({ isTest: true }), subjectId: ids });
  await tx.delete(OutboxMessage, { subjectId: ids });
  await tx.delete(TestOrder, { id: ids });
  return oldest.length;
}

async function pruneKeys(tx: Tx, before: Date): Promise<number> {
  const oldest = await tx.find(IdempotencyKey, {
    select: { clientId: true, key: true, createdAt: true },
    where: { createdAt: LessThan(before) },
    order: { createdAt: 'ASC' },
    take: BATCH,
  });
  const last = oldest.at(-1);
  if (!last) return 0;
  const { affected } = await tx.delete(IdempotencyKey, {
    createdAt: LessThanOrEqual(last.createdAt),
  });
  return affected ?? oldest.length;
}
