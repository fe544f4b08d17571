import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { migrate } from '../src/database/migrate.js';
import { Revision } from '../src/database/revision.entity.js';
import { Transactions } from '../src/database/transactions.js';
import { newDatabase, openDataSource } from './support/databases.js';

describe('SQLite', () => {
  let dataSource: DataSource;
  let transactions: Transactions;

  beforeAll(async () => {
    dataSource = await openDataSource(await newDatabase('sqlite'), 'endless');
    await migrate(dataSource);
    transactions = new Transactions(dataSource, 60_000);
  });

  it('is given whole numbers beside the statement, so that it is the same for all', () => {
    const { driver } = dataSource;
    const largest = Number.MAX_SAFE_INTEGER;
    expect(driver.escapeQueryWithParameters('a > :a AND b = :b', { a: largest, b: 'x' })).toEqual([
      'a > ? AND b = ?',
      [BigInt(largest), 'x'],
    ]);
  });

  it('keeps them as whole numbers, the largest too', async () => {
    const number = Number.MAX_SAFE_INTEGER;
    await transactions.run((tx) => tx.insert(Revision, { name: 'large', number }));
    const [row] = await transactions.read((tx) =>
      tx.query<{ number: number; type: string }[]>(
        `SELECT number, typeof(number) AS type FROM revisions WHERE name = 'large'`,
      ),
    );
    expect(row).toEqual({ number, type: 'integer' });
  });

  it('gives everything else its turn between the transactions that it commits together', async () => {
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });
    const seen = new Set<number>();
    const busy = () => {
      seen.add(turns);
      for (const end = performance.now() + 1; performance.now() < end;);
      return Promise.resolve();
    };
    await Promise.all(Array.from({ length: 32 }, () => transactions.run(busy)));
    clearImmediate(next);
    expect(seen.size).toBeGreaterThan(4);
  });

  it('brings its log of writes into the file, by the other thread', async () => {
    const waiting = async () => {
      const [row] = await transactions.read((tx) =>
        tx.query<{ log: number; checkpointed: number }[]>('PRAGMA wal_checkpoint(NOOP)'),
      );
      return row!.log - row!.checkpointed;
    };
    for (let n = 0; n < 100; n += 1) {
      await transactions.run((tx) => tx.insert(Revision, { name: `commit ${n}`, number: n }));
    }
    // The thread has done it before it adds these rows.
    await transactions.insertRows('revisions', ['name', 'number'], '["last",1]');
    expect(await waiting()).toBeLessThan(100);
  });

  describe('finds', () => {
    const planOf = async (conditions: string) => {
      const rows = await transactions.read((tx) =>
        tx.query<{ detail: string }[]>(
          `EXPLAIN QUERY PLAN SELECT * FROM orders WHERE ${conditions}`,
        ),
      );
      return rows.map(({ detail }) => detail).join('; ');
    };
    const uncontacted = 'closed_at IS NULL AND first_contact_at IS NULL';
    const byDeadline = 'ORDER BY first_contact_due_at, id LIMIT 50';

    it.each([
      ['late orders', `${uncontacted} AND first_contact_due_at <= 5 ${byDeadline}`, 'uncontacted'],
      ['urgent ones', `state = 'waiting' AND ${uncontacted} ${byDeadline}`, 'uncontacted_state'],
      ['open ones by deadline', `closed_at IS NULL ${byDeadline}`, 'open_due'],
      ['waiting ones by deadline', `state = 'waiting' ${byDeadline}`, 'state_due'],
      ['all by deadline', `1 = 1 ${byDeadline}`, 'due'],
    ])('%s by the smallest index', async (_what, conditions, index) => {
      expect(await planOf(conditions)).toMatch(
        new RegExp(`^\\w+ orders USING INDEX ix_orders_${index}\\b[^;]*$`),
      );
    });
  });
});
