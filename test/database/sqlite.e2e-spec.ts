import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import { liveOn } from '../../src/orders/delivery/live-orders.js';
import { narrow } from '../../src/queue/lists/list-filter.js';
import { views } from '../../src/queue/lists/views.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { Revision } from '../../src/platform/database/revision.entity.js';
import {
  OutboxMessage,
  withBodyAbout,
} from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { narrowed } from '../../src/reports/report-counts.service.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { type DatabaseSettings, newDatabase, openDataSource } from '../support/databases.js';
import { duringTurns } from '../support/turns.js';

describe('SQLite', () => {
  let dataSource: DataSource;
  let transactions: Transactions;

  let database: DatabaseSettings;

  beforeAll(async () => {
    database = await newDatabase('sqlite', 'empty');
    dataSource = await openDataSource(database, 'endless');
    await migrate(dataSource);
    transactions = new Transactions(dataSource, 60_000);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('receives integers as parameters, so that statements are reused', () => {
    const { driver } = dataSource;
    const largest = Number.MAX_SAFE_INTEGER;
    expect(driver.escapeQueryWithParameters('a > :a AND b = :b', { a: largest, b: 'x' })).toEqual([
      'a > ? AND b = ?',
      [BigInt(largest), 'x'],
    ]);
  });

  it('stores integers as integers, including the largest', async () => {
    const number = Number.MAX_SAFE_INTEGER;
    await transactions.run((tx) => tx.insert(Revision, { name: 'large', number }));
    const [row] = await transactions.read((tx) =>
      tx.query<{ number: number; type: string }[]>(
        `SELECT number, typeof(number) AS type FROM revisions WHERE name = 'large'`,
      ),
    );
    expect(row).toEqual({ number, type: 'integer' });
  });

  it.each([
    ['the transactions of a group', 'run'],
    ['the reads of many callers', 'read'],
  ] as const)('yields to other work between %s', async (_, use) => {
    const seen = new Set<number>();
    await duringTurns(async (turn) => {
      const busy = () => {
        seen.add(turn());
        for (const end = performance.now() + 1; performance.now() < end;);
        return Promise.resolve();
      };
      await Promise.all(Array.from({ length: 32 }, () => transactions[use](busy)));
    });
    expect(seen.size).toBeGreaterThan(4);
  });

  it('copies its log into the file, after a large transaction', async () => {
    const waiting = async () => {
      const [row] = await transactions.read((tx) =>
        tx.query<{ log: number; checkpointed: number }[]>('PRAGMA wal_checkpoint(NOOP)'),
      );
      return row!.log - row!.checkpointed;
    };
    await transactions.run((tx) =>
      tx.query(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO revisions (name, number) SELECT printf('%01000d', i), i FROM n`,
      ),
    );
    expect(await waiting()).toBeLessThan(200);
  });

  it('flushes each commit, of transactions and of rows', async () => {
    const settings: unknown[] = [];
    const prepare = jest.spyOn(Database.prototype, 'pragma');
    await transactions.run(async (tx) => settings.push(await tx.query('PRAGMA synchronous')));
    await transactions.insertRows([
      { table: 'revisions', columns: ['name', 'number', 'mark'], values: ['rows', 1, 'a'] },
    ]);
    expect(settings).toEqual([[{ synchronous: 2 }]]);
    expect(prepare.mock.calls.flat()).toContain('synchronous = 2');
  });

  describe('finds', () => {
    const planOf = async (conditions: string) => {
      const rows = await transactions.read((tx) =>
        tx.query<{ detail: string }[]>(
          `EXPLAIN QUERY PLAN SELECT * FROM orders o WHERE ${conditions}`,
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
        new RegExp(`^\\w+ o USING INDEX ix_orders_${index}\\b[^;]*$`),
      );
    });

    it.each([
      ['closedAt', 'r.closedAt < 5', 'ix_orders_closed (closed_at>'],
      ['receivedAt', 'r.closedAt IS NULL', 'ix_orders_open (received_at>'],
    ])(
      'the orders of one client and owner in a slice of %s, not all theirs',
      async (at, and, by) => {
        const rows = await transactions.read((tx) => {
          const query = tx.createQueryBuilder(Order, 'r').select('COUNT(*)', 'n');
          query.where(`r.${at} >= 1 AND r.${at} < 2 AND ${and}`);
          const [sql, values] = narrowed(query, {
            client: 'a',
            owner: 'b',
          }).getQueryAndParameters();
          return tx.query<object[]>(`EXPLAIN QUERY PLAN ${sql}`, values as unknown[]);
        });
        expect(JSON.stringify(rows)).toContain(by);
      },
    );

    it.each([
      ...(['waiting-for-client', 'date-at-risk', 'cancellation-requests'] as const),
      'approvals' as const,
    ])(
      'the orders of the list %s by their deliveries or offers, not all that there are',
      async (view) => {
        const plan = await planOf(
          views[view].where
            .join(' AND ')
            .replace(':today', "'2026-03-02'")
            .replace('o.closedAt', 'o.closed_at'),
        );
        expect(plan).toMatch(
          /^SEARCH o .*\(id=\?\); LIST SUBQUERY 1; (?:SEARCH deliveries|SCAN offers) USING /,
        );
      },
    );

    it('the other enquiries of a quote by it, not all orders of their state', async () => {
      const rows = await transactions.read((tx) => {
        const query = tx.createQueryBuilder(Order, 'o').select('o.id');
        const listing = {
          filter: { view: 'waiting' },
          found: null,
          me: 'a',
          now: new Date(0),
        } as const;
        const [sql, values] = narrow(query, {
          ...listing,
          isByQuote: true,
        }).getQueryAndParameters();
        return tx.query<object[]>(`EXPLAIN QUERY PLAN ${sql}`, values as unknown[]);
      });
      expect(JSON.stringify(rows)).toContain('SEARCH s USING INDEX ux_orders_quote_line');
    });

    it('the webhook messages about an order by it, not by reading all messages', async () => {
      const rows = await transactions.read((tx) => {
        const query = tx.createQueryBuilder(OutboxMessage, 'm').where(withBodyAbout('a', 'b'));
        const [sql, values] = query.getQueryAndParameters();
        return tx.query<object[]>(`EXPLAIN QUERY PLAN ${sql}`, values as unknown[]);
      });
      expect(JSON.stringify(rows)).toContain('ix_outbox_messages_subject (subject_id=?)');
    });

    it('the deliveries of a day by the day, not by the state of their orders', async () => {
      const rows = await transactions.read((tx) => {
        const [sql, values] = liveOn(tx, '2026-03-02').getQueryAndParameters();
        return tx.query<object[]>(`EXPLAIN QUERY PLAN ${sql}`, values as unknown[]);
      });
      expect(JSON.stringify(rows)).toContain('ix_deliveries_live (live_on=?)');
    });
  });
});
