import { Ledger } from '../test/support/ledger.js';
import { startPostgres } from '../test/support/postgres.js';
import { refuseWrong } from './load-plan.js';
import { type Server, withChildren } from './children.js';
import { type BenchOptions, median, type Report, round } from './options.js';
import { postgresUse } from './postgres-use.js';
import {
  checkRequests,
  makeService,
  orderRequests,
  startService,
  withFolder,
  writeRequests,
} from './service-fixture.js';

const UNITS = 50_000;
const CONNECTIONS = 32;
const MOST = 3;

/** N instances share one PostgreSQL. On two cores the throughput cannot grow with N: see what each costs. */
export async function run(options: BenchOptions): Promise<Report> {
  return withFolder(async (folder) => {
    const own =
      options.databaseUrl === undefined ? await startPostgres({ durable: true }) : undefined;
    const url = options.databaseUrl ?? own!.url;
    const database = new Ledger({ sqliteFile: '', databaseUrl: url });
    try {
      const fixture = await makeService(folder, UNITS, options.postcodes, url);
      const loads = {
        order: writeRequests(fixture, 'orders', orderRequests(fixture)),
        check: writeRequests(fixture, 'checks', checkRequests(fixture)),
      };
      const rows: Report['rows'][number][] = [];
      await withChildren(async (generator, keep) => {
        const servers: Server[] = [];
        for (let n = 1; n <= MOST; n += 1) {
          servers.push(keep(await startService(fixture, `instance ${n}`)));
          for (const kind of ['order', 'check'] as const) {
            const samples: Record<string, number>[] = [];
            for (let turn = 0; turn <= options.rounds; turn += 1) {
              options.say(
                `${n} instances, ${kind}s: ${turn === 0 ? 'warming up' : `round ${turn}`}`,
              );
              const before = await postgresUse(database);
              const cpu = total(servers);
              const result = await generator.load({
                port: servers[0]!.port,
                morePorts: servers.slice(1).map(({ port }) => port),
                connections: CONNECTIONS,
                duration: options.seconds,
                requests: loads[kind],
                sleeps: true,
              });
              refuseWrong(`${n} instances`, result);
              const after = await postgresUse(database);
              if (turn === 0) continue;
              const { count, perSecond, p99 } = result.kinds[kind]!;
              samples.push({
                perSecond,
                p99,
                service: ((total(servers) - cpu) * 1e6) / count,
                postgres: ((after.cpu - before.cpu) * 1e6) / count,
                wal: (after.walBytes - before.walBytes) / count,
                commits: (after.commits - before.commits) / count,
              });
            }
            const of = (key: string) => median(samples.map((one) => one[key]!));
            rows.push({
              instances: n,
              load: `${kind}s`,
              'a second': round(of('perSecond')),
              'p99 ms': round(of('p99'), 1),
              'service CPU µs': round(of('service')),
              'PostgreSQL CPU µs': round(of('postgres')),
              'WAL bytes': round(of('wal')),
              commits: round(of('commits'), 3),
            });
          }
        }
      });
      return { title: 'Instances on one PostgreSQL', rows, targets: [] };
    } finally {
      await own?.stop();
    }
  });
}

const total = (servers: readonly Server[]) =>
  servers.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
