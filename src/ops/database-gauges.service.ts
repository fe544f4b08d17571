import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { AuditEntry } from '../platform/audit/audit-entry.entity.js';
import { CatalogueVersion } from '../catalogue/versions/catalogue-version.entity.js';
import { Clock } from '../platform/kernel/clock.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { countStates } from '../platform/database/state-counts.js';
import { Transactions } from '../platform/database/transactions.js';
import { OutboxMessage } from '../platform/notifications/messages/outbox-message.entity.js';
import { openStates, stateInfo } from '../orders/record/order-states.js';
import { Order } from '../orders/record/order.entity.js';
import { Config } from '../platform/config/config.js';
import { BackupsService } from './backups.service.js';
import { HealthService } from './health.service.js';

export interface OutboxGauge {
  readonly receiver: 'operator' | 'client';
  readonly states: Readonly<Record<string, number>>;
  /** Of the messages that wait. */
  readonly oldestSeconds: number;
}

/** Ages are in seconds, 0 where nothing waits. */
export interface DatabaseGauges {
  /** By the metric label of the state. */
  readonly openOrders: Readonly<Record<string, number>>;
  readonly oldestWaitingSeconds: number;
  readonly outbox: readonly OutboxGauge[];
  readonly catalogue: { readonly version: number; readonly ageSeconds: number } | null;
  /** Duration of the last import, by any process; null if none is recorded. */
  readonly importSeconds: number | null;
}

/** Milliseconds for which a reading is reused. */
const FRESH = 5_000;

/** Counts of orders, messages and versions in the database, for the metrics. */
@Injectable()
export class DatabaseGaugesService {
  private latest:
    { readonly at: number; readonly value: Promise<DatabaseGauges | null> } | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly health: HealthService,
    private readonly clock: Clock,
    private readonly backups: BackupsService,
    private readonly config: Config,
  ) {}

  get pool() {
    return this.transactions.pool;
  }

  get outages(): Readonly<Record<string, number>> {
    return this.transactions.outages;
  }

  get backupAgeSeconds(): number | null {
    return this.backups.ageSeconds;
  }

  get instances(): number {
    return this.config.instances;
  }

  /** Null while the database is unreachable. */
  read(): Promise<DatabaseGauges | null> {
    const now = performance.now();
    if (!this.latest || now - this.latest.at > FRESH) {
      const value = this.health.databaseIsSeen
        ? this.count().catch(() => null)
        : Promise.resolve(null);
      this.latest = { at: now, value };
    }
    return this.latest.value;
  }

  private count(): Promise<DatabaseGauges> {
    const now = this.clock.now();
    const secondsSince = (at: Date | null) =>
      at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1_000);
    return this.transactions.read(async (tx) => {
      const orders = await countStates(tx, Order, openStates, 'receivedAt');
      const outbox: OutboxGauge[] = [];
      for (const receiver of ['operator', 'client'] as const) {
        const where = { forClient: receiver === 'client' };
        const undelivered = ['waiting', 'dead'] as const;
        const counts = await countStates(tx, OutboxMessage, undelivered, 'createdAt', where);
        outbox.push({
          receiver,
          states: Object.fromEntries(counts.map(({ state, count }) => [state, count])),
          oldestSeconds: secondsSince(counts[0]!.oldest),
        });
      }
      const active = await tx.findOne(CatalogueVersion, {
        select: { number: true, activatedAt: true },
        where: { state: 'active' },
      });
      const unowned = orders.filter(({ state }) => !stateInfo[state].owned);
      const oldest = unowned.flatMap((count) => count.oldest ?? []);
      return {
        openOrders: Object.fromEntries(orders.map(({ state, count }) => [state, count])),
        oldestWaitingSeconds: Math.max(0, ...oldest.map(secondsSince)),
        outbox,
        catalogue: active && {
          version: active.number,
          ageSeconds: secondsSince(active.activatedAt),
        },
        importSeconds: await lastImportSeconds(tx),
      };
    });
  }
}

/** From the audit trail, because the command line imports in a separate process. */
async function lastImportSeconds(tx: Tx): Promise<number | null> {
  const [newest] = await tx.find(CatalogueVersion, {
    select: { number: true },
    where: { contentOf: IsNull() },
    order: { number: 'DESC' },
    take: 1,
  });
  const subjectId = String(newest?.number);
  const entry = await tx.findOneBy(AuditEntry, {
    subjectType: 'catalogue',
    subjectId,
    action: 'imported',
  });
  return (entry?.details?.seconds as number | undefined) ?? null;
}
