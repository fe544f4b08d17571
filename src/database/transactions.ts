import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import {
  type Engine,
  type EngineName,
  engineOf,
  PATIENCE,
  type PoolUse,
  type RowInsert,
} from './engine/engine.js';
import { PostgresEngine } from './postgres/postgres-engine.js';
import { SqliteEngine } from './sqlite/sqlite-engine.js';
import type { Tx } from './engine/tx.js';

/** Somebody else is running the work of this name; see `runExclusively`. */
export class AlreadyRunning extends Error {}

/** Milliseconds for which the closing of the database may take before it is left to the system. */
const CLOSING = 5_000;

/** The use of the database that code runs in; what it started may outlive it. */
interface Use {
  open: boolean;
}

/**
 * The only road to the database.
 *
 * How it is done on SQLite and on PostgreSQL is in `sqlite-engine.ts` and `postgres-engine.ts`.
 *
 * Nobody waits for ever: a turn, a lock, a connection or one answer that does not come within
 * `PATIENCE` is an outage, and `within` bounds several uses as a whole.
 */
export class Transactions {
  private readonly database: Engine;
  private readonly names = new Set<string>();
  private readonly inside = new AsyncLocalStorage<Use>();
  private readonly deadline = new AsyncLocalStorage<number>();
  readonly engine: EngineName;

  /** @param longestWait milliseconds for which a use may wait for its turn, or for a connection */
  constructor(
    private readonly dataSource: DataSource,
    private readonly longestWait = PATIENCE,
  ) {
    this.engine = engineOf(dataSource);
    this.database =
      this.engine === 'postgres'
        ? new PostgresEngine(dataSource)
        : new SqliteEngine(dataSource, longestWait);
  }

  /**
   * Runs `work` in a transaction: all of it is durable when the promise resolves, and none of it has
   * happened when it rejects (unless the connection is lost during the commit itself; then nobody
   * knows, and the error says that the database is unavailable).
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.refuseNesting();
    return this.database.run((tx) => this.marked(work, tx), this.bound);
  }

  /**
   * As `run`, for a batch of writes. On SQLite transactions that wait at the same time share a commit;
   * this one has its own, because it is large enough.
   * @param until its deadline, as `Date.now()`
   */
  runBatch<T>(work: (tx: Tx) => Promise<T>, until = Infinity): Promise<T> {
    this.refuseNesting();
    return this.database.runBatch((tx) => this.marked(work, tx), Math.min(until, this.bound));
  }

  /** Runs `work`, which only reads. It never sees another's uncommitted rows. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.refuseNesting();
    return this.database.read((tx) => this.marked(work, tx), this.bound);
  }

  /**
   * Adds rows to tables, all in one transaction or none. For the one kind of row that comes by
   * thousands, and of which a power failure may lose the last: TypeORM's own insert costs several times
   * the row, and a flush to disk a thousand times.
   */
  insertRows(inserts: readonly RowInsert[]): Promise<unknown> {
    return this.database.insertRows(inserts);
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
  get pool(): PoolUse | null {
    return this.database.pool;
  }

  /**
   * Every use of the database in `work`, taken together, has to end within so many milliseconds. A
   * transaction that is late is rolled back by closing its connection.
   * @throws {Unavailable} when the time is over
   */
  within<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    const until = Date.now() + milliseconds;
    return this.deadline.run(Math.min(until, this.bound), work);
  }

  /** Until when the running work has to be done with the database, as `Date.now()`. */
  get until(): number {
    return Math.min(Date.now() + this.longestWait, this.bound);
  }

  /** Closes the database. Nothing can be run afterwards. A server that does not answer cannot hold it up. */
  async close(): Promise<void> {
    const closing = this.database.close();
    await Promise.race([closing, sleep(CLOSING, undefined, { ref: false })]);
  }

  /** Inside a transaction, waiting for one's own turn would be waiting for ever. */
  private refuseNesting(): void {
    if (this.inside.getStore()?.open) {
      throw new Error('A transaction was begun inside another: pass its tx on instead.');
    }
  }

  private async marked<T>(work: (tx: Tx) => Promise<T>, tx: Tx): Promise<T> {
    const use: Use = { open: true };
    try {
      return await this.inside.run(use, () => work(tx));
    } finally {
      use.open = false;
    }
  }

  /** Of the running work; Infinity where nobody has set one. */
  private get bound(): number {
    return this.deadline.getStore() ?? Infinity;
  }
}
