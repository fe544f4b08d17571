import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { engines, environmentOf, newDatabase } from '../support/databases.js';
import { Ledger } from '../support/ledger.js';
import { nodeOptions } from '../support/processes.js';
import { fill, versions } from './old-version.js';
import { Placer } from './placer.js';
import { Instance } from './processes.js';

const ORDERS = Number(process.env.ORDERS ?? 1_000_000);
const PORT = 41_580;

/** Runs a program of this build. @throws if it fails */
async function run(args: readonly string[], settings: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [...nodeOptions, ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.`);
}

test.each(engines)(
  `a column with a computed value and an index are added to ${ORDERS} orders while orders come in, on %s`,
  async (engine) => {
    const { old, next } = versions();
    const database = await newDatabase(engine);
    const settings = environmentOf(database);
    const { token } = fill(old, settings);
    await run(['dist/bench/follow-up-fill.js', String(ORDERS)], {
      ...settings,
      NODE_ENV: 'development',
      LOG_LEVEL: 'error',
    });
    const environment = { ...settings, ALLOW_INSECURE: 'no-rate-limits', LOG_LEVEL: 'warn' };
    const instance = new Instance(PORT, environment, old.folder);
    await instance.start();
    const placer = new Placer(PORT, token);
    const running = placer.run(2);
    later(() => placer.stop());
    await wait(10_000);
    const usual = placer.takeLongestWait();
    const [orders, started] = [placer.acknowledged.length, performance.now()];
    await run([...next.options, 'dist/src/cli/main.js', 'db', 'migrate'], settings);
    const seconds = Math.round((performance.now() - started) / 1_000);
    const longest = placer.takeLongestWait();
    const during = placer.acknowledged.length - orders;
    await placer.stop();
    await running;
    const ledger = new Ledger(database);
    const [unfilled] = await ledger.rows<{ count: number | string }>(
      `SELECT count(*) AS count FROM orders WHERE trial_received_day IS NULL`,
    );
    const stored = await ledger.counts(placer.prefix);
    process.stdout.write(
      `${ORDERS} orders on ${engine}: migrated in ${seconds} s; ${during} orders meanwhile; longest wait of one ${longest} ms, ${usual} ms before; refused attempts ${JSON.stringify(placer.failed)}; orders without the value ${Number(unfilled!.count)}\n`,
    );
    expect(placer.failed).toEqual({});
    expect([...stored.values()].filter((count) => count !== 1)).toEqual([]);
    expect(stored.size).toBe(placer.acknowledged.length);
    expect(await instance.stop()).toBe(0);
  },
  3_600_000,
);
