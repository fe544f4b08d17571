import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { TokensService } from '../../src/clients/tokens.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { type DatabaseSettings, newDatabase } from '../support/databases.js';
import { Http } from '../support/http.js';
import { later } from '../support/closing.js';
import { Ledger } from '../support/ledger.js';
import { newShop, order } from '../support/orders.js';
import { freePort } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { PgBouncer } from './pgbouncer.js';
import { Instance } from './processes.js';

const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
const ORDERERS = 60;
const ORDERS = 3_000;

/** Two instances behind PgBouncer. */
async function startBehind(
  { databaseUrl }: DatabaseSettings,
  environment: Readonly<Record<string, string>>,
  poolSize = 20,
) {
  const { url: behind } = await PgBouncer.before(databaseUrl!, poolSize);
  const ports = [await freePort(), await freePort()];
  const instances = ports.map((its) => new Instance(its, { ...environment, DATABASE_URL: behind }));
  await Promise.all(instances.map((instance) => instance.start()));
  const clients = ports.map((its) => new Http(its));
  later(() => Promise.resolve(clients.forEach((http) => http.close())));
  return { instances, clients };
}

test('two instances work behind PgBouncer in transaction mode', async () => {
  const database = await newDatabase('postgres', 'empty');
  const seed = await startService('postgres', { database });
  await seed.given.catalogue();
  const client = await seed.given.client();
  const { id, token } = await seed.given.issuedToken({ client, days: 3_650 });
  const { instances, clients } = await startBehind(database, { ORDERS_PER_MINUTE: '100' });

  const orders = await Promise.all(
    Array.from({ length: 120 }, (_, i) =>
      clients[i % 2]!.post<{ orderId: string }>('/product-availability/order', wish, {
        token,
        headers: { 'Idempotency-Key': `key-${i % 40}` },
      }),
    ),
  );
  const placed = orders.filter(({ status }) => status === 201);
  const counts = [201, 409, 429].map((code) => orders.filter((it) => it.status === code).length);
  expect(counts.reduce((a, b) => a + b)).toBe(120);
  expect(counts[0]).toBeGreaterThan(0);
  expect(new Set(placed.map(({ body }) => body.orderId)).size).toBeLessThanOrEqual(40);
  const { orderId } = placed[0]!.body;
  for (const http of clients) {
    expect((await http.get(`/product-availability/order/${orderId}`, { token })).status).toBe(200);
  }
  await seed.get(TokensService).revoke(id, operator);
  const revoked = performance.now();
  for (const http of clients) {
    for (;;) {
      const { status } = await http.get('/product-availability/postcode/EC2A2BS', { token });
      if (status === 401) break;
      expect(performance.now() - revoked).toBeLessThan(5_000);
    }
  }
  process.stdout.write(
    `201, 409, 429: ${counts.join(', ')}; revoked everywhere after ${Math.round(performance.now() - revoked)} ms\n`,
  );
  for (const instance of instances) expect(await instance.stop()).toBe(0);
  expect(instances.map(({ output }) => output).join('')).not.toContain('unsupported startup');
});

test.each([2, 20])(
  'batches of orders over %i server connections are each stored once',
  async (poolSize) => {
    const { database, token } = await newShop('postgres');
    const { instances, clients } = await startBehind(
      database,
      { ALLOW_INSECURE: 'no-rate-limits', LOG_LEVEL: 'warn' },
      poolSize,
    );
    const references = Array.from({ length: ORDERS }, (_, i) => `pooled-${i}`);
    const answers = new Map<string, number>();
    const waiting = references.entries();
    const place = async () => {
      for (const [i, reference] of waiting) {
        // Each again on the other instance, as after a lost answer.
        for (const http of [clients[i % 2]!, clients[(i + 1) % 2]!]) {
          const { status } = await order(http, token, reference, reference);
          answers.set(String(status), (answers.get(String(status)) ?? 0) + 1);
        }
      }
    };
    const placing = Promise.all(Array.from({ length: ORDERERS }, place));
    const ledger = new Ledger(database);
    let connections = 0;
    for (let isDone = false; !isDone;) {
      isDone = await Promise.race([placing.then(() => true), wait(100, false)]);
      const [now] = await ledger.rows<{ count: string }>(
        `SELECT count(*) AS count FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      connections = Math.max(connections, Number(now!.count));
    }
    const stored = await ledger.counts('pooled-');
    const [batches] = await ledger.rows<{ count: string }>(
      'SELECT count(DISTINCT xmin::text) AS count FROM orders',
    );
    const [version] = execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }).split('\n');
    process.stdout.write(
      `${version}, pool of ${poolSize}: ${JSON.stringify(Object.fromEntries(answers))}, ${batches!.count} batches, on ${connections} server connections at a time\n`,
    );
    expect(Object.fromEntries(answers)).toEqual({ 201: 2 * ORDERS });
    expect([stored.size, Math.max(...stored.values())]).toEqual([ORDERS, 1]);
    expect(Number(batches!.count)).toBeLessThan(ORDERS);
    expect(connections).toBeGreaterThanOrEqual(2);
    for (const instance of instances) expect(await instance.stop()).toBe(0);
  },
);
