import { describe, expect, it } from '@jest/globals';
import { serviceVersion } from '../../src/platform/config/version.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { HealthService } from '../../src/ops/health.service.js';
import { MetricsService } from '../../src/ops/metrics.service.js';
import { listenForOps } from '../../src/app.js';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { until } from '../support/catalogue.js';
import { FakeClock } from '../support/fake-clock.js';
import { later } from '../support/closing.js';
import { Http } from '../support/http.js';
import { PostgresMachine } from '../support/postgres-machine.js';
import { onBothEngines, startService } from '../support/service.js';

const LOOK = '/product-availability/postcode';
const ORDER = '/product-availability/order';
const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
const READY = '/health/ready';
const READY_FOR_ORDERS = '/health/ready/orders';
const well = {
  status: 'ready',
  catalogue: true,
  database: true,
  databaseReadOnly: false,
  migrations: true,
  disk: true,
  bankHolidays: true,
  draining: false,
};

onBothEngines('the metrics', (engine) => {
  it('tell what happened, by route template', async () => {
    const service = await startService(engine);
    const { given, http } = service;
    await given.catalogue();
    const token = await given.token();
    await http.get(`${LOOK}/EC2A2BS`, { token });
    await http.get(`${LOOK}/AB101AB`, { token });
    await http.get(`${LOOK}/AB101AD`, { token });
    await http.get(`${LOOK}/nowhere`, { token });
    await http.get(`${LOOK}/EC2A2BS`);
    await http.get(`${LOOK}/EC2A2BS`, { token: `pas_live_${'x'.repeat(39)}` });
    const key = { 'Idempotency-Key': 'once' };
    for (let i = 0; i < 2; i += 1) await http.post(ORDER, wish, { token, headers: key });
    await http.post(ORDER, { ...wish, productCode: 'NONE' }, { token });
    await http.send({ method: 'PROPFIND', path: '/x' });
    await service.flushChecks();

    const ops = await listenForOps(
      { opsHost: '127.0.0.1', opsPort: 0 },
      service.get(MetricsService).withProcess(),
    );
    later(() => Promise.resolve(void ops.close()));
    const client = new Http((ops.address() as AddressInfo).port);
    later(() => Promise.resolve(client.close()));
    const { status, headers, body } = await client.get<string>('/metrics');
    expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')]);
    const lines = body.split('\n');
    const route = 'route="/product-availability/postcode/:postcode"';
    for (const line of [
      `http_request_duration_seconds_count{method="GET",${route},status="200"} 3`,
      `http_request_duration_seconds_bucket{le="+Inf",method="GET",${route},status="200"} 3`,
      `http_request_duration_seconds_count{method="GET",${route},status="400"} 1`,
      'http_request_duration_seconds_count{method="other",route="unmatched",status="404"} 1',
      'availability_lookups_total{result="available"} 1',
      'availability_lookups_total{result="none"} 2',
      'availability_lookups_total{result="invalid"} 1',
      'availability_orders_total{result="accepted"} 1',
      'availability_orders_total{result="replayed"} 1',
      'availability_orders_total{result="unknown-product"} 1',
      'availability_authentication_failures_total{reason="malformed"} 1',
      'availability_authentication_failures_total{reason="missing-token"} 1',
      'availability_orders_open{state="waiting"} 1',
      'availability_catalogue_version 1',
      'availability_catalogue_lag_versions 0',
      'availability_check_records_waiting 0',
      'availability_ready 1',
      'availability_ready_for_orders 1',
      'availability_database_read_only 0',
    ]) {
      expect(lines).toContain(line);
    }
    expect((await client.get('/')).status).toBe(404);

    // What the dashboard and the alerts ask for is there, and what is there is asked for.
    const told = [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    const asked = metricsIn('deploy/grafana/dashboard.json').concat(
      metricsIn('deploy/prometheus/alerts.yml'),
    );
    expect(asked.filter((name) => !told.includes(name))).toEqual([]);
    const own = told.filter((name) => /^(availability|http)_/.test(name));
    const shown = metricsIn('deploy/grafana/dashboard.json');
    expect(own.filter((name) => !shown.includes(name))).toEqual([]);
    const empty = own.filter((name) => !new RegExp(`^${name}\\S* `, 'm').test(body));
    const none = ['availability_backup_age_seconds', 'availability_cost_book_days'];
    if (engine === 'sqlite') none.push('availability_database_connections');
    expect(empty.sort()).toEqual(none.sort());
  });
});

function metricsIn(file: string): string[] {
  const names = readFileSync(file, 'utf8').match(/\b(?:availability|http|nodejs|process)_\w+/g);
  return names!.map((name) => name.replace(/(?<=^http_.*)_(?:bucket|count|sum)$/, ''));
}

/** Makes new sessions read-only or not, and with it ends the others. */
async function setReadOnly(url: string, readOnly: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET default_transaction_read_only = off');
  const [[name] = []] = (
    await client.query<[string]>({ text: 'SELECT current_database()', rowMode: 'array' })
  ).rows;
  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${readOnly}`);
  if (readOnly) {
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  }
  await client.end();
}

/** A look by the clock may be under way, which would answer for what has been, and lets no other begin. */
async function betweenLooks(health: HealthService): Promise<void> {
  const isLooking = () => (health as unknown as { looking: boolean }).looking;
  await until(() => !isLooking(), 30, 'no look is under way');
}

describe('health', () => {
  it('is ready, part by part', async () => {
    const { http, given } = await startService('sqlite');
    expect(await http.get(READY)).toMatchObject({
      status: 503,
      body: { ...well, status: 'not ready', catalogue: false },
    });
    await given.catalogue();
    expect(await http.get(READY)).toMatchObject({ status: 200, body: well });
  });

  it('stays ready for look-ups when the database has gone', async () => {
    const { http, given, app } = await startService('postgres');
    await given.catalogue();
    const token = await given.token();
    await app.get(Transactions).close();
    const health = app.get(HealthService);
    await betweenLooks(health);
    Object.assign(health, { databaseSeenAt: performance.now() - 5_001 });
    await health.look();
    expect(await http.get(READY)).toMatchObject({
      status: 200,
      body: { ...well, database: false },
    });
    expect((await http.get('/health/live')).body).toEqual({
      status: 'live',
      version: serviceVersion,
    });
    expect((await http.get(`${LOOK}/EC2A2BS`, { token })).status).toBe(200);
    expect((await http.post(ORDER, wish, { token })).status).toBeGreaterThanOrEqual(500);
  });

  it('is ready for checks only while the database refuses writes, and leaves that server', async () => {
    const service = await startService('postgres');
    const { http, given, app, config } = service;
    await given.catalogue();
    const token = await given.token();
    const order = async () => (await http.post(ORDER, wish, { token })).status;
    expect([await order(), (await http.get(READY_FOR_ORDERS)).status]).toEqual([201, 200]);

    await setReadOnly(config.databaseUrl!, true);
    const health = app.get(HealthService);
    await until(
      async () => (await health.look(), health.databaseIsReadOnly),
      20,
      'the database is seen to be read-only',
    );
    const readOnly = { ...well, database: false, databaseReadOnly: true };
    expect(await http.get(READY)).toMatchObject({ status: 200, body: readOnly });
    expect(await http.get(READY_FOR_ORDERS)).toMatchObject({
      status: 503,
      body: { ...readOnly, status: 'not ready' },
    });
    const { text } = await app.get(MetricsService).read();
    expect(text).toMatch(/^availability_database_read_only 1$/m);
    expect(text).toMatch(/^availability_ready_for_orders 0$/m);
    expect(text).toMatch(/^availability_part_ok\{part="database"\} 0$/m);
    // Connections that stay read-only, as those to a former primary.
    const reads = Array.from({ length: 6 }, () =>
      app.get(Transactions).read((tx) => tx.query('SELECT pg_sleep(0.1)')),
    );
    await Promise.all(reads);
    expect(await order()).toBe(503);

    await setReadOnly(config.databaseUrl!, false);
    await order(); // May still meet one of them.
    const statuses = [];
    for (let n = 0; n < 6; n += 1) statuses.push(await order());
    expect(statuses).toEqual(Array(6).fill(201));
    await health.look();
    expect((await http.get(READY_FOR_ORDERS)).status).toBe(200);
  });

  it('is not ready for orders as soon as a look at the database fails', async () => {
    const { http, given, app } = await startService('postgres');
    await given.catalogue();
    await app.get(Transactions).close();
    await app.get(HealthService).look();
    expect(await http.get(READY)).toMatchObject({ status: 200, body: { status: 'ready' } });
    expect(await http.get(READY_FOR_ORDERS)).toMatchObject({
      status: 503,
      body: { status: 'not ready' },
    });
  });

  it('answers without waiting for a look at the database', async () => {
    const { http, given, app } = await startService('sqlite');
    await given.catalogue();
    const health = app.get(HealthService);
    await betweenLooks(health);
    // No look ends until the answer is there. Then it ends, because a stop waits for it.
    const answered = Promise.withResolvers<void>();
    Object.assign(health, { look: () => answered.promise });
    expect(await http.get(READY)).toMatchObject({ status: 200, body: well });
    answered.resolve();
  });

  it('says that the database is away while PostgreSQL is frozen, and stays ready', async () => {
    const machine = await PostgresMachine.start();
    const { http, given, app } = await startService('postgres', {
      database: await machine.newDatabase(),
    });
    await given.catalogue();
    await machine.freeze();
    const health = app.get(HealthService);
    await betweenLooks(health);
    await health.look();
    // What it said last is nearly old.
    Object.assign(health, { databaseSeenAt: performance.now() - 4_500 });
    const seesDatabase = async () => {
      const { status, body } = await http.get<{ database: boolean }>(READY);
      expect(status).toBe(200);
      return body.database;
    };
    await until(async () => !(await seesDatabase()), 20, 'the frozen database counts as away');
    await machine.thaw();
    await until(seesDatabase, 20, 'the thawed database is seen again');
  });

  it('warns before the bank holidays run out', async () => {
    const { http, given, clock } = await startService('sqlite', {
      clock: new FakeClock(new Date('2028-06-01T00:00:00Z')),
    });
    await given.catalogue();
    expect((await http.get(READY)).body).toMatchObject({ bankHolidays: true, warnings: [] });
    clock.advance({ days: 60 });
    expect(await http.get(READY)).toMatchObject({
      status: 200,
      body: { bankHolidays: false, warnings: [expect.stringMatching(/run out in 154 days/)] },
    });
  });

  it('is not ready on a schema that lacks a migration', async () => {
    const { http, given, app } = await startService('sqlite');
    await given.catalogue();
    await app.get(Transactions).run((tx) => tx.query('DELETE FROM migrations'));
    await betweenLooks(app.get(HealthService));
    await app.get(HealthService).look();
    expect(await http.get(READY)).toMatchObject({
      status: 503,
      body: { ...well, status: 'not ready', migrations: false },
    });
  });

  it('is not ready when it drains', async () => {
    const { http, given, app } = await startService('sqlite');
    await given.catalogue();
    app.get(HealthService).drain();
    expect(await http.get(READY)).toMatchObject({
      status: 503,
      body: { ...well, status: 'not ready', draining: true },
    });
  });
});
