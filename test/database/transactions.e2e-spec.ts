import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { isDatabaseOutage } from '../../src/platform/database/engine/errors.js';
import { Unavailable } from '../../src/platform/problems/problem.js';
import { BackgroundWork } from '../../src/platform/kernel/background-work.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { Revision } from '../../src/platform/database/revision.entity.js';
import { AlreadyRunning, Transactions } from '../../src/platform/database/transactions.js';
import type { Tx } from '../../src/platform/database/engine/tx.js';
import { type DatabaseSettings, newDatabase, openDataSource } from '../support/databases.js';
import { onBothEngines } from '../support/service.js';

/** The simplest table is used as an example of all. */
const store = (tx: Tx, name: string) => tx.insert(Revision, { name, number: 0 });

async function stored(transactions: Transactions): Promise<string[]> {
  const rows = await transactions.read((tx) => tx.find(Revision, { order: { name: 'ASC' } }));
  return rows.map(({ name }) => name);
}

/** A promise, and the function that fulfils it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** All that can run now has run when it resolves. */
const eventLoopTurn = () => new Promise((resolve) => setImmediate(resolve));

onBothEngines('a transaction', (engine) => {
  let database: DatabaseSettings;
  let dataSource: DataSource;
  let transactions: Transactions;

  beforeAll(async () => {
    database = await newDatabase(engine, 'empty');
    dataSource = await openDataSource(database, 'endless');
    await migrate(dataSource);
    // Jobs that wait longer than this are refused; here none may be, however slow the machine.
    transactions = new Transactions(dataSource, 60_000);
  });

  beforeEach(() => transactions.run((tx) => tx.query('DELETE FROM revisions')));

  it('keeps exactly the acknowledged rows of 300 concurrent transactions', async () => {
    const jobs = Array.from({ length: 300 }, (_, i) => ({
      name: `job ${String(i).padStart(3, '0')}`,
      fails: i % 3 === 2,
    }));
    const outcomes = await Promise.allSettled(
      jobs.map(({ name, fails }) =>
        transactions.run(async (tx) => {
          await store(tx, name);
          await tx.existsBy(Revision, { name });
          if (fails) throw new Error('rolled back');
        }),
      ),
    );
    const acknowledged = jobs.filter((_, i) => outcomes[i]?.status === 'fulfilled');
    expect(acknowledged).toHaveLength(200);
    expect(await stored(transactions)).toEqual(acknowledged.map(({ name }) => name));
  });

  it('returns the result of its work, or throws its error', async () => {
    const mistake = new Error('a mistake');
    expect(await transactions.run(() => Promise.resolve(7))).toBe(7);
    await expect(transactions.run(() => Promise.reject(mistake))).rejects.toBe(mistake);
  });

  it.each(['run', 'read'] as const)('cannot be started inside another by %s', async (inner) => {
    const outer = transactions.run(async (tx) => {
      await store(tx, 'outer');
      await transactions[inner]((other) => other.existsBy(Revision, { name: 'outer' }));
    });
    await expect(outer).rejects.toThrow('Pass its tx instead');
    expect(await stored(transactions)).toEqual([]);
  });

  it('does not show its rows to a read before it is committed', async () => {
    const written = gate();
    const wait = gate();
    const writing = transactions.run(async (tx) => {
      await store(tx, 'never committed');
      written.open();
      await wait.opened;
      throw new Error('rolled back');
    });
    await written.opened;
    const reading = stored(transactions);
    // On SQLite the read waits for the end of the transaction, on PostgreSQL it does not.
    await (engine === 'postgres' ? reading : eventLoopTurn());
    wait.open();
    await expect(writing).rejects.toThrow('rolled back');
    expect(await reading).toEqual([]);
  });

  it('has a deadline that is counted from the arrival of its request', () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    let until = 0;
    transactions.arrived(() => {
      now.mockReturnValue(1_500);
      void transactions.within(2_000, () => Promise.resolve((until = transactions.until)));
    });
    now.mockRestore();
    expect(until).toBe(3_000);
  });

  if (engine === 'sqlite') {
    it('refuses a batch of writes whose deadline passes while another transaction writes', async () => {
      const written = gate();
      const wait = gate();
      const writing = transactions.run(async (tx) => {
        await store(tx, 'first');
        written.open();
        await wait.opened;
      });
      await written.opened;
      const batch = transactions.runBatch((tx) => store(tx, 'late'), performance.now() + 1);
      await expect(batch).rejects.toBeInstanceOf(Unavailable);
      wait.open();
      await writing;
      expect(await stored(transactions)).toEqual(['first']);
    });
  }

  it('waits for shared work until its own deadline', async () => {
    const never = new Promise<never>(() => {});
    const waiting = transactions.within(20, () => transactions.shared(never));
    await expect(waiting).rejects.toBeInstanceOf(Unavailable);
    expect(await transactions.shared(Promise.resolve(7))).toBe(7);
  });

  describe('that is exclusive', () => {
    it('refuses another of the same name at once, and accepts it afterwards', async () => {
      const begun = gate();
      const wait = gate();
      const first = transactions.runExclusively('import', async (tx) => {
        begun.open();
        await wait.opened;
        await store(tx, 'first');
      });
      await begun.opened;
      await expect(
        transactions.runExclusively('import', (tx) => store(tx, 'second')),
      ).rejects.toBeInstanceOf(AlreadyRunning);
      const other = transactions.runExclusively('export', (tx) => store(tx, 'other'));
      wait.open();
      await Promise.all([first, other]);
      await transactions.runExclusively('import', (tx) => store(tx, 'third'));
      expect(await stored(transactions)).toEqual(['first', 'other', 'third']);
    });

    it('accepts another after it has failed', async () => {
      await expect(
        transactions.runExclusively('import', () => Promise.reject(new Error('failed'))),
      ).rejects.toThrow('failed');
      await transactions.runExclusively('import', (tx) => store(tx, 'second'));
      expect(await stored(transactions)).toEqual(['second']);
    });
  });

  it('does not block others after a refused commit', async () => {
    await transactions.run((tx) =>
      tx.query(
        'CREATE TABLE children (parent VARCHAR(32) REFERENCES revisions DEFERRABLE INITIALLY DEFERRED)',
      ),
    );
    // The foreign key is checked at the commit.
    const refused = transactions.run((tx) =>
      tx.query(`INSERT INTO children (parent) VALUES ('missing')`),
    );
    await expect(refused).rejects.toThrow();
    await transactions.run((tx) => store(tx, 'next'));
    expect(await stored(transactions)).toEqual(['next']);
    expect(await transactions.read((tx) => tx.query('SELECT * FROM children'))).toEqual([]);
  });

  it('is on disk with the last work after the database is closed', async () => {
    const closing = new Transactions(await openDataSource(database));
    const background = new BackgroundWork(() => {});
    background.atStop(() => Promise.reject(new Error('ends nothing else')));
    background.atStop(() => closing.run((tx) => store(tx, 'last')));
    await background.stop();
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const underWay = closing.run(async (tx) => {
      begun.resolve();
      await held.promise;
      await store(tx, 'under way');
    });
    await begun.promise;
    const closed = closing.close();
    held.resolve();
    await Promise.all([underWay, closed]);
    expect(await stored(transactions)).toEqual(['last', 'under way']);
    await expect(closing.run((tx) => store(tx, 'too late'))).rejects.toThrow();
  });

  if (engine === 'sqlite') {
    it('is needed: TypeORM alone loses an acknowledged write', async () => {
      const request = dataSource.createQueryRunner();
      await request.startTransaction();
      await dataSource.getRepository(Revision).insert({ name: 'acknowledged', number: 0 });
      await request.rollbackTransaction();
      expect(await stored(transactions)).toEqual([]);
    });

    it('reports a full disk as an outage, and recovers', async () => {
      const [{ page_count: pages } = { page_count: 0 }] = await transactions.read((tx) =>
        tx.query<{ page_count: number }[]>('PRAGMA page_count'),
      );
      await transactions.read((tx) => tx.query(`PRAGMA max_page_count = ${pages}`));
      const refused: unknown = await transactions
        .run(async (tx) => {
          await store(tx, 'before');
          for (let i = 0; i < 10_000; i += 1) await store(tx, `row ${i}`);
        })
        .catch((error: unknown) => error);
      await transactions.read((tx) => tx.query('PRAGMA max_page_count = 4294967294'));
      expect([isDatabaseOutage(refused), await stored(transactions)]).toEqual([true, []]);
      await transactions.run((tx) => store(tx, 'after'));
      expect(await stored(transactions)).toEqual(['after']);
    });
  } else {
    it('that is exclusive is exclusive across instances', async () => {
      const otherInstance = new Transactions(await openDataSource(database));
      await transactions.runExclusively('import', async () => {
        await expect(
          otherInstance.runExclusively('import', (tx) => store(tx, 'second')),
        ).rejects.toBeInstanceOf(AlreadyRunning);
      });
      await otherInstance.runExclusively('import', (tx) => store(tx, 'third'));
      expect(await stored(transactions)).toEqual(['third']);
    });

    it('reports an unknown outcome if the connection is lost at the commit', async () => {
      const lost = transactions.run(async (tx) => {
        await store(tx, 'lost');
        const [backend] = await tx.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
        await dataSource.query('SELECT pg_terminate_backend($1, 5000)', [backend?.pid]);
      });
      await expect(lost).rejects.toBeInstanceOf(Unavailable);
      await transactions.run((tx) => store(tx, 'next'));
      expect(await stored(transactions)).toEqual(['next']);
    });

    it('counts its outages by cause', async () => {
      const settings = { ...database, databasePoolSize: 1 };
      const instance = new Transactions(await openDataSource(settings));
      const late = instance.runStatement(
        (tx) => tx.query('SELECT pg_sleep($1)', [60]),
        performance.now() + 100,
      );
      await expect(late).rejects.toBeInstanceOf(Unavailable);
      expect(instance.outages.timeout).toBe(1);
    });
  }
});
