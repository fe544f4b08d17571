import { Injectable } from '@nestjs/common';
import { type WindowCount, secondsOf, type OrderQuota } from './count-window.js';
import { MINUTE } from '../kernel/time.js';
import { Batcher } from '../database/batch/batcher.js';
import { DATABASE_NOW } from '../database/postgres/postgres-engine.js';
import { Transactions } from '../database/transactions.js';

/** The key of an API client's orders in `rate_limits`. */
function keyOf(quota: string): string {
  return `orders:${quota}`;
}

const isOpen = `r.expire > ${DATABASE_NOW}`;
const longest = `${DATABASE_NOW} + ${MINUTE}`;

/**
 * Counts keys ($1, each as often as it was used), in windows of a minute that start with the first count. A window
 * never ends later than a minute from now, even if the database's clock has gone back. In the order of the keys, so
 * that two instances never wait for each other.
 */
const countSql = `INSERT INTO rate_limits AS r (key, points, expire)
  SELECT key, count(*), ${longest} FROM unnest($1::text[]) AS key GROUP BY key ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN ${isOpen} THEN r.points ELSE 0 END + excluded.points,
    expire = CASE WHEN ${isOpen} THEN LEAST(r.expire, ${longest}) ELSE ${longest} END
  RETURNING key, points, (expire - ${DATABASE_NOW})::integer AS remaining`;

interface WindowRow {
  readonly key: string;
  readonly points: number;
  readonly remaining: number;
}

/**
 * Counts by key for all instances, in the table `rate_limits` of PostgreSQL, by the clock of the
 * database. Refuses a key over its limit from memory until its window ends.
 */
@Injectable()
export class SharedCountsService {
  /** Keys over their limit. `until` is as `performance.now()`. */
  private readonly full = new Map<string, { readonly most: number; readonly until: number }>();
  private readonly batcher: Batcher<string, WindowCount>;

  constructor(private readonly transactions: Transactions) {
    this.batcher = new Batcher(({ take, until }) => this.countAll(take, until));
  }

  /** With SQLite there is only one instance. */
  get areNeeded(): boolean {
    return this.transactions.engine === 'postgres';
  }

  /** @throws {Unavailable} */
  async add(quota: OrderQuota): Promise<WindowCount> {
    const { until } = this.transactions;
    return this.ifFull(quota) ?? this.learn(quota, await this.batcher.add(quota.key, until));
  }

  /** What is known without the database: only that the limit is exceeded. */
  private ifFull({ key, most }: OrderQuota): WindowCount | undefined {
    const known = this.full.get(key);
    if (!known) return undefined;
    const left = known.until - performance.now();
    if (left <= 0) this.full.delete(key);
    return left > 0 && known.most === most
      ? { count: most + 1, reset: secondsOf(left) }
      : undefined;
  }

  /** Remembers a key that is over its limit. */
  private learn({ key, most }: OrderQuota, counted: WindowCount): WindowCount {
    if (counted.count > most) {
      // The seconds are rounded up.
      this.full.set(key, { most, until: performance.now() + (counted.reset - 1) * 1_000 });
    }
    return counted;
  }

  /** Reads the count without counting. */
  async look(key: string): Promise<WindowCount> {
    const [known] = await this.transactions.read((tx) =>
      tx.query<WindowRow[]>(
        `SELECT points, LEAST(expire - ${DATABASE_NOW}, ${MINUTE}) AS remaining
         FROM rate_limits WHERE key = $1`,
        [keyOf(key)],
      ),
    );
    const isOpen = known !== undefined && known.remaining > 0;
    return { count: isOpen ? known.points : 0, reset: secondsOf(isOpen ? known.remaining : 0) };
  }

  /** The counts of the requests, in order of arrival. */
  private async countAll(take: () => readonly string[], until: number): Promise<WindowCount[]> {
    let keys: readonly string[] = [];
    const rows = await this.transactions.runStatement((tx) => {
      keys = take();
      return tx.query<WindowRow[]>(countSql, [keys.map(keyOf)]);
    }, until);
    const found = new Map(rows.map((row) => [row.key, row]));
    const left = new Map<string, number>();
    for (const key of keys) left.set(key, (left.get(key) ?? 0) + 1);
    return keys.map((key) => {
      const { points, remaining } = found.get(keyOf(key))!;
      const after = left.get(key)! - 1;
      left.set(key, after);
      return { count: points - after, reset: secondsOf(remaining) };
    });
  }
}
