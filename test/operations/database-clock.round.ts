import { expect, test } from '@jest/globals';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { Ledger } from '../support/ledger.js';
import { check, newShop, order } from '../support/orders.js';
import { PostgresMachine } from '../support/postgres-machine.js';
import { startProcess } from '../support/service-process.js';

/** Debian's package `libfaketime`. */
const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const HOUR = 3_600;
/** Seconds by which the clock of PostgreSQL is wrong, in turn. */
const JUMPS = [HOUR, 0, -HOUR, 0, 24 * HOUR, 0, -24 * HOUR, 0];
/** Seconds that each lasts. */
const SECONDS = 6;
const ORDERERS = 8;
/** Milliseconds. */
const PAUSE = 40;
const PROMISE = 3_000;

interface Answer {
  readonly seconds: number;
  readonly what: string;
  readonly status: number;
  readonly milliseconds: number;
}

const isThere = existsSync(LIBRARY);

(isThere ? test : test.skip)('the clock of PostgreSQL jumps while orders arrive', async () => {
  const machine = await PostgresMachine.start();
  const folder = mkdtempSync(join(tmpdir(), 'clock-'));
  later(() => Promise.resolve(rmSync(folder, { recursive: true })));
  chmodSync(folder, 0o755);
  const clock = join(folder, 'offset');
  const set = (seconds: number) => writeFileSync(clock, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  set(0);
  await machine.stop();
  await machine.restart({
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    // A jump of the clock does not change the time since the start.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
  const { database, token } = await newShop('postgres', await machine.newDatabase());
  const environment = {
    ALLOW_INSECURE: '',
    ...{ ORDERS_PER_MINUTE: '100000', LOOKUPS_PER_MINUTE: '100000', OPEN_REQUESTS: '1000000' },
  };
  const instances = await Promise.all([
    startProcess(database, { environment }),
    startProcess(database, { environment }),
  ]);
  const ledger = new Ledger(database);
  const wrong = async () => {
    const [row] = await ledger.rows<{ now: string }>(
      'SELECT extract(epoch FROM clock_timestamp())::bigint AS now',
    );
    return Math.round(Number(row!.now) - Date.now() / 1_000);
  };

  let seconds = 0;
  let done = false;
  let n = 0;
  const answers: Answer[] = [];
  const ids = new Map<string, string>();
  const ask = async (what: string, send: () => ReturnType<typeof order>) => {
    const during = seconds;
    const start = performance.now();
    const reply = await send();
    const milliseconds = performance.now() - start;
    answers.push({ seconds: during, what, status: reply.status, milliseconds });
    return reply;
  };
  const place = async () => {
    while (!done) {
      const key = `clock-${(n += 1)}`;
      for (const { http } of instances) {
        // Each again on the other instance, as after a lost answer.
        for (;;) {
          const { status, body } = await ask('order', () => order(http, token, key, key));
          await wait(PAUSE);
          if (status !== 201) continue;
          expect(body.orderId).toBe(ids.get(key) ?? body.orderId);
          ids.set(key, body.orderId!);
          break;
        }
      }
    }
  };
  const look = async () => {
    while (!done) {
      for (const { http } of instances) await ask('check', () => check(http, token));
      await wait(PAUSE);
    }
  };
  const jump = async () => {
    for (seconds of JUMPS) {
      set(seconds);
      expect(Math.abs((await wrong()) - seconds)).toBeLessThan(60);
      await wait(SECONDS * 1_000);
      for (const { http } of instances) {
        await ask('ready', () => http.get('/health/ready/orders'));
      }
    }
    done = true;
  };
  await Promise.all([...Array.from({ length: ORDERERS }, place), look(), jump()]);

  const stored = await ledger.counts('clock-');
  const [received] = await ledger.rows<{ early: string; late: string }>(
    'SELECT min(received_at) AS early, max(received_at) AS late FROM orders',
  );
  const age = (at: string) => Math.abs(Date.now() - new Date(at).getTime()) / 1_000;
  const counts = new Map<string, number>();
  for (const { what, status } of answers) {
    counts.set(`${what} ${status}`, (counts.get(`${what} ${status}`) ?? 0) + 1);
  }
  const longest = Math.max(...answers.map(({ milliseconds }) => milliseconds));
  const refused = answers.filter(({ status }) => status === 503).map((one) => one.seconds);
  process.stdout.write(
    `the clock was wrong by ${JUMPS.join(', ')} s for ${SECONDS} s each: ${JSON.stringify(Object.fromEntries(counts))}; ${refused.length} refused at ${JSON.stringify([...new Set(refused)])}; longest answer ${Math.round(longest)} ms; load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
  expect([...ids.keys()].filter((key) => stored.get(key) !== 1)).toEqual([]);
  expect(stored.size).toBe(ids.size);
  expect([...counts.keys()].sort().filter((one) => one !== 'order 503')).toEqual([
    'check 200',
    'order 201',
    'ready 200',
  ]);
  expect(longest).toBeLessThan(PROMISE);
  // Orders have the time of the service.
  expect(Math.max(age(received!.early), age(received!.late))).toBeLessThan(600);
});
