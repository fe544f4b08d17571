import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { Ledger } from '../support/ledger.js';
import { check, newShop, order } from '../support/orders.js';
import { quantile } from '../support/rounds.js';
import { startProcess } from '../support/service-process.js';
import { type Behaviour, NameServer } from './name-server.js';

/** Without names. */
const SECONDS = 15;
const ORDERERS = 8;
/** Milliseconds. */
const PAUSE = { order: 50, check: 10 };
const PROMISE = 3_000;

const isRoot = process.getuid?.() === 0;

/** The command that gives a program its own list of name servers. */
function withNameServer({ address }: NameServer): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'names-'));
  later(() => Promise.resolve(rmSync(folder, { recursive: true })));
  const files = { 'resolv.conf': `nameserver ${address}\n`, 'nsswitch.conf': 'hosts: files dns\n' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const mounts = Object.keys(files).map(
    (name) => `mount --bind ${join(folder, name)} /etc/${name}`,
  );
  return ['unshare', '--mount', 'sh', '-c', `${mounts.join(' && ')} && exec "$@"`, 'sh'];
}

(isRoot ? test : test.skip).each<[Behaviour, string]>([
  ['silent', '127.77.0.1'],
  ['fails', '127.77.0.2'],
  ['unknown', '127.77.0.3'],
])(
  'the name of the database has no address (%s) while its connections break',
  async (behaviour, address) => {
    const names = await NameServer.start(address);
    const { database, token } = await newShop('postgres');
    const url = Object.assign(new URL(database.databaseUrl!), { hostname: 'database.example' });
    const { service, http } = await startProcess(
      { ...database, databaseUrl: url.href },
      { under: withNameServer(names) },
    );
    const ledger = new Ledger(database);
    const breakConnections = () =>
      ledger.rows(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
    let done = false;
    let n = 0;
    const acknowledged: { readonly key: string; readonly at: number }[] = [];
    const answers = new Map<string, number>();
    const waits = { order: [] as number[], check: [] as number[], page: [] as number[] };
    const count = (what: keyof typeof waits, status: number, start: number) => {
      waits[what].push(performance.now() - start);
      const name = `${what} ${status}`;
      answers.set(name, (answers.get(name) ?? 0) + 1);
      return status;
    };
    const place = async () => {
      while (!done) {
        const key = `names-${(n += 1)}`;
        for (;;) {
          const start = performance.now();
          const { status } = await order(http, token, key, key);
          count('order', status, start);
          await wait(PAUSE.order);
          if (status !== 201) continue;
          acknowledged.push({ key, at: performance.now() });
          break;
        }
      }
    };
    const look = async () => {
      while (!done) {
        const start = performance.now();
        count('check', (await check(http, token)).status, start);
        await wait(PAUSE.check);
      }
    };
    // It is read from the disk, by the threads that also look names up.
    const read = async () => {
      while (!done) {
        const start = performance.now();
        count('page', (await http.get('/staff/sign-in')).status, start);
        await wait(PAUSE.order);
      }
    };
    let back = Infinity;
    const again = () => acknowledged.find(({ at }) => at > back);
    const fail = async () => {
      await wait(2_000);
      names.behaviour = behaviour;
      await breakConnections();
      await wait(SECONDS * 1_000);
      names.behaviour = 'answers';
      back = performance.now();
      while (!again() && performance.now() < back + 30_000) await wait(50);
      await wait(2_000);
      done = true;
    };
    await Promise.all([...Array.from({ length: ORDERERS }, place), look(), read(), fail()]);
    const stored = await ledger.counts('names-');
    const longest = (what: keyof typeof waits) => Math.round(Math.max(...waits[what]));
    process.stdout.write(
      `${behaviour} for ${SECONDS} s: ${JSON.stringify(Object.fromEntries(answers))}; longest ms: order ${longest('order')}, check ${longest('check')} (p99 ${quantile(waits.check, 0.99).toFixed(0)}), page ${longest('page')}; first order ${((again()!.at - back) / 1_000).toFixed(1)} s after names are back; load average ${loadavg()[0]!.toFixed(1)}\n`,
    );
    expect(service.isRunning).toBe(true);
    expect(acknowledged.filter(({ key }) => stored.get(key) !== 1)).toEqual([]);
    expect([...stored.values()].filter((times) => times > 1)).toEqual([]);
    expect([...answers.keys()].sort()).toEqual(['check 200', 'order 201', 'order 503', 'page 200']);
    expect(longest('order')).toBeLessThan(PROMISE);
    expect((await service.stop()).code).toBe(0);
  },
);
