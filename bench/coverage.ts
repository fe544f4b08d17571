import { readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NATIONAL } from './catalogue-fixture.js';
import { refuseWrong } from './load-plan.js';
import { type Server, withChildren } from './children.js';
import { type BenchOptions, type Report, round, type Target } from './options.js';
import {
  checkRequests,
  command,
  issueToken,
  makeService,
  type ServiceFixture,
  startService,
  withFolder,
  writeRequests,
} from './service-fixture.js';

const PREMISES = 100_000;
/** MB by which a download may raise the resident memory. */
const MEMORY = 16;
/** By which the p99 of checks may rise beside a download, in milliseconds. */
const CHECKS_MAY_RISE = 20;
const CHECKS = { connections: 8, rate: 500 };
/** Of a client at the end of a slow line. */
const SLOW = 1_000_000;
/** Of this many units, one gets another zone. */
const CHANGED = 1_000;
const PATH = '/product-availability/coverage';

interface Download {
  readonly status: number;
  readonly etag: string;
  readonly bytes: number;
  readonly seconds: number;
}

/** Whole downloads, changes and 304 of the national coverage; then checks at a steady rate, alone and beside them. */
export async function run(options: BenchOptions): Promise<Report> {
  return withFolder((folder) =>
    withChildren(async (generator, keep) => {
      const made = await makeService(folder, NATIONAL, options.postcodes, undefined, PREMISES);
      // The limit of downloads an hour would end the measurement.
      const off = { ALLOW_INSECURE: 'no-rate-limits' };
      const fixture = { ...made, environment: { ...made.environment, ...off } };
      const token = await issueToken(fixture.environment, 'Bench', 'coverage:read');
      const requests = writeRequests(fixture, 'checks', checkRequests(fixture));
      const server = keep(await startService(fixture));
      const rows: Record<string, string | number>[] = [];
      const targets: Target[] = [];

      const checks = async (what: string) => {
        options.say(`checks ${what}`);
        const plan = { port: server.port, ...CHECKS, duration: options.seconds, requests };
        const result = await generator.load({ ...plan, sleeps: true });
        refuseWrong(server.name, result);
        const { count, p50, p99, max } = result.kinds.check!;
        rows.push({ what: `checks ${what}`, count, p50, p99, max });
        return p99;
      };
      const ask = (about: Omit<Asking, 'port' | 'token'> = {}) =>
        download({ port: server.port, token, ...about });
      const measure = async (what: string, about: Omit<Asking, 'port' | 'token'>) => {
        options.say(what);
        const [before, cpu] = [server.memory, server.cpuSeconds];
        const [done, most] = await watchingMemory(server, ask(about));
        rows.push({
          what,
          status: done.status,
          MB: round(done.bytes / 1e6, 2),
          seconds: round(done.seconds, 2),
          'CPU s': round(server.cpuSeconds - cpu, 2),
          'MB held': round(most - before, 1),
        });
        return { ...done, held: most - before };
      };

      await checks('to warm up');
      const alone = await checks('alone');
      const held: number[] = [];
      for (const [what, about] of [
        ['the first whole download', {}],
        ['a whole download', {}],
        ['a whole download, gzip', { headers: { 'Accept-Encoding': 'gzip' } }],
        ['a whole download as CSV', { headers: { Accept: 'text/csv' } }],
      ] as const) {
        held.push((await measure(what, about)).held);
      }
      const { etag } = await measure('304', { headers: { 'If-None-Match': (await ask()).etag } });
      targets.push({
        target: `a download holds at most ${MEMORY} MB`,
        measured: `${round(Math.max(...held), 1)} MB`,
        met: Math.max(...held) <= MEMORY,
      });

      const beside = async (what: string, about: Omit<Asking, 'port' | 'token'>) => {
        const ending = new AbortController();
        const downloading = (async () => {
          while (!ending.signal.aborted) await ask({ ...about, signal: ending.signal });
        })();
        const p99 = await checks(`beside ${what}`).finally(() => {
          ending.abort();
          return downloading;
        });
        targets.push({
          target: `the p99 of checks rises by at most ${CHECKS_MAY_RISE} ms beside ${what}`,
          measured: `${round(p99 - alone, 1)} ms`,
          met: p99 - alone <= CHECKS_MAY_RISE,
        });
      };
      await beside('fast downloads', {});
      await beside('fast downloads, gzip', { headers: { 'Accept-Encoding': 'gzip' } });
      await beside('a slow download', { bytesPerSecond: SLOW });

      await publishChange(fixture);
      while ((await ask({ path: `/changes?since=${etag}` })).etag === etag) await sleep(100);
      const changes = { path: `/changes?since=${encodeURIComponent(etag)}` };
      await measure(`changes of ${NATIONAL / CHANGED} places`, changes);
      await beside('downloads of changes', changes);
      return {
        title: `Coverage sync: ${NATIONAL.toLocaleString('en-GB')} units and ${PREMISES.toLocaleString('en-GB')} premises, SQLite`,
        rows,
        targets,
        notes: ['MB held: what the resident memory rises above what it was before.'],
      };
    }),
  );
}

/** Gives one unit of a thousand another zone, but none that is asked for: the answers to checks stay. */
async function publishChange({ catalogue, environment }: ServiceFixture): Promise<void> {
  const file = join(catalogue.folder, 'coverage.csv');
  const asked = new Set(catalogue.asked.map(({ postcode }) => postcode));
  const lines = readFileSync(file, 'utf8').split('\n');
  const changed = lines.map((line, i) => {
    const [place = '', zone] = line.split(',');
    if (i % CHANGED !== 1 || place === '' || asked.has(place)) return line;
    return `${place},${zone === 'BENCH-B' ? 'BENCH-C' : 'BENCH-B'}`;
  });
  writeFileSync(file, changed.join('\n'));
  await command(environment, 'catalogue', 'import', catalogue.folder, '--activate');
}

/** @returns what `work` does, and the most MB of the server meanwhile */
async function watchingMemory<T>(server: Server, work: Promise<T>): Promise<[T, number]> {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, server.memory)), 20);
  const result = await work.finally(() => clearInterval(timer));
  return [result, Math.max(most, server.memory)];
}

interface Asking {
  readonly port: number;
  readonly token: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** By default as fast as it comes. */
  readonly bytesPerSecond?: number;
  readonly signal?: AbortSignal;
}

/** Reads and discards a download, until the signal. */
async function download(asking: Asking): Promise<Download> {
  const { port, token, path = '', bytesPerSecond, signal } = asking;
  const headers = { Authorization: `Bearer ${token}`, ...asking.headers };
  const begin = performance.now();
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ host: '127.0.0.1', port, path: PATH + path, headers }, resolve).on('error', reject),
  );
  const { statusCode: status = 0 } = response;
  if (status >= 400) throw new Error(`${path} was answered ${status}.`);
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (signal?.aborted) break;
    if (bytesPerSecond) await sleep((chunk.length / bytesPerSecond) * 1_000);
  }
  const seconds = (performance.now() - begin) / 1_000;
  return { status, etag: response.headers.etag!, bytes, seconds };
}
