import { Ledger } from '../test/support/ledger.js';
import { profileFlags } from './check.js';
import { refuseWrong } from './load-plan.js';
import { runPinned, withChildren } from './children.js';
import { onEachEngine, warmUp } from './engines.js';
import {
  type BareRate,
  type BenchOptions,
  median,
  type Report,
  round,
  type Target,
} from './options.js';
import { postgresUse } from './postgres-use.js';
import { makeChecks, orderRequests, startService, writeRequests } from './service-fixture.js';

const CONNECTIONS = 32;

/**
 * Orders a second of the service, in turn with bare inserts of the driver, and the processor time of each
 * part: the service has one core, the load generator the other, and PostgreSQL uses both.
 */
export async function run(options: BenchOptions): Promise<Report> {
  const targets: Target[] = [];
  const rows = await onEachEngine(options, async (engine, fixture) =>
    withChildren(async (generator, keep) => {
      const { environment } = fixture;
      const server = keep(await startService(fixture, engine, profileFlags(options)));
      const checks = options.checks ? await makeChecks(fixture, server.port) : undefined;
      const orders = orderRequests(fixture, options.keys, checks);
      const requests = writeRequests(fixture, 'orders', orders);
      const database =
        engine === 'PostgreSQL'
          ? new Ledger({ sqliteFile: '', databaseUrl: environment.DATABASE_URL! })
          : undefined;
      const use = async () => ({
        service: server.cpuSeconds,
        generator: generator.cpuSeconds,
        ...(database && (await postgresUse(database))),
      });
      const samples: Record<string, number>[] = [];
      for (let turn = 0; turn <= options.rounds; turn += 1) {
        options.say(`${engine}: ${turn === 0 ? 'warming up' : `round ${turn}`}`);
        const atStart = await use();
        const bare = JSON.parse(
          await runPinned('./bare-insert.js', {
            ...environment,
            ...(environment.SQLITE_FILE !== undefined && {
              SQLITE_FILE: `${environment.SQLITE_FILE}.bare`,
            }),
            BENCH_SECONDS: String(options.seconds),
          }),
        ) as BareRate;
        const before = await use();
        const result = await generator.load({
          port: server.port,
          connections: CONNECTIONS,
          duration: turn === 0 ? warmUp(options) : options.seconds,
          requests,
          sleeps: engine === 'PostgreSQL',
        });
        const after = await use();
        refuseWrong(server.name, result);
        const order = result.kinds.order!;
        const each = (from: number | undefined, to: number | undefined, count: number, unit = 1) =>
          ((to ?? 0) - (from ?? 0)) * (unit / count);
        if (turn === 0) continue;
        samples.push({
          perSecond: order.perSecond,
          p50: order.p50,
          p99: order.p99,
          bare: bare.perSecond,
          ratio: order.perSecond / bare.perSecond,
          service: each(before.service, after.service, order.count, 1e6),
          generator: each(before.generator, after.generator, order.count, 1e6),
          postgres: each(before.cpu, after.cpu, order.count, 1e6),
          commits: each(before.commits, after.commits, order.count),
          wal: each(before.walBytes, after.walBytes, order.count),
          bareDriver: bare.cpu,
          barePostgres: each(atStart.cpu, before.cpu, bare.count, 1e6),
        });
      }
      const of = (key: string) => median(samples.map((one) => one[key]!));
      targets.push({
        target: `${engine}: at least 70 % of the bare durable insert rate`,
        measured: `${round(of('ratio') * 100)} %`,
        met: of('ratio') >= 0.7,
      });
      return {
        engine,
        'orders/s': round(of('perSecond')),
        'bare inserts/s': round(of('bare')),
        '÷ bare': round(of('ratio'), 2),
        'service CPU µs': round(of('service')),
        'generator CPU µs': round(of('generator')),
        ...(database && {
          'PostgreSQL CPU µs': round(of('postgres')),
          commits: round(of('commits'), 3),
          'WAL bytes': round(of('wal')),
        }),
        'bare: driver CPU µs': round(of('bareDriver')),
        ...(database && { 'bare: PostgreSQL CPU µs': round(of('barePostgres')) }),
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
      'The figures of processor time are for each order, or for each row of the bare insert.',
    ],
  };
}
