import { withChildren } from './children.js';
import { refuseWrong } from './load-plan.js';
import { onEachEngine } from './engines.js';
import { type BenchOptions, type Report, round, type Target } from './options.js';
import {
  checkRequests,
  type ServiceFixture,
  startService,
  writeRequests,
} from './service-fixture.js';

/** By the number of sites: the most milliseconds that 99 of 100 quotes may take. */
const LIMITS = new Map([
  [500, 300],
  [2_000, 1_200],
]);
/** By which the p99 of checks may rise beside quotes of 2,000 sites, in milliseconds. */
const CHECKS_MAY_RISE = 20;
/** Of the document of a quote of 500 sites, the first of the process included. */
const PDF_WITHIN = 2_000;
const PDF_SITES = 500;
const CHECKS = { connections: 8, rate: 500 };
const BESIDE = 2_000;

/** Quotes of many sites one after another; then checks at a steady rate, alone and beside them. */
export async function run(options: BenchOptions): Promise<Report> {
  const targets: Target[] = [];
  const groups = await onEachEngine(options, async (engine, fixture) =>
    withChildren(async (generator, keep) => {
      const requests = writeRequests(fixture, 'checks', checkRequests(fixture));
      const server = keep(await startService(fixture, engine));
      const rows: Record<string, string | number>[] = [];
      for (const [sites, limit] of LIMITS) {
        options.say(`${engine}: quotes of ${sites} sites`);
        const body = quoteOf(fixture, sites);
        for (let i = 0; i < 10; i += 1) await makeQuote(fixture, server.port, body);
        const times: number[] = [];
        const end = performance.now() + options.seconds * options.rounds * 1_000;
        while (performance.now() < end) times.push(await makeQuote(fixture, server.port, body));
        const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
        rows.push({ what: `${engine}, quotes of ${sites}`, count: times.length, p50, p99 });
        const target = `${engine}: ${sites} sites within ${limit} ms (p99)`;
        targets.push({ target, measured: `${round(p99)} ms`, met: p99 <= limit });
      }
      const printed = await printQuote(fixture, server.port, quoteOf(fixture, PDF_SITES));
      const slowest = Math.max(...printed);
      const what = `${engine}, the PDF of a quote of ${PDF_SITES}`;
      rows.push({ what, count: printed.length, p50: quantile(printed, 0.5), p99: slowest });
      targets.push({
        target: `${engine}: the PDF of ${PDF_SITES} lines within ${PDF_WITHIN} ms`,
        measured: `${round(slowest)} ms`,
        met: slowest <= PDF_WITHIN,
      });
      const checks = async () => {
        const plan = { port: server.port, ...CHECKS, duration: options.seconds, requests };
        const result = await generator.load({ ...plan, sleeps: engine === 'PostgreSQL' });
        refuseWrong(server.name, result);
        return result.kinds.check!;
      };
      await checks();
      const alone = await checks();
      const body = quoteOf(fixture, BESIDE);
      let isOver = false;
      const quoting = (async () => {
        while (!isOver) await makeQuote(fixture, server.port, body);
      })();
      const beside = await checks();
      isOver = true;
      await quoting;
      for (const [what, { count, p50, p99 }] of [
        ['checks alone', alone],
        [`checks beside quotes of ${BESIDE}`, beside],
      ] as const) {
        rows.push({ what: `${engine}, ${what}`, count, p50, p99 });
      }
      const rise = beside.p99 - alone.p99;
      targets.push({
        target: `${engine}: the p99 of checks rises by at most ${CHECKS_MAY_RISE} ms beside quotes`,
        measured: `${round(rise, 1)} ms`,
        met: rise <= CHECKS_MAY_RISE,
      });
      return rows;
    }),
  );
  return { title: 'Quotes of many sites', rows: groups.flat(), targets };
}

function quoteOf({ catalogue }: ServiceFixture, count: number): string {
  const sites = Array.from({ length: count }, (_, i) => ({
    site: `Site ${i + 1}`,
    postcode: catalogue.asked[i % catalogue.asked.length]!.postcode,
  }));
  return JSON.stringify({ wanted: { bandwidth: 0.1 }, sites });
}

/** @returns milliseconds until the quote is stored and acknowledged */
async function makeQuote(fixture: ServiceFixture, port: number, body: string): Promise<number> {
  return (await postQuote(fixture, port, body)).milliseconds;
}

async function postQuote({ token }: ServiceFixture, port: number, body: string) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const begin = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/product-availability/quote`, {
    ...{ method: 'POST', headers, body },
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`A quote was answered ${response.status}: ${text}`);
  const path = response.headers.get('Location')!;
  return { path, milliseconds: performance.now() - begin };
}

/** @returns milliseconds until each of ten documents of a new quote has arrived */
async function printQuote(fixture: ServiceFixture, port: number, body: string): Promise<number[]> {
  const { path } = await postQuote(fixture, port, body);
  const headers = { Authorization: `Bearer ${fixture.token}`, Accept: 'application/pdf' };
  const times: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    const begin = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    const { byteLength } = await response.arrayBuffer();
    if (!response.ok || byteLength === 0) throw new Error(`A PDF was answered ${response.status}.`);
    times.push(performance.now() - begin);
  }
  return times;
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
