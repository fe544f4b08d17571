import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { PATIENCE, tooLate } from '../engine/engine.js';

/** Milliseconds. PostgreSQL's own time-outs default to none, and the driver's to never. */
export const timeouts = {
  connectionTimeoutMillis: 2_000,
  query_timeout: PATIENCE,
  statement_timeout: PATIENCE - 100,
  lock_timeout: 1_500,
  idle_in_transaction_session_timeout: 5_000,
  // A peer that vanished without a word is noticed by the system too.
  keepAlive: true,
};

/** For migrations, which may take as long as they need. */
export const noTimeouts = { connectionTimeoutMillis: 10_000 };

/** A connection of the pool, as the driver and as TypeORM see it. */
export interface PostgresConnection {
  readonly runner: QueryRunner;
  readonly client: pg.Client;
}

/** A connection of the pool. @throws {Unavailable} where there is none until then */
export async function connect(runner: QueryRunner, until: number): Promise<pg.Client> {
  const connecting = runner.connect() as Promise<pg.Client>;
  if (until === Infinity) return connecting;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), until - Date.now());
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
 * Whether the server has answered all that it was asked, so that the connection can be used again.
 * After the driver's own time-out it has not: an answer may still come, or never.
 */
export function isAtRest(client: pg.Client, thrown?: unknown): boolean {
  if (client.getTransactionStatus() === null) return false;
  const reported = (thrown as { driverError?: unknown } | undefined)?.driverError;
  return (
    reported instanceof pg.DatabaseError ||
    (client as { readyForQuery?: boolean }).readyForQuery === true
  );
}

/** Cuts the connection, and with it whatever the server was asked to do on it and has not done. */
export function cut(client: pg.Client): void {
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}

/** TypeORM's private way to tell the pool that a connection is broken. */
interface Discarding {
  releasePostgresConnection(cause: Error): Promise<void>;
}

/** Takes the connection out of the pool and cuts it. */
export async function discard({ runner, client }: PostgresConnection): Promise<void> {
  cut(client);
  await (runner as unknown as Discarding).releasePostgresConnection(new Error('discarded'));
}
