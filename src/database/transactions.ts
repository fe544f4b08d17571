import type { Database } from 'better-sqlite3';
import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { Ambient } from '../common/ambient.js';
import { isBusy } from '../common/database-outage.js';
import { Unavailable } from '../common/problem.js';
import {
  connect,
  cut,
  discard,
  isAtRest,
  PATIENCE,
  type PostgresConnection,
  tooLate,
} from './postgres.js';
import { insertJsonSql, typesOf } from './insert-sql.js';
import { onceFree } from './sqlite.js';
import { SqliteLog } from './sqlite-log.js';
import { SqliteRows, type SqlValue } from './sqlite-rows.js';

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

/** Milliseconds for which the closing of the database may take before it is left to the system. */
const CLOSING = 5_000;

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
const PAGES = { checkpoint: 2_000, transactions: 50, rows: 30 };

/** A transaction on SQLite that waits for its turn. */
interface Waiting {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  readonly until: number;
  /** Begun, or given up because its time was over. */
  taken: boolean;
}

/** The use of the database that code runs in; what it started may outlive it. */
interface Use {
  open: boolean;
}

/**
 * The only road to the database.
 *
 * On SQLite TypeORM has one connection for all requests, so that a statement of one request falls
 * into the open transaction of another and is lost with it when that one rolls back. Here every use
 * of the connection waits for its turn, and transactions that wait at the same time are committed
 * together, each behind a savepoint of its own: the flush to disk costs many times the rows. On
 * PostgreSQL each use has a connection of the pool.
 *
 * Nobody waits for ever: a turn, a lock, a connection or one answer that does not come within
 * `PATIENCE` is an outage, and `within` bounds several uses as a whole.
 */
export class Transactions {
  /** Of SQLite: one connection for all transactions, and one write at a time, of whichever connection. */
  private readonly connection = new Turns();
  private readonly writing = new Turns();
  private readonly rows: SqliteRows | undefined;
  private readonly log: SqliteLog | undefined;
  private waiting: Waiting[] = [];
  /** Since the last checkpoint. */
  private pages = 0;
  private readonly names = new Set<string>();
  private readonly inside = new Ambient<Use>();
  private readonly deadline = new Ambient<number>();
  private readonly lastWork: (() => Promise<void>)[] = [];
  readonly engine: 'sqlite' | 'postgres';

  /** @param longestWait milliseconds for which a use may wait for its turn, or for a connection */
  constructor(
    private readonly dataSource: DataSource,
    private readonly longestWait = PATIENCE,
  ) {
    const { type, database } = dataSource.options;
    this.engine = type === 'postgres' ? 'postgres' : 'sqlite';
    if (type === 'better-sqlite3') {
      this.rows = new SqliteRows(String(database));
      this.log = new SqliteLog(String(database));
    }
  }

  /**
   * Runs `work` in a transaction: all of it is durable when the promise resolves, and none of it has
   * happened when it rejects (unless the connection is lost during the commit itself; then nobody
   * knows, and the error says that the database is unavailable).
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.refuseNesting();
    return this.engine === 'sqlite'
      ? this.inGroup(work)
      : this.onPostgres((connection) => this.writePostgres(connection, work));
  }

  /** Runs `work`, which only reads. It never sees another's uncommitted rows. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.refuseNesting();
    return this.engine === 'sqlite'
      ? this.inTurn(() => this.marked(work, this.dataSource.manager))
      : this.onPostgres(({ runner }) => this.marked(work, runner.manager));
  }

  /**
   * Adds rows to a table, in a transaction of their own; one whose key is taken is left out. For the
   * one kind of row that comes by thousands, and of which a failure of the power may take the last:
   * TypeORM's own insert costs several times the row, and a flush to disk a thousand times.
   * @param values the values of one row after the other
   */
  insertRows(
    table: string,
    columns: readonly string[],
    values: readonly SqlValue[],
  ): Promise<unknown> {
    const { rows } = this;
    if (rows) {
      return this.writing.take(async () => {
        await rows.insert(table, columns, values);
        this.log?.flushSoon();
        this.written(PAGES.rows);
      });
    }
    const { length } = columns;
    const list = Array.from({ length: values.length / length }, (_row, n) =>
      values.slice(n * length, (n + 1) * length),
    );
    const types = typesOf(
      this.dataSource.entityMetadatas.find(({ tableName }) => tableName === table)!,
    );
    const sql = insertJsonSql(
      table,
      new Map(columns.map((name) => [name, types.get(name)!])),
      'is left out',
    );
    return this.run((tx) => tx.query(sql, [JSON.stringify(list)]));
  }

