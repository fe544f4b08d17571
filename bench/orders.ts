import { runPinned, withChildren } from './children.js';
import { profileFlags, refuseWrong } from './check.js';
import { onEachEngine, warmUp } from './engines.js';
import { type BenchOptions, median, type Report, round, type Target } from './options.js';
import { orderRequests, startService, writeRequests } from './service-fixture.js';

const CONNECTIONS = 32;

/** Orders a second of the service, in turn with bare inserts of the driver. */
export async function run(options: BenchOptions): Promise<Report> {
  const targets: Target[] = [];
  const rows = await onEachEngine(options, async (engine, fixture) =>
    withChildren(async (generator, keep) => {
      const requests = writeRequests(fixture, 'orders', orderRequests(fixture));
      const server = keep(await startService(fixture, engine, profileFlags(options)));
      const samples: { bare: number; perSecond: number; p50: number; p99: number; cpu: number }[] =
        [];
      for (let turn = 0; turn <= options.rounds; turn += 1) {
        options.say(`${engine}: ${turn === 0 ? 'warming up' : `round ${turn}`}`);
        const bare = Number(
          await runPinned('./bare-insert.js', {
            ...fixture.environment,
            ...(fixture.environment.SQLITE_FILE !== undefined && {
              SQLITE_FILE: `${fixture.environment.SQLITE_FILE}.bare`,
            }),
            BENCH_SECONDS: String(options.seconds),
          }),
        );
        const before = server.cpuSeconds;
        const result = await generator.load({
          port: server.port,
          connections: CONNECTIONS,
          duration: turn === 0 ? warmUp(options) : options.seconds,
          requests,
          sleeps: engine === 'PostgreSQL',
        });
        refuseWrong(server.name, result);
        const { order } = result.kinds;
        const cpu = ((server.cpuSeconds - before) * 1e6) / order!.count;
        if (turn > 0) samples.push({ ...order!, bare, cpu });
      }
      const of = (key: keyof (typeof samples)[0]) => median(samples.map((one) => one[key]));
      const ratio = median(samples.map(({ perSecond, bare }) => perSecond / bare));
      targets.push({
        target: `${engine}: at least 70 % of the bare durable insert rate`,
        measured: `${round(ratio * 100)} %`,
        met: ratio >= 0.7,
      });
      return {
        engine,
        'orders/s': round(of('perSecond')),
        'bare inserts/s': round(of('bare')),
        '÷ bare': round(ratio, 2),
        'CPU µs an order': round(of('cpu')),
        'p50 ms': round(of('p50'), 1),
        'p99 ms': round(of('p99'), 1),
      };
    }),
  );
  return {
    title: 'Order requests',
    rows,
    targets,
    notes: [
      'An order is validated, looks for an earlier twin, and writes an order and an audit entry in one durable transaction; the bare insert is one row.',
    ],
  };
}
