import { expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuditService } from '../../src/platform/audit/audit.service.js';
import { newFolder } from '../support/closing.js';
import { environmentOf, newDatabase } from '../support/databases.js';
import { cli } from '../support/processes.js';
import { quotesOf } from '../support/quotes.js';
import { startService } from '../support/service.js';

const SECRET = 'Zzyzxwiped';

it('what is erased is neither in the files of a database in use nor in a backup made afterwards', async () => {
  const database = await newDatabase('sqlite');
  const service = await startService('sqlite', { database, config: { rateLimits: false } });
  await service.given.catalogue();
  const token = await service.given.token();
  const path = '/product-availability';
  const notes = `${SECRET} `.repeat(8);
  const placed = await service.http.post<{ orderId: string }>(
    `${path}/order`,
    {
      ...{ postcode: 'EC2A 2BS', productCode: 'INT-1G-12', reference: `${SECRET}-1`, notes },
      contact: { name: SECRET, email: `${SECRET}@example.net` },
    },
    { token, headers: { 'Idempotency-Key': 'a-key' } },
  );
  const quoteId = await quotesOf(service, token).made({
    ...{ reference: `${SECRET}-2`, customer: SECRET, wanted: { bandwidth: 1 } },
    sites: [{ site: SECRET, postcode: 'EC2A 2BS', notes }],
  });
  const watched = await service.http.send({
    ...{ method: 'PUT', path: `${path}/watch/AB10%201AB`, token },
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ reference: `${SECRET}-3` }),
  });
  const { watchId } = watched.body as { watchId: string };
  const environment = environmentOf(database);
  const erased = [
    await cli(environment, 'orders', 'erase', placed.body.orderId),
    await cli(environment, 'quotes', 'erase', quoteId),
    await cli(environment, 'watches', 'erase', watchId),
  ];
  expect(erased.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(erased[0]!.stdout).toContain('kept: idempotency key');
  const backup = join(await newFolder(), 'backup.sqlite');
  expect((await cli(environment, 'db', 'backup', backup)).code).toBe(0);
  const files = [database.sqliteFile, `${database.sqliteFile}-wal`, backup].filter(existsSync);
  const found = files.filter((file) =>
    readFileSync(file, 'latin1').toLowerCase().includes(SECRET.toLowerCase()),
  );
  expect([files.includes(backup), found]).toEqual([true, []]);
  const entries = await service.get(AuditService).list({ limit: 100 });
  const made = entries.filter(({ details }) => JSON.stringify(details).includes('token'));
  expect(made.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['quote-made', 'watch-made']),
  );
});
