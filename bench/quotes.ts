import { withChildren } from './children.js';
import { refuseWrong } from './check.js';
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
async function makeQuote({ token }: ServiceFixture, port: number, body: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const begin = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/product-availability/quote`, {
    ...{ method: 'POST', headers, body },
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`A quote was answered ${response.status}: ${text}`);
  return performance.now() - begin;
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
