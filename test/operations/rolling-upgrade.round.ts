import { expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { environmentOf, newDatabase } from '../support/databases.js';
import { Ledger } from '../support/ledger.js';
import { balanceAsShipped, Load, PER_SECOND } from './balanced.js';
import { command, fill, versions } from './old-version.js';
import { Placer } from './placer.js';
import { Instance, isInstalled } from './processes.js';

const BALANCER = 41_570;
const PORTS = [41_571, 41_572];
/** The balancer checks each second, but slowly on a busy machine. */
const NOTICED = 4_000;

const service = { ALLOW_INSECURE: 'no-rate-limits', DRAIN_SECONDS: '4', LOG_LEVEL: 'warn' };

test(`two instances are upgraded in turn, and taken back, under ${PER_SECOND} requests a second: no failed request`, async () => {
  if (!isInstalled('haproxy')) throw new Error('haproxy is needed: apt-get install haproxy');
  const { old, next } = versions();
  const database = await newDatabase('postgres', 'empty');
  const settings = { DATABASE_URL: database.databaseUrl! };
  const { token } = fill(old, settings);
  const instancesOf = ({ folder, options }: typeof old) =>
    PORTS.map((port) => new Instance(port, { ...settings, ...service }, folder, options));
  const olds = instancesOf(old);
  const news = instancesOf(next);
  await Promise.all(olds.map((instance) => instance.start()));
  await balanceAsShipped(BALANCER, PORTS);
  await wait(NOTICED);
  const load = new Load(BALANCER, token);
  const running = load.run();
  later(() => load.stop());
  await wait(2_000);
  const codes: (number | null)[] = [];
  const replace = async (from: readonly Instance[], by: readonly Instance[]) => {
    for (const [i, instance] of from.entries()) {
      codes.push(await instance.stop());
      await by[i]!.start();
      await wait(NOTICED);
    }
  };
  const ran = command(next, settings, 'db', 'migrate');
  await replace(olds, news);
  const upgraded = load.answered;
  await replace(news, olds);
  await load.stop();
  await running;
  for (const instance of olds) codes.push(await instance.stop());
  const stored = await new Ledger(database).counts(load.prefix);
  process.stdout.write(
    `from ${old.name} to ${next.name} (${ran.split('\n').slice(0, -1).join(', ')}) and back: ${upgraded} and ${load.answered - upgraded} answered, ${load.failures.length} failed, ${load.acknowledged.length} orders\n`,
  );
  expect([load.failures, new Set(codes)]).toEqual([[], new Set([0])]);
  expect(load.acknowledged.filter((reference) => stored.get(reference) !== 1)).toEqual([]);
  expect([...stored.values()].filter((count) => count !== 1)).toEqual([]);
});

test('a single instance on SQLite is upgraded in place, and taken back: no order is lost or doubled', async () => {
  const { old, next } = versions();
  const database = await newDatabase('sqlite', 'empty');
  const settings = environmentOf(database);
  const { token } = fill(old, settings);
  const [port] = PORTS as [number];
  const instanceOf = ({ folder, options }: typeof old) =>
    new Instance(port, { ...settings, ...service, DRAIN_SECONDS: '0' }, folder, options);
  const [before, after] = [instanceOf(old), instanceOf(next)];
  await before.start();
  const placer = new Placer(port, token);
  const running = placer.run(2);
  later(() => placer.stop());
  await wait(2_000);
  const backup = `${database.sqliteFile}.backup`;
  command(next, settings, 'db', 'backup', backup);
  command(next, settings, 'db', 'migrate');
  const untilStop = placer.takeLongestWait();
  const codes = [await before.stop()];
  await after.start();
  await wait(1_000);
  const forward = placer.takeLongestWait();
  codes.push(await after.stop());
  await before.start();
  await wait(1_000);
  await placer.stop();
  await running;
  const back = placer.takeLongestWait();
  codes.push(await before.stop());
  const stored = await new Ledger(database).counts(placer.prefix);
  process.stdout.write(
    `from ${old.name} to ${next.name} on SQLite: ${placer.acknowledged.length} orders; longest wait of one ${untilStop} ms during backup and migration, ${forward} ms during the restart, ${back} ms on the way back\n`,
  );
  expect(new Set(codes)).toEqual(new Set([0]));
  expect(placer.acknowledged.filter((reference) => stored.get(reference) !== 1)).toEqual([]);
  expect([...stored.values()].filter((count) => count !== 1)).toEqual([]);
});
