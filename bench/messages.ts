import { withChildren } from './children.js';
import { profileFlags } from './check.js';
import { onEachEngine, warmUp } from './engines.js';
import { refuseWrong } from './load-plan.js';
import { mix } from './mixed.js';
import { type BenchOptions, median, type Report, round } from './options.js';
import {
  messageRequests,
  orderRequests,
  placeOrders,
  startService,
  writeRequests,
} from './service-fixture.js';

const CONNECTIONS = 32;
/** Orders a second. */
const ORDERS = 200;
/** One message in this many requests. */
const ONE_IN = 11;
/** A client writes about one of them at most 50 times a day. */
const SUBJECTS = 400;

/** How long a message waits for its answer while orders come in, and how long orders wait for it. */
export async function run(options: BenchOptions): Promise<Report> {
  const groups = await onEachEngine(options, async (engine, fixture) =>
    withChildren(async (generator, keep) => {
      const server = keep(await startService(fixture, engine, profileFlags(options)));
      const orders = orderRequests(fixture);
      options.say(`${engine}: placing ${SUBJECTS} orders to write about`);
      const messages = messageRequests(fixture, await placeOrders(fixture, server.port, SUBJECTS));
      const alone = writeRequests(fixture, 'orders', orders);
      const mixed = writeRequests(fixture, 'messages', mix(orders, messages, ONE_IN));
      const load = async (requests: string, rate: number, duration = options.seconds) => {
        const { port } = server;
        const sleeps = engine === 'PostgreSQL';
        const plan = { port, connections: CONNECTIONS, duration, requests, rate, sleeps };
        const result = await generator.load(plan);
        refuseWrong(server.name, result);
        return result.kinds;
      };
      const both = (ORDERS * ONE_IN) / (ONE_IN - 1);
      await load(mixed, both, warmUp(options));
      const taken: Awaited<ReturnType<typeof load>>[][] = [];
      for (let turn = 1; turn <= options.rounds; turn += 1) {
        options.say(`${engine}: round ${turn}`);
        taken.push([await load(alone, ORDERS), await load(mixed, both)]);
      }
      const rows = [
        { what: 'orders alone', kind: 'order', at: 0 },
        { what: 'orders with messages', kind: 'order', at: 1 },
        { what: 'messages', kind: 'message', at: 1 },
      ];
      return rows.map(({ what, kind, at }) => {
        const of = (key: 'perSecond' | 'p50' | 'p99' | 'max') =>
          round(median(taken.map((turn) => turn[at]![kind]?.[key] ?? NaN)), 1);
        return {
          load: `${engine}, ${what}`,
          'a second': of('perSecond'),
          'p50 ms': of('p50'),
          'p99 ms': of('p99'),
          'longest ms': of('max'),
        };
      });
    }),
  );
  return { title: `Messages beside ${ORDERS} orders a second`, rows: groups.flat() };
}
