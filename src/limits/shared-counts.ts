import { Injectable } from '@nestjs/common';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { type Count, secondsOf } from './count-window.js';
import { Transactions } from '../database/transactions.js';

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Somebody who waits to be counted. */
interface Waiting {
  readonly resolve: (count: Count) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Counts by key that all instances share, in the table `rate_limits` of PostgreSQL: exact, at the
 * price of one statement. Those who come while others of the same key are being counted are counted
 * together: they would only wait for each other, and for the disk, at the key's one row. A key that is
 * over its limit is refused from memory until its minute ends.
 */
@Injectable()
export class SharedCounts {
  private readonly limiters = new Map<number, RateLimiterPostgres>();
  /** By limit and key, while one of them is being counted. */
  private readonly queues = new Map<string, Waiting[]>();

  constructor(private readonly transactions: Transactions) {}

  /** Whether other instances can be counting the same; on SQLite there are none. */
  get areNeeded(): boolean {
    return this.transactions.engine === 'postgres';
  }

  add(key: string, most: number): Promise<Count> {
    return new Promise((resolve, reject) => {
      const name = `${most} ${key}`;
      const queue = this.queues.get(name);
      if (queue) queue.push({ resolve, reject });
      else void this.countAll(name, key, most, [{ resolve, reject }]);
    });
  }

  private async countAll(name: string, key: string, most: number, queue: Waiting[]): Promise<void> {
    this.queues.set(name, queue);
    while (queue.length > 0) await this.countTogether(key, most, queue.splice(0));
    this.queues.delete(name);
  }

  private async countTogether(key: string, most: number, group: readonly Waiting[]): Promise<void> {
    try {
      const { count, reset } = await this.consume(key, most, group.length);
      // Whoever came first of them has the lowest number.
      for (const [i, { resolve }] of group.entries()) {
        resolve({ count: count - group.length + 1 + i, reset });
      }
    } catch (error) {
      for (const { reject } of group) reject(error as Error);
    }
  }

  /** @returns the count of the last of them */
  private async consume(key: string, most: number, number: number): Promise<Count> {
    try {
      const { consumedPoints, msBeforeNext } = await this.limiterOf(most).consume(key, number);
      return { count: consumedPoints, reset: secondsOf(msBeforeNext) };
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const { consumedPoints, msBeforeNext } = refused;
      // Nothing was counted where it was known to be over its limit: none of them is within it.
      const count = consumedPoints === 0 ? most + number : consumedPoints;
      return { count, reset: secondsOf(msBeforeNext) };
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
