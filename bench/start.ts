import { NATIONAL } from './catalogue-fixture.js';
import { withChildren } from './children.js';
import { type BenchOptions, median, type Report, round } from './options.js';
import { makeService, startService, withFolder } from './service-fixture.js';

/** Milliseconds after the start at which memory is read: V8 has released unused memory by then. */
const IDLE = 120_000;

/** The time from the start until `/health/ready` answers 200, and the idle memory. */
export async function run(options: BenchOptions): Promise<Report> {
  return withFolder(async (folder) => {
    const fixture = await makeService(folder, NATIONAL, options.postcodes);
    const times: number[] = [];
    let size = NaN;
    for (let turn = 1; turn <= options.rounds; turn += 1) {
      options.say(`start ${turn} of ${options.rounds}`);
      await withChildren(async (_generator, keep) => {
        const begin = performance.now();
        const server = keep(await startService(fixture));
        await untilReady(server.port);
        times.push(performance.now() - begin);
        if (turn < options.rounds) return;
        await new Promise((resolve) => setTimeout(resolve, options.quick ? 500 : IDLE));
        size = server.memory;
      });
    }
    const time = median(times);
    return {
      title: 'Start and idle memory, with the national catalogue',
      rows: [
        { figure: 'start to ready, s', median: round(time / 1_000, 2) },
        { figure: 'memory after two idle minutes, MB resident', median: round(size) },
      ],
      targets: [
        {
          target: 'ready in at most 2 s',
          measured: `${round(time / 1_000, 2)} s`,
          met: time <= 2_000,
        },
        { target: 'at most 150 MB idle', measured: `${round(size)} MB`, met: size <= 150 },
      ],
    };
  });
}

async function untilReady(port: number): Promise<void> {
  for (;;) {
    const { status } = await fetch(`http://127.0.0.1:${port}/health/ready`);
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
