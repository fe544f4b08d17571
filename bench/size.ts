import { NATIONAL } from './catalogue-fixture.js';
import { withChildren } from './children.js';
import { refuseWrong } from './load-plan.js';
import { type BenchOptions, median, type Report, round } from './options.js';
import {
  checkRequests,
  makeService,
  startService,
  withFolder,
  writeRequests,
} from './service-fixture.js';

const SMALL = 1_000;
const CONNECTIONS = 32;

/** The same service with few and with many covered units, in turn. */
export async function run(options: BenchOptions): Promise<Report> {
  return withFolder(async (folder) =>
    withChildren(async (generator, keep) => {
      const contenders = [];
      for (const units of [SMALL, NATIONAL]) {
        const fixture = await makeService(folder, units, options.postcodes);
        const requests = writeRequests(fixture, `checks-${units}`, checkRequests(fixture));
        const server = keep(await startService(fixture, `${fixture.catalogue.units} units`));
        contenders.push({ server, requests, perSecond: [] as number[], cpu: [] as number[] });
      }
      // Twice the usual rounds, for a difference of a few per cent.
      for (let turn = 0; turn <= options.rounds * 2; turn += 1) {
        options.say(turn === 0 ? 'warming up' : `round ${turn} of ${options.rounds * 2}`);
        for (const { server, requests, perSecond, cpu } of contenders) {
          const before = server.cpuSeconds;
          const result = await generator.load({
            port: server.port,
            connections: CONNECTIONS,
            duration: options.seconds,
            requests,
          });
          refuseWrong(server.name, result);
          if (turn === 0) continue;
          const { check } = result.kinds;
          perSecond.push(check!.perSecond);
          cpu.push(((server.cpuSeconds - before) * 1e6) / check!.count);
        }
      }
      const [small, national] = contenders as [(typeof contenders)[0], (typeof contenders)[0]];
      const ratio = median(
        national.perSecond.map((perSecond, i) => perSecond / small.perSecond[i]!),
      );
      return {
        title: 'The check, by the size of the catalogue',
        rows: contenders.map(({ server, perSecond, cpu }) => ({
          catalogue: server.name,
          'requests/s': round(median(perSecond)),
          'CPU µs': round(median(cpu), 1),
          'memory MB': round(server.memory),
        })),
        targets: [
          {
            target: 'at 1.75 million units within 5 % of the figure at 1,000',
            measured: `${round(ratio * 100)} %`,
            met: ratio >= 0.95,
          },
        ],
      };
    }),
  );
}
