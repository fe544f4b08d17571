import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { newDatabase } from '../support/databases.js';
import { Http } from '../support/http.js';
import { startService } from '../support/service.js';
import { Instance, isInstalled, runWithFile } from './processes.js';

const PROMETHEUS = 41_550;
const INSTANCES = [41_551, 41_552, 41_553];
const METRICS = [41_554, 41_555, 41_556];
const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };

/** The deployed file, with the addresses of the test. It scrapes and evaluates every second. */
const configuration = readFileSync('deploy/prometheus/prometheus.yml', 'utf8')
  .replace('15s', '1s\n  evaluation_interval: 1s')
  .replace('alerts.yml', resolve('deploy/prometheus/alerts.yml'))
  .replace(
    /^ +- targets: .*/m,
    `      - targets: [${METRICS.map((port) => `'127.0.0.1:${port}'`).join(', ')}]`,
  );

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

interface Result {
  readonly status: string;
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

interface Rules {
  readonly data: {
    readonly groups: readonly {
      readonly rules: readonly {
        readonly name: string;
        readonly health: string;
        readonly state: string;
      }[];
    }[];
  };
}

test('every query of the dashboard finds data, and every alert can be evaluated', async () => {
  if (!isInstalled('prometheus')) {
    throw new Error('prometheus is needed: apt-get install prometheus');
  }
  const database = await newDatabase('postgres', 'empty');
  const seed = await startService('postgres', { database });
  await seed.given.catalogue();
  const token = await seed.given.token({ days: 3_650 });
  const instances = INSTANCES.map(
    (port, i) =>
      new Instance(port, {
        DATABASE_URL: database.databaseUrl!,
        OPS_PORT: String(METRICS[i]),
        LOG_LEVEL: 'warn',
      }),
  );
  await Promise.all(instances.map((instance) => instance.start()));
  const flags = (file: string) => [
    `--config.file=${file}`,
    `--storage.tsdb.path=${file}-data`,
    `--web.listen-address=127.0.0.1:${PROMETHEUS}`,
  ];
  await runWithFile('prometheus', flags, configuration, PROMETHEUS);
  const prometheus = new Http(PROMETHEUS);
  const clients = INSTANCES.map((port) => new Http(port));
  later(() => Promise.resolve([prometheus, ...clients].forEach((http) => http.close())));
  for (let i = 0; i < 100; i += 1) {
    const http = clients[i % clients.length]!;
    const look = '/product-availability/postcode/';
    await http.get(`${look}${i % 2 ? 'EC2A2BS' : 'AB101AB'}`, { token });
    if (i % 10 === 0) await http.post('/product-availability/order', wish, { token });
    if (i % 20 === 0) await http.get(`${look}EC2A2BS`);
    await wait(100);
  }

  const dashboard = JSON.parse(readFileSync('deploy/grafana/dashboard.json', 'utf8')) as {
    panels: readonly Panel[];
  };
  const queries = dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ title, query: expr.replaceAll('$__rate_interval', '30s') })),
  );
  const seen = [];
  for (const { title, query } of queries) {
    const path = `/api/v1/query?query=${encodeURIComponent(query)}`;
    const { body } = await prometheus.get<Result>(path);
    const values = body.data?.result.map(({ value }) => value[1]) ?? [];
    seen.push({ title, status: body.status, found: values.some((value) => value !== 'NaN') });
    const few = values.slice(0, 4).map((value) => String(Number(Number(value).toPrecision(3))));
    process.stdout.write(`${title}: ${values.length} series: ${few.join(', ')}\n`);
  }
  expect(seen.filter(({ status, found }) => status !== 'success' || !found)).toEqual([]);
  expect(seen.length).toBeGreaterThan(20);

  const { body } = await prometheus.get<Rules>('/api/v1/rules');
  const rules = body.data.groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  expect(rules.filter(({ state }) => state === 'firing')).toEqual([]);
  for (const instance of instances) expect(await instance.stop()).toBe(0);
});
