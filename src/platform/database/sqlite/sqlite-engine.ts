import { AsyncResource } from 'node:async_hooks';
import type { DataSource, QueryRunner } from 'typeorm';
import { type Engine, type RowInsert, tooLate } from '../engine/engine.js';
import { beginImmediate, onceFree, prepareSqlite } from './sqlite.js';
import { type Batch, Batcher } from '../batch/batcher.js';
import type { Tx } from '../engine/tx.js';
import { nextTurn } from '../../kernel/turns.js';
import Database from 'better-sqlite3';
import { millisecondsTo } from '../../kernel/time.js';
import { insertSql } from '../engine/rows.js';

/** KiB. Small, because rows are appended to a few indexes. */
const CACHE = 4_096;
/** Rows per statement: few sizes, so that each is prepared once. */
const SIZES = [32, 4, 1];
/** Milliseconds to wait for another process's write lock. */
const PATIENCE = 500;

/** A second connection, for many rows of a kind: it keeps their statements prepared. */
class SqliteRows {
  private database: Database.Database | undefined;
  private readonly statements = new Map<string, Database.Statement>();

  constructor(private readonly file: string) {}

  /** In one transaction. */
  async insert(inserts: readonly RowInsert[]): Promise<void> {
    const database = (this.database ??= this.open());
    await onceFree(() => this.run('BEGIN IMMEDIATE'), performance.now() + PATIENCE);
    try {
      for (const insert of inserts) this.insertInto(insert);
      this.run('COMMIT');
    } catch (error) {
      if (database.inTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.database?.close();
    this.database = undefined;
    this.statements.clear();
  }

  private open(): Database.Database {
    const database = new Database(this.file, { fileMustExist: true });
    prepareSqlite(database, 0);
    database.pragma(`cache_size = ${-CACHE}`);
    return database;
  }

  private insertInto({ table, columns, values }: RowInsert): void {
    let at = 0;
    for (const size of SIZES) {
      const length = size * columns.length;
      const statement = this.statement(`${table} ${size}`, () =>
        insertSql(table, columns, size, 'fails'),
      );
      for (; at + length <= values.length; at += length) {
        statement.run(values.slice(at, at + length));
      }
    }
  }

  private run(sql: string): void {
    this.statement(sql, () => sql).run();
  }

  /** @param text called once for each key */
  private statement(key: string, text: () => string): Database.Statement {
    let statement = this.statements.get(key);
    if (!statement) this.statements.set(key, (statement = this.database!.prepare(text())));
    return statement;
  }
}

/** Milliseconds after which the event loop has a turn: SQLite calls are synchronous. */
const LONGEST_TURN = 2;
/** While writing, savepoints stay in memory. While reading, sorting may use files, which halves the memory of an export. */
const WHILE_WRITING = 'temp_store = MEMORY';
const OTHERWISE = 'temp_store = DEFAULT';

type Work = (tx: Tx) => Promise<unknown>;

/**
 * TypeORM has one SQLite connection for all requests, so one request's statement could run in another's
 * transaction and be rolled back with it. Here each use waits for the one before. Transactions that wait
 * at the same time share a commit, each with a savepoint, because flushing to disk takes most of the time.
 */
export class SqliteEngine implements Engine {
  readonly pool = null;
  /** `connection` serves one use at a time, and `writing` allows one write on any connection. */
  private readonly connection = new Mutex();
  private readonly writing = new Mutex();
  private readonly rows: SqliteRows;
  private readonly groups = new Batcher<Work, unknown>((group) =>
    this.alone(() => this.commit(group)),
  );
  /** Another process held the write lock at the last attempt to get it. */
  private isLockedOut = false;
  /** Milliseconds of reading since reads last gave the event loop a turn. */
  private reading = 0;

  /** @param longestWait milliseconds that a use may wait for its turn */
  constructor(
    private readonly dataSource: DataSource,
    private readonly longestWait: number,
  ) {
    this.rows = new SqliteRows(String(dataSource.options.database));
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

  runStatement<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T> {
    return this.runBatch(work, deadline);
  }

  read<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T> {
    return startedBy(this.patience(deadline), (started) =>
      this.connection.run(async () => {
        if (this.reading > LONGEST_TURN) {
          await nextTurn();
          this.reading = 0;
        }
        started();
        const began = performance.now();
        try {
          return await work(this.dataSource.manager);
        } finally {
          this.reading += performance.now() - began;
        }
      }),
    );
  }

  insertRows(inserts: readonly RowInsert[]): Promise<unknown> {
    return this.writing.run(async () => {
      await this.rows.insert(inserts);
      await nextTurn();
    });
  }

  /**
   * The file was writable at the start; a full or broken disk is reported by each write.
   * @throws while another process holds the write lock, if a write has met it
   */
  acceptsWrites(deadline: number): Promise<boolean> {
    const answer = () => Promise.resolve(true);
    return this.isLockedOut ? this.runBatch(answer, deadline) : this.read(answer, deadline);
  }

  async close(): Promise<void> {
    await this.writing.run(() => Promise.resolve(this.rows.close()));
    await this.connection.run(() => this.dataSource.destroy());
  }

  /** The time by which a use must have started. */
  private patience(deadline: number): number {
    return Math.min(performance.now() + this.longestWait, deadline);
  }

  private alone<T>(use: () => Promise<T>): Promise<T> {
    return this.writing.run(() => this.connection.run(use));
  }

  /** Commits all transactions of the group at once, and returns after the commit is on disk. */
  private async commit(group: Batch<Work>): Promise<unknown[]> {
    const results: unknown[] = [];
    const runner = this.dataSource.createQueryRunner();
    const database = (await runner.connect()) as Database.Database;
    await rollBackRest(runner, database);
    database.pragma(WHILE_WRITING);
    try {
      await beginImmediate(runner, group.until, () => (this.isLockedOut = true));
      this.isLockedOut = false;
      const isSingle = group.waiting < 2;
      let turn = performance.now();
      // One at a time: the others can still reach their deadlines.
      for (let [work] = group.take(1); work; [work] = isSingle ? [] : group.take(1)) {
        if (performance.now() - turn > LONGEST_TURN) {
          await nextTurn();
          turn = performance.now();
        }
        if (!isSingle) await runner.query('SAVEPOINT one');
        try {
          results.push(await work(runner.manager));
        } catch (error) {
          // After some errors, such as a full disk, SQLite rolls back the whole transaction.
          if (isSingle || !database.inTransaction) throw error;
          await runner.query('ROLLBACK TO one');
          results.push(error);
        }
        if (!isSingle) await runner.query('RELEASE one');
      }
      if (!database.inTransaction) {
        throw new Error('A statement ended the transaction before its COMMIT.');
      }
      await runner.query('COMMIT');
      // Otherwise work that writes again and again would hold the event loop.
      await nextTurn();
      return results;
    } finally {
      await rollBackRest(runner, database);
      if (!database.inTransaction) database.pragma(OTHERWISE);
    }
  }
}

/** Nothing to do if SQLite has rolled back itself; retries a ROLLBACK that failed. */
async function rollBackRest(
  runner: QueryRunner,
  { inTransaction }: Database.Database,
): Promise<void> {
  if (inTransaction) await runner.query('ROLLBACK').catch(() => undefined);
}

/**
 * Runs `use`, which calls `started` when its turn comes; that throws after `until`.
 * @throws {Unavailable} at `until` if `use` has not started
 */
function startedBy<T>(until: number, use: (started: () => void) => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let isRefused = false;
    // A timer may end a little early. What it has refused must not start any more.
    const refuse = () => {
      isRefused = true;
      reject(tooLate());
    };
    const timer = setTimeout(refuse, millisecondsTo(until));
    const started = () => {
      if (isRefused || performance.now() > until) throw tooLate();
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
