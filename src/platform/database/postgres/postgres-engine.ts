import pg from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { isReadOnly } from '../engine/errors.js';
import { millisecondsTo } from '../../kernel/time.js';
import { Unavailable } from '../../problems/problem.js';
import { type Engine, type PoolUse, type RowInsert, tooLate, PATIENCE } from '../engine/engine.js';
import { insertJsonSql, jsonOf, typesOf } from '../engine/rows.js';
import type { Tx } from '../engine/tx.js';

/** Milliseconds since 1970 by PostgreSQL's clock: the clocks of the instances may differ. */
export const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * A connection whose errors never end the process. The server may say goodbye in the packet that makes a connection
 * ready: the pool does not listen any more then, and TypeORM does not listen yet. The next use of it fails.
 */
class ListenedClient extends pg.Client {
  constructor(settings?: pg.ClientConfig) {
    super(settings);
    this.on('error', () => undefined);
  }
}

/** Milliseconds. By default PostgreSQL and the driver have no time-outs. */
export const timeouts = {
  Client: ListenedClient,
  connectionTimeoutMillis: 2_000,
  query_timeout: PATIENCE,
  statement_timeout: PATIENCE - 100,
  lock_timeout: 1_500,
  idle_in_transaction_session_timeout: 5_000,
  // The operating system then detects a lost peer.
  keepAlive: true,
  // Connections that stay open while idle: to open one takes a name server and free threads.
  min: 2,
  // They do not keep a command alive whose start has failed.
  allowExitOnIdle: true,
};

/** For migrations. */
export const noTimeouts = { Client: ListenedClient, connectionTimeoutMillis: 10_000 };

/** A connection from the pool: TypeORM's object and the driver's. */
interface PostgresConnection {
  readonly runner: QueryRunner;
  readonly client: pg.Client;
}

