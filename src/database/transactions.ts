import { AsyncLocalStorage } from 'node:async_hooks';
import { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { Unavailable } from '../common/problem.js';
import { SqliteWriter } from './sqlite-writer.js';
import type { SqlValue } from './sqlite-writer.worker.js';

/** The database inside one transaction. Valid until the function that was given it ends. */
export type Tx = Pick<
  EntityManager,
  | 'insert'
  | 'update'
  | 'delete'
  | 'find'
  | 'findOne'
  | 'findBy'
  | 'findOneBy'
  | 'findOneByOrFail'
  | 'findOneOrFail'
  | 'findAndCount'
  | 'countBy'
  | 'count'
  | 'exists'
  | 'existsBy'
  | 'increment'
  | 'createQueryBuilder'
  | 'query'
>;

/** Somebody else is running the work of this name; see `runExclusively`. */
export class AlreadyRunning extends Error {}

/**
 * The only road to the database.
 *
 * On SQLite TypeORM has one connection for all requests, so that a statement of one request falls
 * into the open transaction of another and is lost with it when that one rolls back. Here every use
 * of the connection waits for its turn. On PostgreSQL each use has a connection of the pool.
 */
export class Transactions {
  private readonly connection = new Turns();
  private readonly writing = new Turns();
  private readonly waiting: Work[] = [];
  private readonly writer: SqliteWriter | undefined;
  private readonly names = new Set<string>();
  private readonly inside = new AsyncLocalStorage<true>();
  private readonly lastWork: (() => Promise<void>)[] = [];
  readonly engine: 'sqlite' | 'postgres';

  /**
   * @param watchful whether a transaction inside another is refused, instead of waiting for ever.
   * To know it, Node has to follow every promise of the process, which costs a tenth of a request;
   * so this is for development and tests.
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly watchful = true,
  ) {
    const { type, database } = dataSource.options;
    this.engine = type === 'postgres' ? 'postgres' : 'sqlite';
    if (type === 'better-sqlite3' && database !== ':memory:') {
      this.writer = new SqliteWriter(database);
    }
  }

  /**
   * Runs `work` in a transaction: all of it is durable when the promise resolves, and none of it has
   * happened when it rejects (unless the connection is lost during the commit itself; then nobody
   * knows, and the error says that the database is unavailable).
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.refuseNesting();
    const marked = (tx: Tx) => this.mark(() => work(tx));
    return this.engine === 'sqlite' ? this.inGroup(marked) : this.onPostgres(marked);
  }

  /** Runs `work`, which only reads. It never sees another's uncommitted rows. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.refuseNesting();
    const marked = () => this.mark(() => work(this.dataSource.manager));
    return this.engine === 'sqlite' ? this.connection.take(marked) : marked();
  }

  /**
   * Adds rows to a table, in a transaction of their own; one whose key is taken is left out. On
   * SQLite another thread does it, so that neither this one nor those who read wait for the disk.
   * @param values one row after the other
   */
  insertRows(
    table: string,
    columns: readonly string[],
    values: readonly SqlValue[],
  ): Promise<void> {
    const { writer } = this;
    if (writer) {
      const sql = insertSql(table, columns, 1, () => '?');
      return this.writing.take(() => writer.insert(sql, columns.length, values));
    }
    const rows = values.length / columns.length;
    const sql = insertSql(table, columns, rows, (n) => (this.engine === 'sqlite' ? '?' : `$${n}`));
    return this.run((tx) => tx.query(sql, [...values]));
  }

  /**
   * As `run`, unless work of the same name is running already, on any instance.
   * @throws {AlreadyRunning} at once, without waiting
   */
  async runExclusively<T>(name: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.names.has(name)) throw new AlreadyRunning(name);
    this.names.add(name);
    try {
      return await this.run(async (tx) => {
        if (this.engine === 'postgres') await lockOrFail(tx, name);
        return work(tx);
      });
    } finally {
      this.names.delete(name);
    }
  }

  /** Adds work that has to reach the database before it closes, such as flushing a buffer. */
  beforeClose(work: () => Promise<void>): void {
    this.lastWork.push(work);
  }

  /** Does the last work, then closes the database. Nothing can be run afterwards. */
  async close(): Promise<void> {
    await Promise.allSettled(this.lastWork.map((work) => work()));
    await this.writing.take(async () => this.writer?.close());
    await this.connection.take(() => this.dataSource.destroy());
  }

  /** Inside a transaction, waiting for one's own turn would be waiting for ever. */
  private refuseNesting(): void {
    if (this.watchful && this.inside.getStore()) {
      throw new Error('A transaction was begun inside another: pass its tx on instead.');
    }
  }

  private mark<T>(work: () => Promise<T>): Promise<T> {
    return this.watchful ? this.inside.run(true, work) : work();
  }

  /**
   * Whatever waits while a commit is being flushed to disk is committed together afterwards: the
   * flush costs many times the rows, and it holds the event loop.
   */
  private inGroup<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ run, resolve: resolve as (result: unknown) => void, reject });
      if (this.waiting.length > 1) return;
      void this.writing.take(() =>
        this.connection.take(async () => {
          const group = this.waiting.splice(0);
          const [first] = group;
          if (group.length > 1) await this.commitTogether(group);
          else await this.onSqlite(first!.run).then(first!.resolve, first!.reject);
        }),
      );
    });
  }

  /** One transaction for all; each has a savepoint, so that one that fails takes no other along. */
  private async commitTogether(group: readonly Work[]): Promise<void> {
    const done: { work: Work; result: unknown }[] = [];
    try {
      await this.onSqlite(async () => {
        const runner = this.dataSource.createQueryRunner();
        for (const work of group) {
          await runner.query('SAVEPOINT one');
          try {
            done.push({ work, result: await work.run(runner.manager) });
          } catch (error) {
            // Where this fails, SQLite has rolled back the whole transaction: nobody's is kept.
            await runner.query('ROLLBACK TO one');
            work.reject(error);
          }
          await runner.query('RELEASE one');
        }
      });
      for (const { work, result } of done) work.resolve(result);
    } catch (error) {
      // To those who have been told already this says nothing more.
      for (const { reject } of group) reject(error);
    }
  }

  private async onSqlite<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    // IMMEDIATE takes the write lock first: a deferred transaction that has read and then wants to
    // write is refused at once, without waiting, when another process has written in between.
    await runner.query('BEGIN IMMEDIATE');
    try {
      const result = await work(runner.manager);
      await runner.query('COMMIT');
      return result;
    } catch (error) {
      // A full disk, for one, has rolled back by itself; then there is nothing left to roll back.
      await runner.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  private async onPostgres<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.connect();
      await runner.startTransaction();
      const result = await work(runner.manager).catch(async (error: unknown) => {
        await runner.rollbackTransaction().catch(() => undefined);
        throw error;
      });
      await this.commit(runner);
      return result;
    } finally {
      await runner.release();
    }
  }

  private async commit(runner: QueryRunner): Promise<void> {
    try {
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction().catch(() => undefined);
      throw new Unavailable('It is not known whether the database has stored this.', error);
    }
  }
}

/** A transaction that waits for its turn. */
interface Work {
  readonly run: (tx: Tx) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
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

function insertSql(
  table: string,
  columns: readonly string[],
  rows: number,
  placeholder: (n: number) => string,
): string {
  const names = columns.map((name) => `"${name}"`).join(', ');
  const groups = Array.from({ length: rows }, (_row, row) => {
    const marks = columns.map((_name, i) => placeholder(row * columns.length + i + 1));
    return `(${marks.join(', ')})`;
  });
  return `INSERT INTO "${table}" (${names}) VALUES ${groups.join(', ')} ON CONFLICT DO NOTHING`;
}

async function lockOrFail(tx: Tx, name: string): Promise<void> {
  const [row] = await tx.query<{ locked: boolean }[]>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
    [name],
  );
  if (!row?.locked) throw new AlreadyRunning(name);
}
