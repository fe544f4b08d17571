import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from '../src/clients/api-client.entity.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { NATIONAL } from './catalogue-fixture.js';
import { measureForms } from './check-forms.js';
import { type Generator, Server, withChildren } from './children.js';
import { refuseWrong } from './load-plan.js';
import { type BenchOptions, median, type Report, round } from './options.js';
import {
  checkRequests,
  fillOrders,
  makeService,
  pathOf,
  type ServiceFixture,
  startService,
  withApp,
  withFolder,
  writeRequests,
} from './service-fixture.js';

const CONNECTIONS = 32;
/** The share of the service's throughput at which latencies are compared. */
const PACED_PART = 0.5;
const TRACKED = 'the check with track';

interface Sample {
  readonly perSecond: number;
  readonly cpu: number;
  readonly toRaw: number;
  readonly p50: number;
  readonly p99: number;
}

export async function run(options: BenchOptions): Promise<readonly Report[]> {
  return withFolder(async (folder) => {
    const fixture = await makeService(folder, NATIONAL, options.postcodes);
    options.say(`a catalogue of ${fixture.catalogue.units} units is loaded`);
    const requests = writeRequests(fixture, 'checks', checkRequests(fixture));
    const withoutAnswers = checkRequests(fixture).map(({ kind, text, status }) => ({
      kind,
      text,
      status,
    }));
    const tracked = writeRequests(fixture, 'tracked', withoutAnswers);
    await fillTracks(fixture);
    const copy = join(folder, 'tracks.sqlite');
    copyFileSync(fixture.environment.SQLITE_FILE!, copy);
    return withChildren(async (generator, keep) => {
      const service = keep(await startService(fixture, 'the check', profileFlags(options)));
      const environment = { BENCH_ANSWERS: await writeAnswers(fixture, service.port) };
      const bare = async (name: string, script: string, more: Record<string, string> = {}) =>
        keep(await Server.start(name, `./servers/${script}.js`, { ...environment, ...more }));
      const raw = await bare('raw node:http', 'raw');
      const contenders = [
        service,
        keep(await startWithTracks(fixture, copy)),
        await bare('one SQL look-up (raw, SQLite)', 'sql', {
          BENCH_DATABASE: join(folder, 'answers.sqlite'),
        }),
        await bare('bare Nest on Fastify', 'nest', { BENCH_PLATFORM: 'fastify' }),
        await bare('bare Express', 'express'),
        await bare('bare Nest on Express', 'nest'),
      ];
      return [
        await measure(options, generator, raw, contenders, { requests, tracked }),
        await measureForms(options, folder, generator, keep),
      ];
    });
  });
}

/** Orders that went live in every zone. */
async function fillTracks({ environment }: ServiceFixture): Promise<void> {
  await fillOrders(3_000, environment);
  await withApp(environment, (app) =>
    app.get(Transactions, { strict: false }).run(async (tx) => {
      const clients = await tx.find(ApiClient);
      const [first, second, third] = clients.map(({ id }) => `'${id}'`);
      await tx.query(`UPDATE orders SET zone = 'BENCH-' || substr('ABC', 1 + substr(client_reference, 4) % 7 % 3, 1),
        client_id = CASE substr(client_reference, 4) / 12 % 3 WHEN 0 THEN ${first} WHEN 1 THEN ${second} ELSE ${third} END`);
    }),
  );
}

/** The check with `track`, on a copy of the database. */
async function startWithTracks(fixture: ServiceFixture, file: string): Promise<Server> {
  const environment = { ...fixture.environment, SQLITE_FILE: file, PUBLISH_TRACK: 'all' };
  const server = await startService({ ...fixture, environment }, TRACKED);
  const sold = fixture.catalogue.asked.find(({ products }) => products.length > 0)!;
  while (!(await (await ask(fixture, server.port, sold.postcode)).text()).includes('"p80"')) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return server;
}

function ask({ token }: ServiceFixture, port: number, postcode: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}` };
  return fetch(`http://127.0.0.1:${port}${pathOf(postcode)}`, { headers });
}

export function profileFlags({ profile }: BenchOptions): string[] {
  return profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
}

