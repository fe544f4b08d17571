import { type PostgresServer, startPostgres } from './postgres.js';

declare global {
  var postgresOfTheTests: PostgresServer | undefined;
}

/**
 * One PostgreSQL server for all test files. `TEST_POSTGRES_URL` names another server to use, with a user
 * who may create databases. With `TEST_POSTGRES_DURABLE=on` it writes as safely as in production.
 */
export default async function setUp(): Promise<void> {
  if (process.env.TEST_POSTGRES_URL) return;
  const server = await startPostgres({ durable: process.env.TEST_POSTGRES_DURABLE === 'on' });
  globalThis.postgresOfTheTests = server;
  process.env.TEST_POSTGRES_URL = server.url;
}
