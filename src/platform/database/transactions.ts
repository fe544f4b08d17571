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
  tooLate,
} from './engine/engine.js';
import { type OutageCause, outageCause, outageCauses } from './engine/errors.js';
import { millisecondsTo, MINUTE, SECOND } from '../kernel/time.js';
import { DATABASE_NOW, PostgresEngine } from './postgres/postgres-engine.js';
import { SqliteEngine } from './sqlite/sqlite-engine.js';
import type { Tx } from './engine/tx.js';

/** Work of this name is running already; see `runExclusively`. */
export class AlreadyRunning extends Error {}

/** Milliseconds after the arrival of a request when it is given up. */
export const REQUEST_DEADLINE = 2_000;

/** Milliseconds that closing the database may take. */
const CLOSING = 5_000;

/** Marks the current use of the database, to detect nested calls of `run` and `read`. */
interface Use {
  open: boolean;
}

/**
 * The only access to the database. Every wait is limited: after `PATIENCE` it is an outage, and `within`
 * limits several uses together.
 */
export class Transactions {
  private readonly database: Engine;
  private readonly names = new Set<string>();
  private readonly inside = new AsyncLocalStorage<Use>();
  private readonly deadline = new AsyncLocalStorage<number>();
  private readonly arrival = new AsyncLocalStorage<number>();
  readonly engine: EngineName;
  /** Uses that failed because the database was unavailable, by cause. */
  readonly outages = Object.fromEntries(outageCauses.map((cause) => [cause, 0])) as Record<
    OutageCause,
    number
  >;

  /** @param longestWait milliseconds that a use may wait for its turn or a connection */
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
   * Runs `work` in a transaction: durable when the promise resolves, rolled back when it rejects. If the
   * connection is lost during the commit, the outcome is unknown and the error is `Unavailable`.
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.refuseNesting();
    return this.counted(this.database.run((tx) => this.marked(work, tx), this.bound));
  }

  /**
   * As `run`, for a batch of writes, which has its own commit on SQLite, where others share one.
   * @param until its deadline, as `performance.now()`
   */
  runBatch<T>(work: (tx: Tx) => Promise<T>, until = Infinity): Promise<T> {
    this.refuseNesting();
    const bound = Math.min(until, this.bound);
    return this.counted(this.database.runBatch((tx) => this.marked(work, tx), bound));
  }

  /**
   * As `runBatch`, for work that writes by one statement at most, after what it reads: PostgreSQL commits that statement
   * itself, so that no lock of its rows waits for this process.
   */
  runStatement<T>(work: (tx: Tx) => Promise<T>, until = Infinity): Promise<T> {
    this.refuseNesting();
    const bound = Math.min(until, this.bound);
    return this.counted(this.database.runStatement((tx) => this.marked(work, tx), bound));
  }

  /**
   * Runs `work`, which only reads. It never sees uncommitted rows.
   * @param until its deadline, as `performance.now()`
   */
  read<T>(work: (tx: Tx) => Promise<T>, until = Infinity): Promise<T> {
    this.refuseNesting();
    const bound = Math.min(until, this.bound);
    return this.counted(this.database.read((tx) => this.marked(work, tx), bound));
  }

  /** Inserts rows into tables in one transaction, for frequent rows. */
  insertRows(inserts: readonly RowInsert[]): Promise<unknown> {
    return this.database.insertRows(inserts);
  }

  /**
   * As `run`, unless work of the same name is running on any instance.
   * @throws {AlreadyRunning} without waiting
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
   * Runs `work`, unless work of the same name is running in this process. For other instances, see
   * `lockedElsewhere`.
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
   * Locks these names against other instances until the transaction ends.
   * @returns the names that another instance has locked
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

  /** Whether the database has every migration of this code. It may also have later ones. */
  async isMigrated(): Promise<boolean> {
    const rows = await this.read((tx) =>
      tx.query<{ name: string }[]>('SELECT name FROM migrations'),
    );
    const done = new Set(rows.map(({ name }) => name));
    return this.dataSource.migrations.every(({ name, constructor }) =>
      done.has(name ?? constructor.name),
    );
  }

  /**
   * For periodic work that ends what is due, for all instances.
   * @throws {Error} if the clock of this machine is more than a minute ahead of that of the database: the
   * work would be early
   */
  async refuseClockAhead(): Promise<void> {
    if (this.engine === 'sqlite') return;
    const [row] = await this.read((tx) =>
      tx.query<{ now: number }[]>(`SELECT ${DATABASE_NOW} AS now`),
    );
    const ahead = Date.now() - row!.now;
    if (ahead <= MINUTE) return;
    const seconds = Math.round(ahead / SECOND);
    throw new Error(
      `The clock of this machine is ${seconds} s ahead of the database's. Check NTP on both machines.`,
    );
  }

  /** Whether the database would store something. @throws where it does not answer */
  acceptsWrites(): Promise<boolean> {
    this.refuseNesting();
    return this.database.acceptsWrites(this.bound);
  }

  /** PostgreSQL's connection pool; null on SQLite. */
  get pool(): PoolUse | null {
    return this.database.pool;
  }

  /** Runs a request, from whose arrival `within` counts. */
  arrived(request: () => void): void {
    this.arrival.run(performance.now(), request);
  }

  /**
   * Sets a deadline for all uses of the database in `work`. A late transaction is rolled back by closing its
   * connection.
   * @param since when its time starts, as `performance.now()`; by default the arrival of the request
   * @throws {Unavailable} after the deadline
   */
  within<T>(
    milliseconds: number,
    work: () => Promise<T>,
    since = this.arrival.getStore() ?? performance.now(),
  ): Promise<T> {
    const until = since + milliseconds;
    return this.deadline.run(Math.min(until, this.bound), work);
  }

  /**
   * Waits for `work` that several callers share, until the deadline of this one.
   * @throws {Unavailable} after the deadline
   */
  async shared<T>(work: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(tooLate()), millisecondsTo(this.until));
    try {
      return await Promise.race([work, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The deadline of the running work, as `performance.now()`. */
  get until(): number {
    return Math.min(performance.now() + this.longestWait, this.bound);
  }

  /** Closes the database. Does not wait longer than `CLOSING` for a server. */
  async close(): Promise<void> {
    const closing = this.database.close();
    await Promise.race([closing, sleep(CLOSING, undefined, { ref: false })]);
  }

  /** A nested transaction would wait for its own turn: a deadlock. */
  private refuseNesting(): void {
    if (this.inside.getStore()?.open) {
      throw new Error('A transaction was started inside another. Pass its tx instead.');
    }
  }

  private counted<T>(use: Promise<T>): Promise<T> {
    return use.catch((error: unknown) => {
      const cause = outageCause(error);
      if (cause) this.outages[cause] += 1;
      throw error;
    });
  }

  private async marked<T>(work: (tx: Tx) => Promise<T>, tx: Tx): Promise<T> {
    const use: Use = { open: true };
    try {
      return await this.inside.run(use, () => work(tx));
    } finally {
      use.open = false;
    }
  }

  /** The deadline set by `within`. */
  private get bound(): number {
    return this.deadline.getStore() ?? Infinity;
  }
}
