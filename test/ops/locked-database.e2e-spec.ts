import { expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { HealthService } from '../../src/ops/health.service.js';
import { later } from '../support/closing.js';
import { environmentOf, newDatabase } from '../support/databases.js';
import { start } from '../support/processes.js';
import { startService } from '../support/service.js';

/** Takes the write lock, as another process does. */
function lock(file: string): { release(): void } {
  const database = new Database(file);
  later(() => Promise.resolve(database.close()));
  database.exec('BEGIN IMMEDIATE');
  return { release: () => void database.exec('ROLLBACK') };
}

it('an instance is not ready for orders while another process holds the write lock of SQLite', async () => {
  const database = await newDatabase('sqlite');
  const service = await startService('sqlite', { database });
  await service.given.catalogue();
  const token = await service.given.token();
  const order = async () => {
    const body = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
    return (await service.http.post('/product-availability/order', body, { token })).status;
  };
  const ready = async () => {
    await service.get(HealthService).look();
    return (await service.http.get('/health/ready/orders')).status;
  };
  expect([await order(), await ready()]).toEqual([201, 200]);
  const held = lock(database.sqliteFile);
  expect([await order(), await ready(), await ready()]).toEqual([503, 503, 503]);
  held.release();
  expect([await ready(), await order()]).toEqual([200, 201]);
});

it('a start says that it waits for the write lock of SQLite', async () => {
  const database = await newDatabase('sqlite');
  const held = lock(database.sqliteFile);
  const child = start('dist/src/cli/main.js', environmentOf(database), ['db', 'migrate']);
  const ended = once(child, 'exit');
  const errors = text(child.stderr);
  let said = '';
  let isWaiting = false;
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (isWaiting || !said.includes('another process is writing to the database')) continue;
    isWaiting = true;
    held.release();
  }
  expect([await ended, said.includes('The schema is up to date.')]).toEqual([[0, null], true]);
  await errors;
});
