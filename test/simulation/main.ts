/**
 * `npm run simulate`: histories of the whole business until one fails, or the time is over. `SEED` chooses the
 * first; `STEPS`, `ENGINE` and `ONLY` (numbers of steps) are as a failure prints them.
 */
import { parseArgs } from 'node:util';
import type { Engine } from '../support/databases.js';
import { startPostgres } from '../support/postgres.js';
import { makeTemplates } from '../support/templates.js';
import { Departure, runHistory } from './history.js';
import { shrink } from './shrink.js';

const print = (line: string) => void process.stdout.write(`${line}\n`);
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    engine: { type: 'string', default: process.env.ENGINE ?? 'sqlite' },
    verbose: { type: 'boolean', default: false },
    instances: { type: 'string', default: process.env.INSTANCES ?? '1' },
  },
});
const engine = values.engine as Engine;
const instances = Number(values.instances);
const own = process.env.TEST_POSTGRES_URL ? undefined : await startPostgres();
const server = (process.env.TEST_POSTGRES_URL ??= own!.url);
const removeTemplates = await makeTemplates(server);
const steps = Number(process.env.STEPS ?? 150);
const only = process.env.ONLY?.split(',').map(Number);
const first = Number(process.env.SEED ?? Date.now() % 1_000_000);
const isOne = process.env.SEED !== undefined && !process.argv.includes('--minutes');
const until = performance.now() + Number(values.minutes) * 60_000;
const began = { time: performance.now(), cpu: process.cpuUsage() };
let histories = 0;
let made = 0;
let requests = 0;
try {
  for (let seed = first; histories === 0 || (!isOne && performance.now() < until); seed += 1) {
    const say = values.verbose ? (line: string) => print(line) : undefined;
    const options = { seed, engine, steps, instances, ...(only && { only }), ...(say && { say }) };
    try {
      const result = await runHistory(options);
      histories += 1;
      made += result.steps;
      requests += result.requests;
      if (isOne) print(`Seed ${seed}: log ${result.hash}.`);
    } catch (error) {
      if (!(error instanceof Departure)) {
        print(`Seed ${seed}:`);
        throw error;
      }
      print(await shrink(options, error));
      process.exitCode = 1;
      break;
    }
  }
} finally {
  await removeTemplates();
  await own?.stop();
}
const { user, system } = process.cpuUsage(began.cpu);
const seconds = (performance.now() - began.time) / 1_000;
const cpu = (user + system) / 1_000;
print(
  `${histories} histories, ${made} steps, ${requests} requests in ${seconds.toFixed(1)} s: ` +
    `${(cpu / made).toFixed(1)} ms of processor time a step.`,
);
