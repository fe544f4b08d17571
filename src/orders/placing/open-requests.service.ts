import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Config } from '../../platform/config/config.js';
import { modeOf, type Side, sides } from '../../platform/database/sides.js';
import { Transactions } from '../../platform/database/transactions.js';
import { Counters } from '../../platform/kernel/counters.js';
import type { OrderRecord } from '../record/order.entity.js';
import { TooManyOpen } from '../record/orders.errors.js';
import { openOrders } from '../views/open-orders.js';
import type { OrderingClient, Placing } from './ordering-client.js';

/** Orders that are read in one turn of the event loop. */
const SLICE = 1_000;

type OpenCounts = Map<string, number>;

/** The live or the test requests of an API client. */
type ClientSide = Side & Pick<OrderingClient, 'clientId'>;

/**
 * Bounds the open orders and enquiries of each API client; its test requests have a bound of their own. No
 * order waits for a count: a job counts all of them once a minute, and this process adds what it has stored
 * since. So the bound is approximate. Other instances count in the next run, and so do requests that were closed.
 */
@Injectable()
export class OpenRequestsService {
  private open: OpenCounts = new Map();
  /** What was stored while a count runs, which may see it or not. */
  private storedMeanwhile: OpenCounts = new Map();
  /** A count can make a difference. */
  private isDue = true;

  constructor(
    private readonly transactions: Transactions,
    private readonly config: Config,
    private readonly counters: Counters,
  ) {}

  /**
   * Staff can always place orders of a client on the telephone.
   * @throws {TooManyOpen}
   */
  requireRoom({ client, source }: Placing): void {
    const { openRequests: most, rateLimits } = this.config;
    if (source === 'telephone' || !rateLimits) return;
    if (this.openOf(client) < most) return;
    this.isDue = true;
    this.counters.countLimited('open-requests');
    throw new TooManyOpen(most);
  }

  /** Open orders and enquiries, within a minute. */
  openOf(side: ClientSide): number {
    return this.open.get(keyOf(side)) ?? 0;
  }

  /** Counts requests that were stored. */
  add({ client }: Placing, number = 1): void {
    this.isDue = true;
    for (const counts of [this.open, this.storedMeanwhile]) increase(counts, keyOf(client), number);
  }

  /** Counts what is open, if this process has stored or refused a request since the last count. */
  async count(): Promise<void> {
    if (!this.isDue) return;
    this.isDue = false;
    this.storedMeanwhile = new Map();
    try {
      const counts: OpenCounts = new Map();
      for (const side of sides) {
        for await (const rows of openOrders(this.transactions, SLICE, countByClient, side)) {
          for (const { clientId, count } of rows) {
            increase(counts, keyOf({ clientId, ...side }), Number(count));
          }
        }
      }
      for (const [key, count] of this.storedMeanwhile) increase(counts, key, count);
      this.open = counts;
    } catch (error) {
      this.isDue = true;
      throw error;
    }
  }
}

function countByClient(query: SelectQueryBuilder<OrderRecord>) {
  return query
    .select('r.clientId', 'clientId')
    .addSelect('COUNT(*)', 'count')
    .groupBy('r.clientId')
    .getRawMany<{ clientId: string; count: number | string }>();
}

function keyOf(client: ClientSide): string {
  return `${client.clientId} ${modeOf(client)}`;
}

function increase(counts: OpenCounts, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
