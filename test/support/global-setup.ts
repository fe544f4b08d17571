import { startPostgres } from './postgres.js';
import { makeTemplates } from './templates.js';

declare global {
  var endOfTheTests: (() => Promise<void>) | undefined;
}

/**
 * One PostgreSQL server for all test files. `TEST_POSTGRES_URL` names another server to use, with a user
 * who may create databases. With `TEST_POSTGRES_DURABLE=on` it writes as safely as in production.
 */
export default async function setUp(): Promise<void> {
  if (globalThis.endOfTheTests) return;
  const own = process.env.TEST_POSTGRES_URL
    ? undefined
    : await startPostgres({ durable: process.env.TEST_POSTGRES_DURABLE === 'on' });
  const url = (process.env.TEST_POSTGRES_URL ??= own!.url);
  const removeTemplates = await makeTemplates(url);
  globalThis.endOfTheTests = async () => {
    await removeTemplates();
    await own?.stop();
  };
}
