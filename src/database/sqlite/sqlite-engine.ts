import type { Database } from 'better-sqlite3';
import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { type Engine, type RowInsert, tooLate } from '../engine/engine.js';
import { beginImmediate } from './sqlite.js';
import { SqliteLog } from './sqlite-log.js';
import { SqliteRows } from './sqlite-rows.js';
import type { Tx } from '../engine/tx.js';

/** Transactions that SQLite commits together at most: so long do those who read wait at most. */
const LARGEST_GROUP = 64;

/**
 * Milliseconds for which the transactions of a group hold up all else, such as checks: with SQLite in
 * this thread everything is there at once, and nothing would have its turn before the last is done.
 */
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

/** A transaction on SQLite that waits for its turn. */
interface Waiting {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  readonly until: number;
  /** Begun, or given up because its time was over. */
  taken: boolean;
}

/**
 * TypeORM has one connection to SQLite for all requests, so that a statement of one request falls into
 * the open transaction of another and is lost with it when that one rolls back. Here every use of the
 * connection waits for its turn, and transactions that wait at the same time are committed together,
 * each behind a savepoint of its own: the flush to disk costs many times the rows.
 */
export class SqliteEngine implements Engine {
  readonly pool = null;
  /** One connection for all transactions, and one write at a time, of whichever connection. */
  private readonly connection = new Turns();
  private readonly writing = new Turns();
  private readonly rows: SqliteRows;
  private readonly log: SqliteLog;
  private waiting: Waiting[] = [];
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
    const until = this.patience(deadline);
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        if (one.taken) return;
        one.taken = true;
        reject(tooLate());
      }, until - Date.now());
      const one: Waiting = {
        work: AsyncResource.bind(work),
        resolve: (result) => (clearTimeout(timer), resolve(result)),
        reject: (error) => (clearTimeout(timer), reject(error)),
        until,
        taken: false,
      };
      this.waiting.push(one);
      if (this.waiting.length === 1) this.commitSoon();
    });
  }

  read<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T> {
    const until = this.patience(deadline);
    let begun = false;
    const mine = this.connection.take(() => {
      if (Date.now() > until) throw tooLate();
      begun = true;
      return work(this.dataSource.manager);
    });
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => begun || reject(tooLate()), until - Date.now());
      mine.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  insertRows(inserts: readonly RowInsert[]): Promise<unknown> {
    return this.writing.take(async () => {
      await this.rows.insert(inserts);
      this.log.flushSoon();
      this.written(PAGES.rows);
    });
  }

  async close(): Promise<void> {
    await this.writing.take(() => this.log.close());
    this.rows.close();
    await this.connection.take(() => this.dataSource.destroy());
  }

  /** Until when what is asked for now has to have begun. */
  private patience(deadline: number): number {
    return Math.min(Date.now() + this.longestWait, deadline);
  }

  private commitSoon(): void {
    void this.writing.take(() =>
      this.connection.take(async () => {
        const group = this.waiting.splice(0, LARGEST_GROUP).filter(({ taken }) => !taken);
        if (this.waiting.length > 0) this.commitSoon();
        if (group.length > 0) await this.writeGroup(group);
      }),
    );
  }

  /** One transaction for all. Nobody hears of success before it is on disk, of failure at once. */
  private async writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await this.log.settle();
      const done = await this.commitTogether(group);
      await this.log.flush();
      for (const { one, result } of done) one.resolve(result as never);
      this.written(PAGES.transactions);
    } catch (error) {
      // To those who have been told already this says nothing more.
      for (const one of group) {
        one.taken = true;
        one.reject(error as Error);
      }
    }
  }

  /** Without the flush, which would hold up this thread until the disk has it all. */
  private async commitTogether(
    group: readonly Waiting[],
  ): Promise<readonly { one: Waiting; result: unknown }[]> {
    const done: { one: Waiting; result: unknown }[] = [];
    const runner = this.dataSource.createQueryRunner();
    const database = (await runner.connect()) as Database;
    await rollBackRest(runner, database);
    for (const setting of WHILE_WRITING) database.pragma(setting);
    try {
      await beginImmediate(runner, Math.max(...group.map(({ until }) => until)));
      const alone = group.length === 1;
      let turn = performance.now();
      for (const one of group) {
        if (performance.now() - turn > LONGEST_TURN) {
          await nextTurn();
          turn = performance.now();
        }
        if (one.taken) continue;
        one.taken = true;
        if (!alone) await runner.query('SAVEPOINT one');
        try {
          done.push({ one, result: await one.work(runner.manager) });
        } catch (error) {
          // A full disk, for one, makes SQLite roll back the whole transaction: nobody's is kept.
          if (alone || !database.inTransaction) throw error;
          await runner.query('ROLLBACK TO one');
          one.reject(error as Error);
        }
        if (!alone) await runner.query('RELEASE one');
      }
      if (!database.inTransaction) {
        throw new Error('A statement ended the transaction, which went on as if it had not.');
      }
      await runner.query('COMMIT');
      return done;
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
      await this.writing.take(() => this.log.checkpoint());
    } catch {
      // A full disk, for one: the log keeps it all.
    }
  }
}

/** A full disk, for one, has rolled back by itself; a ROLLBACK that failed is done again. */
async function rollBackRest(runner: QueryRunner, { inTransaction }: Database): Promise<void> {
  if (inTransaction) await runner.query('ROLLBACK').catch(() => undefined);
}

/** Lets one use begin when the one before it has ended. */
class Turns {
  private last: Promise<unknown> = Promise.resolve();

  take<T>(use: () => Promise<T>): Promise<T> {
    const mine = this.last.then(use);
    this.last = mine.catch(() => undefined);
    return mine;
  }
}
