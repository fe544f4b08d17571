import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { TokensService } from '../../src/clients/tokens.service.js';
import { operator } from '../../src/audit/audit.service.js';
import { newDatabase } from '../support/databases.js';
import { Http } from '../support/http.js';
import { later } from '../support/closing.js';
import { startService } from '../support/service.js';
import { Instance, isInstalled, runWithFile } from './processes.js';

const BOUNCER = 41_540;
const PORTS = [41_541, 41_542];
const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };

/** The deployed file, with the addresses of the test. */
function configuration(url: URL): string {
  const database = url.pathname.slice(1);
  return readFileSync('deploy/pgbouncer/pgbouncer.ini', 'utf8')
    .replace(
      /^availability = .*$/m,
      `${database} = host=${url.hostname} port=${url.port} user=${url.username} password=${url.password}`,
    )
    .replace(/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1')
    .replace(/^listen_port = .*$/m, `listen_port = ${BOUNCER}`)
    .replace(/^auth_type = .*$/m, 'auth_type = any')
    .replace(/^auth_file = .*$/m, '')
    .replace(/^unix_socket_dir = .*$/m, 'unix_socket_dir =')
    .replace(/^(pidfile|logfile) = .*$/gm, '');
}

test('two instances work behind PgBouncer in transaction mode', async () => {
  if (!isInstalled('pgbouncer')) throw new Error('pgbouncer is needed: apt-get install pgbouncer');
  const database = await newDatabase('postgres');
  const seed = await startService('postgres', { database });
  await seed.given.catalogue();
  const client = await seed.given.client();
  const { id, token } = await seed.given.issuedToken({ client, days: 3_650 });
  const url = new URL(database.databaseUrl!);
  await runWithFile('pgbouncer', (file) => [file], configuration(url), BOUNCER);
  const behind = Object.assign(new URL(url), { port: String(BOUNCER) }).href;
  const instances = PORTS.map(
    (port) => new Instance(port, { DATABASE_URL: behind, ORDERS_PER_MINUTE: '100' }),
  );
  await Promise.all(instances.map((instance) => instance.start()));
  const clients = PORTS.map((port) => new Http(port));
  later(() => Promise.resolve(clients.forEach((http) => http.close())));

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