  /**
   * As `run`, unless work of the same name is running already, on any instance.
   * @throws {AlreadyRunning} at once, without waiting
   */
  runExclusively<T>(name: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.underName(name, () =>
      this.run(async (tx) => {
        if ((await this.lockedElsewhere(tx, [name])).has(name)) throw new AlreadyRunning(name);
        return work(tx);
      }),
    );
  }

  /**
   * Runs `work`, unless work of the same name is running in this process. Other instances are kept
   * away by `lockedElsewhere`, in the transaction itself.
   * @throws {AlreadyRunning}
   */
  async underName<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.names.has(name)) throw new AlreadyRunning(name);
    this.names.add(name);
    try {
      return await work();
    } finally {
      this.names.delete(name);
    }
  }

  /**
   * Keeps work of these names from other instances until the transaction ends.
   * @returns the names under which another one works now
   */
  async lockedElsewhere(tx: Tx, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (this.engine === 'sqlite' || names.length === 0) return new Set();
    const rows = await tx.query<{ name: string; locked: boolean }[]>(
      `SELECT name, pg_try_advisory_xact_lock(hashtextextended(name, 0)) AS locked
       FROM unnest($1::text[]) AS name`,
      [names],
    );
    return new Set(rows.filter(({ locked }) => !locked).map(({ name }) => name));
  }

  /** Whether the database has every migration of this code; it may have later ones, too. */
  async isMigrated(): Promise<boolean> {
    const rows = await this.read((tx) =>
      tx.query<{ name: string }[]>('SELECT name FROM migrations'),
    );
    const done = new Set(rows.map(({ name }) => name));
    return this.dataSource.migrations.every(({ name, constructor }) =>
      done.has(name ?? constructor.name),
    );
  }

  /** Connections of the pool to PostgreSQL; null on SQLite, which has one. */
  get pool(): { readonly total: number; readonly idle: number; readonly waiting: number } | null {
    if (this.engine === 'sqlite') return null;
    const { master } = this.dataSource.driver as unknown as {
      readonly master: { totalCount: number; idleCount: number; waitingCount: number };
    };
    return { total: master.totalCount, idle: master.idleCount, waiting: master.waitingCount };
  }

  /**
   * Every use of the database in `work`, taken together, has to end within so many milliseconds. A
   * transaction that is late is rolled back by closing its connection.
   * @throws {Unavailable} when the time is over
   */
  within<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    const until = Date.now() + milliseconds;
    return this.deadline.around(Math.min(until, this.deadline.value ?? Infinity), work);
  }

  /** Until when the running work has to be done with the database, as `Date.now()`. */
  get until(): number {
    return this.patience();
  }

  /** Adds work that has to reach the database before it closes, such as flushing a buffer. */
  beforeClose(work: () => Promise<void>): void {
    this.lastWork.push(work);
  }

  /**
   * Does the last work, then closes the database. Nothing can be run afterwards. A server that does
   * not answer cannot hold it up.
   */
  async close(): Promise<void> {
    await Promise.allSettled(this.lastWork.map((work) => work()));
    const closing = this.writing
      .take(async () => this.log?.close())
      .then(() => this.rows?.close())
      .then(() => this.connection.take(() => this.dataSource.destroy()));
    await Promise.race([closing, sleep(CLOSING, undefined, { ref: false })]);
  }

  /** Inside a transaction, waiting for one's own turn would be waiting for ever. */
  private refuseNesting(): void {
    if (this.inside.value?.open) {
      throw new Error('A transaction was begun inside another: pass its tx on instead.');
    }
  }

  private async marked<T>(work: (tx: Tx) => Promise<T>, tx: Tx): Promise<T> {
    const use: Use = { open: true };
    try {
      return await this.inside.around(use, () => work(tx));
    } finally {
      use.open = false;
    }
  }

  /** Until when what is asked for now has to have begun, and within `within` ended. */
  private patience(): number {
    return Math.min(Date.now() + this.longestWait, this.deadline.value ?? Infinity);
  }

  private inTurn<T>(use: () => Promise<T>): Promise<T> {
    const until = this.patience();
    let begun = false;
    const mine = this.connection.take(() => {
      if (Date.now() > until) throw tooLate();
      begun = true;
      return use();
    });
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => begun || reject(tooLate()), until - Date.now());
      mine.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  private inGroup<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const until = this.patience();
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        if (one.taken) return;
        one.taken = true;
        reject(tooLate());
      }, until - Date.now());
      const one: Waiting = {
        work: AsyncResource.bind((tx: Tx) => this.marked(work, tx)),
        resolve: (result) => (clearTimeout(timer), resolve(result)),
        reject: (error) => (clearTimeout(timer), reject(error)),
        until,
        taken: false,
      };
      this.waiting.push(one);
      if (this.waiting.length === 1) this.commitSoon();
    });
  }

  private commitSoon(): void {
    void this.writing.take(() =>
      this.connection.take(async () => {
        const group = this.waiting.splice(0, LARGEST_GROUP).filter(({ taken }) => !taken);
        if (this.waiting.length > 0) this.commitSoon();
        if (group.length > 0) await this.writeSqlite(group, this.log!);
      }),
    );
  }

  /** One transaction for all. Nobody hears of success before it is on disk, of failure at once. */
  private async writeSqlite(group: readonly Waiting[], log: SqliteLog): Promise<void> {
    try {
      await log.settle();
      const done = await this.commitTogether(group);
      await log.flush();
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
    database.pragma('synchronous = NORMAL');
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
      if (!database.inTransaction) database.pragma('synchronous = FULL');
    }
  }

  private written(pages: number): void {
    this.pages += pages;
    if (this.pages < PAGES.checkpoint || !this.log) return;
    this.pages = -Infinity;
    void this.checkpoint(this.log).finally(() => (this.pages = 0));
  }

  /**
   * SQLite would do this within a commit, and hold up all of this thread until the disk has it. The
   * other thread does most of it beside everything else, and the rest while nobody writes: otherwise
   * the log would never begin anew. What fails is done next time, or at last by a commit.
   */
  private async checkpoint(log: SqliteLog): Promise<void> {
    try {
      await log.checkpoint();
      await this.writing.take(() => log.checkpoint());
    } catch {
      // A full disk, for one: the log keeps it all.
    }
  }

  private async writePostgres<T>(
    { runner, client }: PostgresConnection,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    await runner.startTransaction();
    const result = await this.marked(work, runner.manager).catch(async (error: unknown) => {
      if (isAtRest(client, error)) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    });
    // To the COMMIT of a transaction in which a statement has failed PostgreSQL answers ROLLBACK, as
    // if all were well.
    if (client.getTransactionStatus() === 'E') {
      throw new Error('A statement failed, and the transaction went on as if it had not.');
    }
    try {
      await runner.commitTransaction();
    } catch (error) {
      throw new Unavailable('It is not known whether the database has stored this.', error);
    }
    return result;
  }

  /**
   * Gives `use` a connection of the pool. One that is not at rest afterwards is cut, not given back:
   * nobody knows what is still on its way on it.
   */
  private async onPostgres<T>(use: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const until = this.deadline.value ?? Infinity;
    const runner = this.dataSource.createQueryRunner();
    const client = await connect(runner, until);
    let late = false;
    const timer =
      until === Infinity
        ? undefined
        : setTimeout(() => ((late = true), cut(client)), until - Date.now());
    try {
      return await use({ runner, client });
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      if (late) throw tooLate(error);
      // The driver has taken the connection back because it broke.
      if (runner.isReleased)
        throw new Unavailable('The connection to the database was lost.', error);
      throw error;
    } finally {
      clearTimeout(timer);
      if (!runner.isReleased && !(isAtRest(client) && client.getTransactionStatus() === 'I')) {
        await discard({ runner, client });
      }
      await runner.release();
    }
  }
}

/**
 * IMMEDIATE takes the write lock first: a deferred transaction that has read and then wants to write
 * is refused at once, without waiting, when another process has written in between. Waits for the
 * lock without blocking this process, which goes on answering from memory.
 */
export async function beginImmediate(runner: QueryRunner, until: number): Promise<void> {
  try {
    await onceFree(() => runner.query('BEGIN IMMEDIATE'), until);
  } catch (error) {
    throw isBusy(error) ? tooLate(error) : error;
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
