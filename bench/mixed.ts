import { withChildren } from './children.js';
import { profileFlags } from './check.js';
import { refuseWrong } from './load-plan.js';
import { onEachEngine, warmUp } from './engines.js';
import type { LoadRequest } from './load-plan.js';
import { type BenchOptions, median, type Report, round, type Target } from './options.js';
import { checkRequests, orderRequests, startService, writeRequests } from './service-fixture.js';

const CONNECTIONS = 32;
/** One order in this many requests: 5 %. */
const ONE_IN = 20;
/** The share of the throughput of checks alone at which the slowest are compared. */
const PACED_PART = 0.3;
const KEPT = { SQLite: 0.8, PostgreSQL: 0.9 };

/** Checks, and checks with orders, in turn; at full load and at a steady rate. */
export async function run(options: BenchOptions): Promise<Report> {
  const targets: Target[] = [];
  const groups = await onEachEngine(options, async (engine, fixture) =>
    withChildren(async (generator, keep) => {
      const checks = checkRequests(fixture);
      const alone = writeRequests(fixture, 'checks', checks);
      const orders = orderRequests(fixture);
      const ordersAlone = writeRequests(fixture, 'orders', orders);
      const mixed = writeRequests(fixture, 'mixed', mix(checks, orders, ONE_IN));
      const server = keep(await startService(fixture, engine, profileFlags(options)));
      const load = async (requests: string, rate?: number, duration = options.seconds) => {
        const result = await generator.load({
          port: server.port,
          connections: CONNECTIONS,
          duration,
          requests,
          sleeps: engine === 'PostgreSQL',
          ...(rate !== undefined && { rate }),
        });
        refuseWrong(server.name, result);
        return result.kinds;
      };
      const kept: number[] = [];
      const full: Awaited<ReturnType<typeof load>>[][] = [];
      for (let turn = 0; turn <= options.rounds; turn += 1) {
        options.say(`${engine}: ${turn === 0 ? 'warming up' : `round ${turn}`}`);
        if (turn === 0) await load(ordersAlone, undefined, warmUp(options));
        const [a, b] = [await load(alone), await load(mixed)];
        if (turn === 0) continue;
        full.push([a, b]);
        kept.push(b.check!.perSecond / a.check!.perSecond);
      }
      const rate = Math.round(median(full.map(([a]) => a!.check!.perSecond)) * PACED_PART);
      const paced: typeof full = [];
      for (let turn = 0; turn < Math.max(3, options.rounds); turn += 1) {
        paced.push([await load(alone, rate), await load(mixed, rate)]);
      }
      const ratio = median(kept);
      targets.push({
        target: `${engine}: checks keep ${KEPT[engine] * 100} % of their throughput with 5 % orders`,
        measured: `${round(ratio * 100)} %`,
        met: ratio >= KEPT[engine],
      });
      const rows = [
        { what: 'checks alone', taken: full, at: 0 },
        { what: 'with 5 % orders', taken: full, at: 1 },
        { what: `checks alone, at ${rate}/s`, taken: paced, at: 0 },
        { what: `with 5 % orders, at ${rate}/s`, taken: paced, at: 1 },
      ];
      return rows.map(({ what, taken, at }) => {
        const of = (kind: string, key: 'perSecond' | 'p50' | 'p99' | 'p999') =>
          median(taken.map((turn) => turn[at]![kind]?.[key] ?? NaN));
        return {
          load: `${engine}, ${what}`,
          'checks/s': round(of('check', 'perSecond')),
          'p50 ms': round(of('check', 'p50'), 2),
          'p99 ms': round(of('check', 'p99'), 1),
          'p99.9 ms': round(of('check', 'p999'), 1),
          ...(at === 1 && {
            'orders/s': round(of('order', 'perSecond')),
            'order p50 ms': round(of('order', 'p50'), 1),
            'order p99 ms': round(of('order', 'p99'), 1),
          }),
        };
      });
    }),
  );
  return { title: 'Checks with orders among them', rows: groups.flat(), targets };
}

/** @param oneIn an order comes once in this many requests */
export function mix(
  checks: readonly LoadRequest[],
  orders: readonly LoadRequest[],
  oneIn: number,
): LoadRequest[] {
  return checks.map((check, i) => (i % oneIn === 0 ? orders[(i / oneIn) % orders.length]! : check));
}
