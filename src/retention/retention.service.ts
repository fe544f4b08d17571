import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Between, In, LessThan, LessThanOrEqual } from 'typeorm';
import { AuditEntry } from '../platform/audit/audit-entry.entity.js';
import { ClientErrorsService } from '../clients/client-errors.service.js';
import { CheckDaysService } from '../availability/check-days.service.js';
import { type CheckTable, StoredChecks } from '../availability/stored-checks.js';
import { DAY } from '../platform/kernel/time.js';
import { Clock } from '../platform/kernel/clock.js';
import { londonDay } from '../platform/kernel/working-hours.js';
import { Config } from '../platform/config/config.js';
import { AlreadyRunning, Transactions } from '../platform/database/transactions.js';
import type { Tx } from '../platform/database/engine/tx.js';
import {
  messageStates,
  OutboxMessage,
  withBodyAbout,
} from '../platform/notifications/messages/outbox-message.entity.js';
import { WebhookEndpoint } from '../platform/notifications/webhook-endpoint.entity.js';
import { TestCharge } from '../orders/record/charge.entity.js';
import { TestDelivery } from '../orders/record/delivery.entity.js';
import { IdempotencyKey } from '../orders/placing/idempotency-key.entity.js';
import { TestBespokeOffer } from '../orders/record/bespoke-offer.entity.js';
import { TestOrder } from '../orders/record/order.entity.js';
import { pruneQuotes, pruneTestQuotes } from '../quotes/record/prune-quotes.js';
import {
  endWatches,
  pruneCallers,
  pruneTestWatches,
  pruneWatches,
} from '../watches/watches.service.js';
import { SignInRetentionService } from '../staff/sign-in/sign-in-retention.service.js';

/** Rows per transaction, which delays orders by a few milliseconds at most. */
const BATCH = 500;
/** Milliseconds between two transactions, in which waiting orders proceed. */
const PAUSE = 20;
/** Days for which a quote is kept after its last instant; its orders stay. */
const QUOTE_DAYS = 365;
/** Days for which test checks, orders, quotes and watches are kept. */
const TEST_DAYS = 30;

export interface PruneResult {
  readonly checks: number;
  readonly checkDays: number;
  /** Daily counts of errors by client. */
  readonly errorDays: number;
  readonly keys: number;
  /** Ended sessions, expired links, old sign-in delays. */
  readonly signIns: number;
  /** Checks, orders, quotes and watches of the sandbox. */
  readonly tests: number;
  /** Watches that were served or have ended. */
  readonly watches: number;
  readonly quotes: number;
}

/** Runs a deletion in small transactions; returns how many rows it deleted. */
type Run = (prune: (tx: Tx) => Promise<number>) => Promise<number>;

