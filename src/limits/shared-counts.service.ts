import { Injectable } from '@nestjs/common';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { type WindowCount, secondsOf } from './count-window.js';
import { WriteBatcher } from '../database/batch/write-batcher.js';
import { Transactions } from '../database/transactions.js';

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Counts by key for all instances, in the table `rate_limits` of PostgreSQL. Batches concurrent requests
 * of a key, which would wait for one row. Refuses a key over its limit from memory until its minute ends.
 */
@Injectable()
export class SharedCountsService {
  private readonly limiters = new Map<number, RateLimiterPostgres>();
  /** By limit and key: one for each API client. */
  private readonly batchers = new Map<string, WriteBatcher<null, WindowCount>>();

  constructor(private readonly transactions: Transactions) {}

  /** With SQLite there is only one instance. */
  get areNeeded(): boolean {
    return this.transactions.engine === 'postgres';
  }

  add(key: string, most: number): Promise<WindowCount> {
    const name = `${most} ${key}`;
    let batcher = this.batchers.get(name);
    if (!batcher) {
      batcher = new WriteBatcher(({ take }) => this.countAll(key, most, take().length));
      this.batchers.set(name, batcher);
    }
    return batcher.add(null, this.transactions.until);
  }

  /** The counts of `number` requests, in order of arrival. */
  private async countAll(key: string, most: number, number: number): Promise<WindowCount[]> {
    const { count, reset } = await this.consume(key, most, number);
    return Array.from({ length: number }, (_, i) => ({ count: count - number + 1 + i, reset }));
  }

  /** @returns the count of the last request */
  private async consume(key: string, most: number, number: number): Promise<WindowCount> {
    try {
      const { consumedPoints, msBeforeNext } = await this.limiterOf(most).consume(key, number);
      return { count: consumedPoints, reset: secondsOf(msBeforeNext) };
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const { consumedPoints, msBeforeNext } = refused;
      // Without a count, the key was known to be over its limit.
      const count = consumedPoints === 0 ? most + number : consumedPoints;
      return { count, reset: secondsOf(msBeforeNext) };
    }
  }

  /** Reads the count without counting. */
  async look(key: string, most: number): Promise<WindowCount> {
    const known = await this.limiterOf(most).get(key);
    return { count: known?.consumedPoints ?? 0, reset: secondsOf(known?.msBeforeNext ?? 0) };
  }

  private limiterOf(most: number): RateLimiterPostgres {
    let limiter = this.limiters.get(most);
    if (!limiter) this.limiters.set(most, (limiter = this.newLimiter(most)));
    return limiter;
  }

  private newLimiter(most: number): RateLimiterPostgres {
    const query = async ({ text, values }: Query) => {
      const rows = await this.transactions.read((tx) => tx.query<unknown[]>(text, [...values]));
      return { rows, rowCount: rows.length };
    };
    return new RateLimiterPostgres({
      storeClient: { query },
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      // Each client has one row, reused every minute.
      clearExpiredByTimeout: false,
      keyPrefix: 'orders',
      points: most,
      duration: 60,
      inMemoryBlockOnConsumed: most + 1,
    });
  }
}
