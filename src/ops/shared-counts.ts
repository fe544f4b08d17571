import { Injectable } from '@nestjs/common';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { type Count, secondsOf } from '../common/count-window.js';
import { Transactions } from '../database/transactions.js';

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Counts by key that all instances share, in the table `rate_limits` of PostgreSQL: exact, at the
 * price of one statement. A key that is over its limit is refused from memory until its minute ends.
 */
@Injectable()
export class SharedCounts {
  private readonly limiters = new Map<number, RateLimiterPostgres>();

  constructor(private readonly transactions: Transactions) {}

  /** Whether other instances can be counting the same; on SQLite there are none. */
  get areNeeded(): boolean {
    return this.transactions.engine === 'postgres';
  }

  async add(key: string, most: number): Promise<Count> {
    try {
      const { consumedPoints, msBeforeNext } = await this.limiterOf(most).consume(key);
      return { count: consumedPoints, reset: secondsOf(msBeforeNext) };
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return { count: most + 1, reset: secondsOf(refused.msBeforeNext) };
    }
  }

  /** The same without counting. */
  async look(key: string, most: number): Promise<Count> {
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
      // There is one row a client: it is used again for each minute.
      clearExpiredByTimeout: false,
      keyPrefix: 'orders',
      points: most,
      duration: 60,
      inMemoryBlockOnConsumed: most + 1,
    });
  }
}
