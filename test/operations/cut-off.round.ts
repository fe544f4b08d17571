import { expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { newDatabase } from '../support/databases.js';
import { Http } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { check, order } from '../support/orders.js';
import { freePort } from '../support/postgres.js';
import { Line } from '../support/proxies.js';
import { startService } from '../support/service.js';
import { balanceAsShipped } from './balanced.js';
import { Instance, isInstalled } from './processes.js';

/** Before, while and after one instance is cut off. */
const SECONDS = { before: 3, meanwhile: 12, after: 4 };
const ORDERERS = 4;

test('an instance that is cut off from the database costs no order while others can take it', async () => {
  if (!isInstalled('haproxy')) throw new Error('haproxy is needed: apt-get install haproxy');
  const database = await newDatabase('postgres', 'empty');
  const seed = await startService('postgres', { database });
  await seed.given.catalogue();
  const token = await seed.given.token({ days: 3_650 });
  const line = await Line.to(Number(new URL(database.databaseUrl!).port));
  const cut = Object.assign(new URL(database.databaseUrl!), { port: String(line.port) }).href;
  const instances = [];
  for (const databaseUrl of [database.databaseUrl!, database.databaseUrl!, cut]) {
    const environment = {
      DATABASE_URL: databaseUrl,
      ALLOW_INSECURE: 'no-rate-limits',
      LOG_LEVEL: 'warn',
    };
    instances.push(new Instance(await freePort(), environment));
  }
  await Promise.all(instances.map((instance) => instance.start()));
  const port = await freePort();
  await balanceAsShipped(
    port,
    instances.map((instance) => instance.port),
  );
  await wait(2_000);
  const http = new Http(port);
  later(() => Promise.resolve(http.close()));

  let done = false;
  let n = 0;
  const orders: string[] = [];
  const failedOrders: unknown[] = [];
  const checks = new Map<number, number>();
  const place = async () => {
    while (!done) {
      const key = `cut-off-${(n += 1)}`;
      const { status, body } = await order(http, token, key, key);
      if (status === 201) orders.push(key);
      else failedOrders.push([key, status, body.code]);
      await wait(20);
    }
  };
  const look = async () => {
    while (!done) {
      const { status } = await check(http, token);
      checks.set(status, (checks.get(status) ?? 0) + 1);
      await wait(10);
    }
  };
  const all = Promise.all([...Array.from({ length: ORDERERS }, place), look()]);
  await wait(SECONDS.before * 1_000);
  line.cut();
  await wait(SECONDS.meanwhile * 1_000);
  const direct = new Http(instances[2]!.port);
  const ready = [
    (await direct.get('/health/ready')).status,
    (await direct.get('/health/ready/orders')).status,
  ];
  direct.close();
  line.restore();
  await wait(SECONDS.after * 1_000);
  done = true;
  await all;
  process.stdout.write(
    `${orders.length} orders acknowledged, ${failedOrders.length} failed; checks by status: ${JSON.stringify([...checks])}\n`,
  );
  expect(ready).toEqual([200, 503]);
  expect(failedOrders).toEqual([]);
  expect([...checks.keys()]).toEqual([200]);
  const stored = await new Ledger(database).counts('cut-off-');
  expect(orders.filter((key) => stored.get(key) !== 1)).toEqual([]);
  expect(stored.size).toBe(orders.length);
});
