import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger } from '../support/ledger.js';
import type { Reply } from '../support/http.js';
import { check, newShop, order } from '../support/orders.js';
import { PostgresMachine } from '../support/postgres-machine.js';
import { startProcess } from '../support/service-process.js';
import { Line } from '../support/proxies.js';
import { quotesOf, sites } from '../support/quotes.js';
import { figure, isHeavy, patience, quantile } from '../support/rounds.js';

/** The outage, the time to watch after its end, and the deadline for recovery. */
const SECONDS = isHeavy ? 30 : 5;
const AFTERWARDS = isHeavy ? 8 : 0;
const WELL_WITHIN = 10;
const ORDERERS = 16;
const QUOTERS = 4;
/** The lines of a quote. */
const QUOTED = ['1', '2', '3'];
const CHECKERS = 4;
const POOL = 10;

interface Outage {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

type Outages = Readonly<Record<string, (machine: PostgresMachine, line: Line) => Outage>>;

const outages: Outages = {
  stopped: (machine) => ({ begin: () => machine.stop(), end: () => machine.restart() }),
  frozen: (machine) => ({ begin: () => machine.freeze(), end: () => machine.thaw() }),
  unreachable: (_, line) => ({ begin: () => line.cut(), end: () => line.restore() }),
};

let machine: PostgresMachine;

beforeAll(async () => {
  machine = await PostgresMachine.start();
});

/** The short round has only the outage without refusals and responses. */
const tried = isHeavy ? Object.keys(outages) : ['frozen'];

describe.each(tried)('while PostgreSQL is %s', (name) => {
  it(
    'checks continue, orders and quotes get 503 in time, and all recover soon afterwards',
    async () => {
      const { database, token } = await newShop('postgres', await machine.newDatabase());
      const line = await Line.to(Number(new URL(machine.url).port));
      const outage = outages[name]!(machine, line);
      const through = Object.assign(new URL(database.databaseUrl!), { port: String(line.port) });
      const { service, http } = await startProcess({ ...database, databaseUrl: through.href });

      let phase: 'before' | 'during' | 'after' = 'before';
      let ended = 0;
      let done = false;
      let n = 0;
      let recovery = Infinity;
      let looked = 0;
      const acknowledged: string[] = [];
      const told = { before: [] as string[], during: [] as string[], after: [] as string[] };
      const waits: number[] = [];
      const lookups: number[] = [];
      const failedLookups: unknown[] = [];
      const send = async <T extends { readonly code?: string }>(post: () => Promise<Reply<T>>) => {
        const begun = performance.now();
        const began = phase;
        const reply = await post();
        waits.push(performance.now() - begun);
        if (reply.status === 201 && phase === 'after') {
          recovery = Math.min(recovery, performance.now() - ended);
        }
        told[began].push(`${reply.status} ${reply.body.code ?? ''}`.trim());
        await sleep(reply.status === 201 ? 20 : 50);
        return reply;
      };
      const write = async () => {
        while (!done) {
          const reference = `outage-${(n += 1)}`;
          const { status } = await send(() => order(http, token, reference));
          if (status === 201) acknowledged.push(reference);
        }
      };
      const client = quotesOf({ http }, token);
      const accepted: string[] = [];
      const quote = async () => {
        while (!done) {
          const reference = `quoted-${(n += 1)}`;
          const wanted = { bandwidth: 1, term: 36 };
          const request = { reference, wanted, sites: QUOTED.map(() => sites[0]) };
          const { status, body } = await send(() => client.send(request));
          if (status !== 201) continue;
          const reply = await send(() => client.accept(body.quoteId, { lines: QUOTED }));
          if (reply.status === 201) accepted.push(reference);
        }
      };
      const look = async () => {
        while (!done) {
          const begun = performance.now();
          const { status } = await check(http, token);
          if (phase === 'during') lookups.push(performance.now() - begun);
          if (status === 200) looked += 1;
          else failedLookups.push(status);
          await sleep(10);
        }
      };
      const all = Promise.all([
        ...Array.from({ length: ORDERERS }, write),
        ...Array.from({ length: QUOTERS }, quote),
        ...Array.from({ length: CHECKERS }, look),
      ]);
      await sleep(500);
      phase = 'during';
      await outage.begin();
      await sleep(SECONDS * 1_000);
      await outage.end();
      phase = 'after';
      ended = performance.now();
      await sleep(AFTERWARDS * 1_000);
      const served = Array<string>(ORDERERS).fill('201');
      const giveUp = ended + WELL_WITHIN * 1_000;
      let last: string[];
      do {
        await sleep(20);
        last = told.after.slice(-ORDERERS);
      } while (performance.now() < giveUp && last.join() !== served.join());
      done = true;
      await all;

      expect(service.isRunning).toBe(true);
      expect(failedLookups).toEqual([]);
      const kinds = [...new Set([...told.before, ...told.during, ...told.after])];
      expect(kinds.sort()).toEqual(['201', '503 unavailable']);
      // An order has 2 s, plus a margin for a busy machine; the outage lasted longer.
      expect(Math.max(...waits)).toBeLessThan(4_000);
      expect(recovery).toBeLessThan(5_000);
      // After the recovery deadline, all requests succeed.
      expect(last).toEqual(served);

      const ledger = new Ledger(database);
      const stored = await ledger.counts('outage-');
      expect(acknowledged.filter((reference) => stored.get(reference) !== 1)).toEqual([]);
      expect([...stored.values()].filter((count) => count > 1)).toEqual([]);
      // A quote is ordered as a whole, or not at all.
      const quoted = await ledger.counts('quoted-');
      expect(accepted.length).toBeGreaterThan(0);
      expect(accepted.filter((reference) => !quoted.has(reference))).toEqual([]);
      expect([...quoted.values()].filter((count) => count !== QUOTED.length)).toEqual([]);
      const { orders, entries } = await ledger.received();
      expect(entries).toBe(orders);
      const connections = line.held;
      expect(connections).toBeLessThanOrEqual(POOL);
      http.close();
      const { code, output } = await service.stop();
      expect(code).toBe(0);
      expect(output).not.toMatch(/unhandled|uncaught|internal-error/i);
      // Every check was recorded: the buffer kept the records.
      expect(await ledger.count('checks')).toBe(looked);
      const refused = told.during.filter((answer) => answer !== '201').length;
      figure(
        `postgres ${name} for ${SECONDS} s under load: ${lookups.length} checks answered meanwhile (p99 ${quantile(lookups, 0.99).toFixed(0)} ms, worst ${Math.max(...lookups).toFixed(0)} ms), ${refused} orders told 503, the slowest answer after ${(Math.max(...waits) / 1_000).toFixed(2)} s; first order ${(recovery / 1_000).toFixed(2)} s after the end; ${acknowledged.length} orders and ${accepted.length} acceptances of quotes acknowledged, 0 lost, 0 doubled; ${connections} connections open at the end.`,
      );
    },
    patience,
  );
});
