import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { PATIENCE, tooLate } from '../engine/engine.js';

/** Milliseconds since 1970 by PostgreSQL's clock: the clocks of the instances may differ. */
export const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Milliseconds. By default PostgreSQL and the driver have no time-outs. */
export const timeouts = {
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
export const noTimeouts = { connectionTimeoutMillis: 10_000 };

/** A connection from the pool: TypeORM's object and the driver's. */
export interface PostgresConnection {
  readonly runner: QueryRunner;
  readonly client: pg.Client;
}

/** @throws {Unavailable} if the pool has no connection before `until` */
export async function connect(runner: QueryRunner, until: number): Promise<pg.Client> {
  const connecting = runner.connect() as Promise<pg.Client>;
  if (until === Infinity) return connecting;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), until - performance.now());
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
export function isAtRest(client: pg.Client, thrown?: unknown): boolean {
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