/** Measures each contender between two rounds of the raw server, and compares it with them. */
async function measure(
  options: BenchOptions,
  generator: Generator,
  raw: Server,
  contenders: readonly Server[],
  { requests, tracked }: Readonly<Record<'requests' | 'tracked', string>>,
): Promise<Report> {
  const samples = new Map<Server, Sample[]>([raw, ...contenders].map((server) => [server, []]));
  let busiest = 0;
  let away = 0;
  const load = async (server: Server, duration: number, rate?: number) => {
    const before = server.cpuSeconds;
    const result = await generator.load({
      port: server.port,
      connections: CONNECTIONS,
      duration,
      requests: server.name === TRACKED ? tracked : requests,
      ...(rate !== undefined && { rate }),
    });
    refuseWrong(server.name, result);
    busiest = Math.max(busiest, result.generatorBusy);
    away = Math.max(away, result.generatorAway);
    const { check } = result.kinds;
    return { ...check!, cpu: ((server.cpuSeconds - before) * 1e6) / check!.count };
  };
  const take = (server: Server, taken: Awaited<ReturnType<typeof load>>, toRaw: number) =>
    samples.get(server)!.push({ ...taken, toRaw });

  for (const server of [raw, ...contenders]) await load(server, options.seconds);
  for (let turn = 1; turn <= options.rounds; turn += 1) {
    options.say(`round ${turn} of ${options.rounds}`);
    let before = await load(raw, options.seconds);
    take(raw, before, 1);
    for (const server of contenders) {
      const taken = await load(server, options.seconds);
      const after = await load(raw, options.seconds);
      take(raw, after, 1);
      take(server, taken, (2 * taken.perSecond) / (before.perSecond + after.perSecond));
      before = after;
    }
  }
  const of = (server: Server, key: keyof Sample) =>
    median(samples.get(server)!.map((sample) => sample[key]));
  const [service, withTracks] = contenders;
  const rate = Math.round(of(service!, 'perSecond') * PACED_PART);
  options.say(`waiting times at ${rate} requests a second`);
  const paced = new Map<Server, number[]>([raw, service!].map((server) => [server, []]));
  for (let turn = 0; turn < Math.max(3, options.rounds); turn += 1) {
    for (const [server, p99s] of paced) {
      p99s.push((await load(server, options.seconds, rate)).p99);
    }
  }
  const [rawP99, serviceP99] = [...paced.values()].map(median) as [number, number];
  const ratio = of(service!, 'toRaw');
  const more = median(
    samples.get(withTracks!)!.map(({ cpu }, i) => cpu / samples.get(service!)![i]!.cpu - 1),
  );
  const nest = contenders.at(-1)!;
  const percent = (part: number) => `${round(part * 100)} %`;
  return {
    title: 'A postcode check',
    rows: [raw, ...contenders].map((server) => ({
      server: server.name,
      'requests/s': round(of(server, 'perSecond')),
      '÷ raw': round(of(server, 'toRaw'), 2),
      'CPU µs': round(of(server, 'cpu'), 1),
      'p50 ms': round(of(server, 'p50'), 2),
      'p99 ms': round(of(server, 'p99'), 2),
      'memory MB': round(server.memory),
    })),
    targets: [
      {
        target: 'at least 60 % of raw node:http (75 % is the mark)',
        measured: percent(ratio),
        met: ratio >= 0.6,
      },
      {
        target: 'more than bare Nest on Express',
        measured: `${round(ratio / of(nest, 'toRaw'), 1)} times`,
        met: ratio > of(nest, 'toRaw'),
      },
      {
        target: 'with track, at most 1 % more CPU in the same round',
        measured: `${round(more * 100, 1)} %`,
        met: more <= 0.01,
      },
      {
        target: `p99 at most twice the raw server's, both at ${rate} requests/s`,
        measured: `${round(serviceP99, 2)} ms to ${round(rawP99, 2)} ms`,
        met: serviceP99 <= 2 * rawP99,
      },
    ],
    notes: [
      `${CONNECTIONS} connections; medians of ${options.rounds} rounds of ${options.seconds} s; every answer without track was compared, none was wrong.`,
      `The load generator used at most ${percent(busiest)} of its core, and had none for ${round(away * 100, 1)} % of the time: what was answered then is not timed.`,
    ],
  };
}

/** The bytes for the bare servers: one set of headers, and every body. */
async function writeAnswers(fixture: ServiceFixture, port: number): Promise<string> {
  const [first] = fixture.catalogue.asked;
  const response = await ask(fixture, port, first!.postcode);
  await response.text();
  const nodes = new Set(['date', 'connection', 'keep-alive', 'content-length']);
  const file = join(fixture.folder, 'answers.json');
  writeFileSync(
    file,
    JSON.stringify({
      headers: [...response.headers].filter(([name]) => !nodes.has(name)).flat(),
      answers: Object.fromEntries(
        fixture.catalogue.asked.map(({ postcode, answer }) => [
          pathOf(postcode),
          `{"id":"KR3FVJ7P2M${answer.join('2026-11-21T09:45:00.000Z')}`,
        ]),
      ),
    }),
  );
  return file;
}
