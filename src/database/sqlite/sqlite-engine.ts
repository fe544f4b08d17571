import type { Database } from 'better-sqlite3';
import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { type Engine, type RowInsert, tooLate } from '../engine/engine.js';
import { beginImmediate } from './sqlite.js';
import { SqliteLog } from './sqlite-log.js';
import { type Batch, WriteBatcher } from '../batch/write-batcher.js';
import { SqliteRows } from './sqlite-rows.js';
import type { Tx } from '../engine/tx.js';

/** Milliseconds of a group after which it yields to the event loop: SQLite's calls are synchronous. */
const LONGEST_TURN = 2;
/**
 * Pages of SQLite's log of writes between two checkpoints, and what a commit of transactions, or of
 * rows, writes of them, about. A checkpoint writes a page once, however often it has changed; but a
 * long one takes a core for as long, and the answers wait where there is no other.
 */
const PAGES = { checkpoint: 2_000, transactions: 50, rows: 20 };

/**
 * A group is flushed in another thread, after its commit. What a savepoint may have to undo stays in
 * memory: an order's 20 pages would go through a file. What is read may be sorted in files, which
 * takes an export half the memory.
 */
const WHILE_WRITING = ['synchronous = NORMAL', 'temp_store = MEMORY'];
const OTHERWISE = ['synchronous = FULL', 'temp_store = DEFAULT'];

type Work = (tx: Tx) => Promise<unknown>;

/**
 * TypeORM has one connection to SQLite for all requests, so that a statement of one request falls into
 * the open transaction of another and is lost with it when that one rolls back. Here every use of the
 * connection waits for the one before it. Transactions that wait at the same time share a commit, each
 * behind a savepoint: the flush to disk costs many times the rows.
 */
export class SqliteEngine implements Engine {
  readonly pool = null;
  /** One connection for all transactions, and one write at a time, of whichever connection. */
  private readonly connection = new Mutex();
  private readonly writing = new Mutex();
  private readonly rows: SqliteRows;
  private readonly log: SqliteLog;
  private readonly groups = new WriteBatcher<Work, unknown>((group) =>
    this.alone(() => this.commit(group)),
  );
  /** Since the last checkpoint. */
  private pages = 0;

  /** @param longestWait milliseconds for which a use may wait for its turn */
  constructor(
    private readonly dataSource: DataSource,
    private readonly longestWait: number,
  ) {
    const file = String(dataSource.options.database);
    this.rows = new SqliteRows(file);
    this.log = new SqliteLog(file);
  }

  run<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T> {
    return this.groups.add(AsyncResource.bind(work), this.patience(deadline)) as Promise<T>;
  }

  runBatch<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T> {
    const until = this.patience(deadline);
    return startedBy(until, async (started) => {
      const [result] = await this.alone(() => {
        started();
        return this.commit({ until, waiting: 1, take: () => [work] });
      });
      return result as T;
    });
  }

  read<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T> {
    return startedBy(this.patience(deadline), (started) =>
      this.connection.run(() => {
        started();
        return work(this.dataSource.manager);
      }),
    );
  }

  insertRows(inserts: readonly RowInsert[]): Promise<unknown> {
    return this.writing.run(async () => {
      await this.rows.insert(inserts);
      this.log.flushSoon();
      this.written(PAGES.rows);
    });
  }

  async close(): Promise<void> {
    await this.writing.run(() => this.log.close());
    this.rows.close();
    await this.connection.run(() => this.dataSource.destroy());
  }

  /** Until when what is asked for now has to have begun. */
  private patience(deadline: number): number {
    return Math.min(Date.now() + this.longestWait, deadline);
  }

  /** Runs `use` while no one else writes, and no one else uses the connection. */
  private alone<T>(use: () => Promise<T>): Promise<T> {
    return this.writing.run(() => this.connection.run(use));
  }

  /**
   * One commit for all transactions of the group. No caller hears of success before the commit is on
   * disk.
   */
  private async commit(group: Batch<Work>): Promise<unknown[]> {
    await this.log.settle();
    const results = await this.commitUnflushed(group);
    await this.log.flush();
    this.written(PAGES.transactions);
    return results;
  }

  /** Without the flush, which would hold up this thread until the disk has it all. */
  private async commitUnflushed(group: Batch<Work>): Promise<unknown[]> {
    const results: unknown[] = [];
    const runner = this.dataSource.createQueryRunner();
    const database = (await runner.connect()) as Database;
    await rollBackRest(runner, database);
    for (const setting of WHILE_WRITING) database.pragma(setting);
    try {
      await beginImmediate(runner, group.until);
      const isSingle = group.waiting < 2;
      let turn = performance.now();
      // One at a time: those that are not taken yet can still be given up at their deadline.
      for (let [work] = group.take(1); work; [work] = isSingle ? [] : group.take(1)) {
        if (performance.now() - turn > LONGEST_TURN) {
          await nextTurn();
          turn = performance.now();
        }
        if (!isSingle) await runner.query('SAVEPOINT one');
        try {
          results.push(await work(runner.manager));
        } catch (error) {
          // A full disk, for one, makes SQLite roll back the whole transaction: nobody's is kept.
          if (isSingle || !database.inTransaction) throw error;
          await runner.query('ROLLBACK TO one');
          results.push(error);
        }
        if (!isSingle) await runner.query('RELEASE one');
      }
      if (!database.inTransaction) {
        throw new Error('A statement ended the transaction, which went on as if it had not.');
      }
      await runner.query('COMMIT');
      return results;
    } finally {
      await rollBackRest(runner, database);
      if (!database.inTransaction) for (const setting of OTHERWISE) database.pragma(setting);
    }
  }

  private written(pages: number): void {
    this.pages += pages;
    if (this.pages < PAGES.checkpoint) return;
    this.pages = -Infinity;
    void this.checkpoint().finally(() => (this.pages = 0));
  }

  /**
   * SQLite would do this within a commit, and hold up all of this thread until the disk has it. The
   * other thread does most of it beside everything else, and the rest while nobody writes: otherwise
   * the log would never begin anew. What fails is done next time, or at last by a commit.
   */
  private async checkpoint(): Promise<void> {
    try {
      await this.log.checkpoint();
      await this.writing.run(() => this.log.checkpoint());
    } catch {
      // A full disk, for one: the log keeps it all.
    }
  }
}

/** A full disk, for one, has rolled back by itself; a ROLLBACK that failed is done again. */
async function rollBackRest(runner: QueryRunner, { inTransaction }: Database): Promise<void> {
  if (inTransaction) await runner.query('ROLLBACK').catch(() => undefined);
}

/**
 * Runs `use`, which waits for its turn and then calls `started`: that throws when `until` has passed.
 * @throws {Unavailable} as soon as that is certain
 */
function startedBy<T>(until: number, use: (started: () => void) => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), until - Date.now());
    const started = () => {
      if (Date.now() > until) throw tooLate();
      clearTimeout(timer);
    };
    use(started)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

/** Runs one use at a time, in the order of the calls. */
class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(use: () => Promise<T>): Promise<T> {
    const mine = this.last.then(use);
    this.last = mine.catch(() => undefined);
    return mine;
  }
}
