import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Ledger } from '../support/ledger.js';
import { newShop, order } from '../support/orders.js';
import { PostgresMachine } from '../support/postgres-machine.js';
import { Line } from '../support/proxies.js';
import { figure, isHeavy, patience } from '../support/rounds.js';
import { startProcess } from '../support/service-process.js';

/** Milliseconds, in the log of the service. */
const PROMISE = 3_000;
const SECONDS = isHeavy ? 20 : 6;
const ORDERERS = 40;

interface Hang {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

/** One client, with limits: all of its orders are counted in one row. */
const limits = {
  ALLOW_INSECURE: '',
  ORDERS_PER_MINUTE: '1000000',
  IN_FLIGHT: '1000',
  OPEN_REQUESTS: '1000000',
};

const hangs: Readonly<Record<string, (machine: PostgresMachine, line: Line, url: string) => Hang>> =
  {
    'its connections hang': (_machine, line) => ({
      begin: () => line.cut(),
      end: () => line.restore(),
    }),
    'it is frozen': (machine) => ({ begin: () => machine.freeze(), end: () => machine.thaw() }),
    'a standby takes over after a while': (machine, _line, url) => ({
      begin: async () => {
        await change(url, 'on');
        await sleep((SECONDS * 1_000) / 2);
        await machine.freeze();
        await sleep((SECONDS * 1_000) / 2);
      },
      // The connections of before stay read-only.
      end: async () => {
        await machine.thaw();
        await change(url, 'off');
      },
    }),
  };

async function change(url: string, readOnly: 'on' | 'off'): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET default_transaction_read_only = off');
  const name = new URL(url).pathname.slice(1);
  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${readOnly}`);
  if (readOnly === 'on') {
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  }
  await client.end();
}

let machine: PostgresMachine;
beforeAll(async () => {
  machine = await PostgresMachine.start();
});

describe.each(Object.keys(hangs))('orders of one client on PostgreSQL while %s', (name) => {
  it(
    'are answered within three seconds, limit and order together',
    async () => {
      const { database, token } = await newShop('postgres', await machine.newDatabase());
      const url = database.databaseUrl!;
      const line = await Line.to(Number(new URL(url).port));
      const through = Object.assign(new URL(url), { port: String(line.port) }).href;
      const { service, http } = await startProcess(
        { ...database, databaseUrl: through },
        { environment: limits },
      );
      const hang = hangs[name]!(machine, line, url);
      let done = false;
      let n = 0;
      const acknowledged: string[] = [];
      const codes = new Map<number, number>();
      const place = async () => {
        while (!done) {
          const reference = `promise-${(n += 1)}`;
          const { status } = await order(http, token, reference);
          codes.set(status, (codes.get(status) ?? 0) + 1);
          if (status === 201) acknowledged.push(reference);
          await sleep(50);
        }
      };
      const all = Promise.all(Array.from({ length: ORDERERS }, place));
      await sleep(1_000);
      await hang.begin();
      if (name !== 'a standby takes over after a while') await sleep(SECONDS * 1_000);
      await hang.end();
      const before = acknowledged.length;
      const giveUp = performance.now() + 10_000;
      while (acknowledged.length < before + ORDERERS && performance.now() < giveUp) await sleep(20);
      done = true;
      await all;

      expect(acknowledged.length).toBeGreaterThanOrEqual(before + ORDERERS);
      expect([...codes.keys()].sort()).toEqual([201, 503]);
      const stored = await new Ledger(database).counts('promise-');
      expect(acknowledged.filter((reference) => stored.get(reference) !== 1)).toEqual([]);
      http.close();
      const { output } = await service.stop();
      const slowest = Math.max(...millisecondsOf(output));
      figure(
        `postgres, ${ORDERERS} orderers, ${name} for ${SECONDS} s: ${codes.get(201)} × 201, ${codes.get(503)} × 503, the slowest answer after ${Math.round(slowest)} ms on the server; 0 lost.`,
      );
      expect(slowest).toBeLessThan(PROMISE);
    },
    patience,
  );
});

/** The `ms` of every order in the log. */
function millisecondsOf(output: string): number[] {
  return output.split('\n').flatMap((line) => {
    const [, ms] =
      /"method":"POST","route":"\/product-availability\/order".*"ms":([\d.]+)/.exec(line) ?? [];
    return ms === undefined ? [] : Number(ms);
  });
}
