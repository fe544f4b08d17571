import { AsyncLocalStorage } from 'node:async_hooks';
import { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { Unavailable } from '../common/problem.js';

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
  private turn: Promise<unknown> = Promise.resolve();
  private readonly names = new Set<string>();
  private readonly inside = new AsyncLocalStorage<true>();
  private readonly lastWork: (() => Promise<void>)[] = [];
  readonly engine: 'sqlite' | 'postgres';

  constructor(private readonly dataSource: DataSource) {
    this.engine = dataSource.options.type === 'postgres' ? 'postgres' : 'sqlite';
  }

  /**
   * Runs `work` in a transaction: all of it is durable when the promise resolves, and none of it has
   * happened when it rejects (unless the connection is lost during the commit itself; then nobody
   * knows, and the error says that the database is unavailable).
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.refuseNesting();
    const marked = (tx: Tx) => this.inside.run(true, () => work(tx));
    return this.engine === 'sqlite'
      ? this.inTurn(() => this.onSqlite(marked))
      : this.onPostgres(marked);
  }

  /** Runs `work`, which only reads. It never sees another's uncommitted rows. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.refuseNesting();
    const marked = () => this.inside.run(true, () => work(this.dataSource.manager));
    return this.engine === 'sqlite' ? this.inTurn(marked) : marked();
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

  /** Moves what SQLite's write-ahead log holds into the database file, before it is closed. */
  private async checkpoint(): Promise<void> {
    if (this.engine === 'sqlite') {
      await this.read((tx) => tx.query('PRAGMA wal_checkpoint(TRUNCATE)')).catch(() => undefined);
    }
  }

  /** Adds work that has to reach the database before it closes, such as flushing a buffer. */
  beforeClose(work: () => Promise<void>): void {
    this.lastWork.push(work);
  }

  /** Does the last work, then closes the database. Nothing can be run afterwards. */
  async close(): Promise<void> {
    await Promise.allSettled(this.lastWork.map((work) => work()));
    await this.checkpoint();
    await (this.engine === 'sqlite'
      ? this.inTurn(() => this.dataSource.destroy())
      : this.dataSource.destroy());
  }

  /** Inside a transaction, waiting for one's own turn would be waiting for ever. */
  private refuseNesting(): void {
    if (this.inside.getStore()) {
      throw new Error('A transaction was begun inside another: pass its tx on instead.');
    }
  }

  private inTurn<T>(use: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(use);
    this.turn = mine.catch(() => undefined);
    return mine;
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

async function lockOrFail(tx: Tx, name: string): Promise<void> {
  const [row] = await tx.query<{ locked: boolean }[]>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
    [name],
  );
  if (!row?.locked) throw new AlreadyRunning(name);
}