/** Deletes expired records, on one instance at a time. */
@Injectable()
export class RetentionService {
  private readonly logger = new Logger(RetentionService.name);

  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly checkDays: CheckDaysService,
    private readonly signIns: SignInRetentionService,
    private readonly clientErrors: ClientErrorsService,
  ) {}

  /** Prunes and logs the result, unless another instance is already pruning. */
  async pruneAndLog(stopping: AbortSignal): Promise<void> {
    try {
      const { checks, checkDays, errorDays, keys, signIns, tests, watches, quotes } =
        await this.prune(stopping);
      if (checks + checkDays + errorDays + keys + signIns + tests + watches + quotes === 0) return;
      this.logger.log(
        `Deleted ${checks} check records, ${checkDays} daily counts of checks, ${errorDays} of errors, ${keys} idempotency keys, ${signIns} sign-in records, ${tests} sandbox records, ${watches} watches and ${quotes} quotes.`,
      );
    } catch (error) {
      if (!(error instanceof AlreadyRunning)) throw error;
    }
  }

  /** Prunes in small transactions. If stopped, the next run continues. */
  async prune(stopping?: AbortSignal): Promise<PruneResult> {
    const { checkRetentionDays, checkDayRetentionDays, idempotencyRetentionDays } = this.config;
    const firstDay = londonDay(this.before(checkDayRetentionDays));
    const run: Run = (prune) => this.inBatches(prune, stopping);
    // Reports must count checks before they are deleted.
    await this.checkDays.countNew();
    const now = this.clock.now();
    await run((tx) => endWatches(tx, now, BATCH));
    await run((tx) => pruneCallers(tx, now, BATCH));
    return {
      checks: await this.pruneChecks(run, 'checks', this.before(checkRetentionDays)),
      checkDays: await run((tx) => this.checkDays.prune(tx, firstDay, BATCH)),
      errorDays: await run((tx) => this.clientErrors.prune(tx, firstDay, BATCH)),
      keys: await run((tx) => pruneKeys(tx, this.before(idempotencyRetentionDays))),
      signIns: await run((tx) => this.signIns.prune(tx, BATCH)),
      tests: await this.pruneTests(run, this.before(TEST_DAYS)),
      watches: await run((tx) => pruneWatches(tx, now, BATCH)),
      quotes: await run((tx) => pruneQuotes(tx, this.before(QUOTE_DAYS), BATCH)),
    };
  }

  private async pruneTests(run: Run, before: Date): Promise<number> {
    await run((tx) => pruneTestMessages(tx, before));
    const orders = await run((tx) => pruneTestOrders(tx, before));
    const watches = await run((tx) => pruneTestWatches(tx, before, BATCH));
    const quotes = await run((tx) => pruneTestQuotes(tx, before, BATCH));
    return orders + watches + quotes + (await this.pruneChecks(run, 'test_checks', before));
  }

  private pruneChecks(run: Run, table: CheckTable, before: Date): Promise<number> {
    const stored = new StoredChecks(this.transactions, table);
    return run((tx) => stored.prune(tx, before, BATCH));
  }

  private before(days: number): Date {
    return new Date(this.clock.now().getTime() - days * DAY);
  }

  private async inBatches(
    prune: (tx: Tx) => Promise<number>,
    stopping: AbortSignal | undefined,
  ): Promise<number> {
    for (let total = 0; ;) {
      const deleted = await this.transactions.runExclusively('retention', prune);
      total += deleted;
      if (deleted === 0 || stopping?.aborted) return total;
      await sleep(PAUSE);
    }
  }
}

/** Deletes test orders with their charges, deliveries, keys, timelines and webhook messages. */
async function pruneTestOrders(tx: Tx, before: Date): Promise<number> {
  const oldest = await tx.find(TestOrder, {
    select: { id: true, receivedAt: true },
    where: { receivedAt: LessThan(before) },
    order: { receivedAt: 'ASC' },
    take: BATCH,
  });
  const [first, last] = [oldest[0], oldest.at(-1)];
  if (!first || !last) return 0;
  const orderIds = oldest.map(({ id }) => id);
  const ids = In(orderIds);
  const createdAt = Between(first.receivedAt, last.receivedAt);
  await tx.delete(IdempotencyKey, { createdAt, subjectId: ids });
  await tx.delete(AuditEntry, { subjectType: 'test-order', subjectId: ids });
  await tx.delete(OutboxMessage, withBodyAbout(...orderIds));
  await tx.delete(TestCharge, { orderId: ids });
  await tx.delete(TestDelivery, { orderId: ids });
  await tx.delete(TestBespokeOffer, { enquiryId: ids });
  await tx.delete(TestOrder, { id: ids });
  return oldest.length;
}

/** Deletes what the webhooks of the sandbox got, or did not get: no other message goes to them. */
async function pruneTestMessages(tx: Tx, before: Date): Promise<number> {
  const endpoints = await tx.find(WebhookEndpoint, {
    select: { id: true },
    where: { isTest: true },
  });
  if (endpoints.length === 0) return 0;
  const old = await tx.find(OutboxMessage, {
    select: { id: true },
    where: {
      // The columns with which the index starts.
      ...{ channel: 'webhook', forClient: true, state: In(messageStates) },
      endpointId: In(endpoints.map(({ id }) => id)),
      createdAt: LessThan(before),
    },
    take: BATCH,
  });
  await tx.delete(OutboxMessage, { id: In(old.map(({ id }) => id)) });
  return old.length;
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