/** @throws {Unavailable} if the pool has no connection before `until` */
export async function connect(runner: QueryRunner, until: number): Promise<pg.Client> {
  const connecting = runner.connect() as Promise<pg.Client>;
  if (until === Infinity) return connecting;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), millisecondsTo(until));
  });
  try {
    return await Promise.race([connecting, late]);
  } catch (error) {
    connecting.then(
      () => runner.release(),
      () => undefined,
    );
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether the server has answered all statements, so that the connection can be reused. After a time-out
 * of the driver an answer may still arrive.
 */
function isAtRest(client: pg.Client, thrown?: unknown): boolean {
  if (client.getTransactionStatus() === null) return false;
  const reported = (thrown as { driverError?: unknown } | undefined)?.driverError;
  return (
    reported instanceof pg.DatabaseError ||
    (client as { readyForQuery?: boolean }).readyForQuery === true
  );
}

/** Closes the socket, which also stops unfinished work on the server. */
export function cut(client: pg.Client): void {
  (
    client as pg.Client & { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}

/** TypeORM's private method that reports a broken connection to the pool. */
interface Discarding {
  releasePostgresConnection(cause: Error): Promise<void>;
}

/** Closes the connection and removes it from the pool. */
export async function discard({ runner, client }: PostgresConnection): Promise<void> {
  cut(client);
  await (runner as QueryRunner & Discarding).releasePostgresConnection(new Error('discarded'));
}

/** Each use of the database has its own connection from the pool. */
export class PostgresEngine implements Engine {
  /** When each connection was made, as `performance.now()`. */
  private readonly made = new WeakMap<pg.Client, number>();
  /** Connections that were made before lead to a server that refuses writes, such as a former primary. */
  private readOnlyBefore = -Infinity;
  private running = 0;
  private ended: (() => void) | undefined;

  constructor(private readonly dataSource: DataSource) {
    this.master.on('connect', (client) => void this.made.set(client, performance.now()));
  }

  run<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T> {
    return this.use((connection) => this.write(connection, work), deadline);
  }

  runBatch<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T> {
    return this.run(work, deadline);
  }

  runStatement<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T> {
    return this.read(work, deadline);
  }

  read<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T> {
    return this.use(({ runner }) => work(runner.manager), deadline);
  }

  insertRows(inserts: readonly RowInsert[]): Promise<unknown> {
    const parts = inserts.map((insert, i) => `added_${i} AS (${this.insertSql(insert, i + 1)})`);
    const lists = inserts.map(({ columns: { length }, values }) =>
      jsonOf(
        Array.from({ length: values.length / length }, (_row, n) =>
          values.slice(n * length, (n + 1) * length),
        ),
      ),
    );
    return this.run((tx) => tx.query(`WITH ${parts.join(', ')} SELECT 1`, lists), Infinity);
  }

  private insertSql({ table, columns }: RowInsert, parameter: number): string {
    const known = this.dataSource.entityMetadatas.find(({ tableName }) => tableName === table)!;
    const types = typesOf(known);
    const own = new Map(columns.map((name) => [name, types.get(name)!]));
    return insertJsonSql(table, own, 'fails', parameter);
  }

  /** A standby, a former primary and a database that was set read-only refuse writes. */
  acceptsWrites(deadline: number): Promise<boolean> {
    return this.use(async ({ runner }) => {
      const [row] = (await runner.query(
        `SELECT current_setting('transaction_read_only') = 'off' AS writable`,
      )) as { writable: boolean }[];
      if (!row!.writable) this.readOnlyBefore = performance.now();
      return row!.writable;
    }, deadline);
  }

  get pool(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.master;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /** Waits for running uses: TypeORM would take their connections away. */
  async close(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => (this.ended = resolve));
    await this.dataSource.destroy();
  }

  private async write<T>(
    { runner, client }: PostgresConnection,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    await runner.startTransaction();
    const result = await work(runner.manager).catch(async (error: unknown) => {
      if (isAtRest(client, error)) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    });
    // After a failed statement PostgreSQL answers COMMIT with ROLLBACK, without an error.
    if (client.getTransactionStatus() === 'E') {
      throw new Error('The transaction continued after a failed statement.');
    }
    try {
      await runner.commitTransaction();
    } catch (error) {
      throw new Unavailable('It is not known whether the database has stored this.', error);
    }
    return result;
  }

  private async use<T>(
    use: (connection: PostgresConnection) => Promise<T>,
    until: number,
  ): Promise<T> {
    this.running += 1;
    try {
      return await this.useConnection(use, until);
    } finally {
      this.running -= 1;
      if (this.running === 0) this.ended?.();
    }
  }

  /**
   * Runs `use` with a connection from the pool. If it is not idle afterwards, it is discarded, because
   * answers may still arrive on it.
   */
  private async useConnection<T>(
    use: (connection: PostgresConnection) => Promise<T>,
    until: number,
  ): Promise<T> {
    const connection = await this.connection(until);
    const { runner, client } = connection;
    let late = false;
    const timer =
      until === Infinity
        ? undefined
        : setTimeout(() => ((late = true), cut(client)), millisecondsTo(until));
    try {
      return await use(connection);
    } catch (error) {
      if (isReadOnly(error)) this.readOnlyBefore = performance.now();
      if (error instanceof Unavailable) throw error;
      if (late) throw tooLate(error);
      // The driver releases a broken connection.
      if (runner.isReleased)
        throw new Unavailable('The connection to the database was lost.', error);
      throw error;
    } finally {
      clearTimeout(timer);
      const isIdle = isAtRest(client) && client.getTransactionStatus() === 'I';
      if (!runner.isReleased && !(isIdle && this.isCurrent(client))) await discard(connection);
      await runner.release();
    }
  }

  private async connection(until: number): Promise<PostgresConnection> {
    for (;;) {
      const runner = this.dataSource.createQueryRunner();
      const client = await connect(runner, until);
      if (this.isCurrent(client)) return { runner, client };
      await discard({ runner, client });
      await runner.release();
    }
  }

  private isCurrent(client: pg.Client): boolean {
    return (this.made.get(client) ?? -Infinity) >= this.readOnlyBefore;
  }

  private get master(): pg.Pool {
    return (this.dataSource.driver as DataSource['driver'] & { readonly master: pg.Pool }).master;
  }
}
