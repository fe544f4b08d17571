import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Http, Reply } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { newShop, type Shop } from '../support/orders.js';
import { isUnavailable } from '../support/problems.js';
import { quotesOf, sites } from '../support/quotes.js';
import { figure, patience, rounds } from '../support/rounds.js';
import { onBothEngines } from '../support/service.js';
import { startProcess } from '../support/service-process.js';

const WORKERS = 16;
/** Sites of a quote, each with a price. */
const SITES = 12;
const wanted = { bandwidth: 1, term: 36 };
/** As many as an acceptance can have. */
const mostLines = Array.from({ length: 100 }, (_, i) => String(i + 1));
const allLines = Array.from({ length: SITES }, (_, i) => String(i + 1));

function requestFor(reference: string) {
  return { reference, wanted, sites: Array(SITES).fill(sites[0]) };
}

function someOf(lines: readonly string[]): string[] {
  const some = lines.filter(() => Math.random() < 0.1);
  return some.length === 0 ? [lines[0]!] : some;
}

/** A quote that a client makes and orders, and every acknowledgement of it. */
interface Bought {
  readonly reference: string;
  readonly quoteIds: Set<string>;
  /** The ids of its orders, by line and joined. */
  readonly orders: Set<string>;
}

/** The orders of each quote in the database, by line and joined. */
async function storedOrders(ledger: Ledger): Promise<ReadonlyMap<string, string>> {
  const rows = await ledger.rows<{ quote_id: string; id: string }>(
    'SELECT quote_id, id FROM orders ORDER BY quote_line, id',
  );
  const byQuote = Map.groupBy(rows, ({ quote_id }) => quote_id);
  return new Map([...byQuote].map(([quote, some]) => [quote, some.map(({ id }) => id).join()]));
}

/** Repeats a call that may be repeated, until it has its own answer. */
async function insist<T>(send: () => Promise<Reply<T & { readonly code?: string }>>) {
  for (;;) {
    const reply = await send();
    const isRunning = reply.body.code === 'request-in-progress';
    if (!isUnavailable(reply) && !isRunning) return reply;
    await sleep(5 + Math.random() * 20);
  }
}

onBothEngines('a process that is killed while clients make and order quotes', (engine) => {
  it(
    'has every acknowledged quote once, and all its orders or none',
    async () => {
      const { database, token } = await newShop(engine);
      const ledger = new Ledger(database);
      const kills = rounds(2, 100);
      const all: Bought[] = [];
      let partly = 0;
      let count = 0;
      const buy = async (http: Http, { reference, quoteIds, orders }: Bought) => {
        const client = quotesOf({ http }, token);
        const made = await insist(() => client.send(requestFor(reference), `make-${reference}`));
        expect(made.status).toBe(201);
        quoteIds.add(made.body.quoteId);
        count += 1;
        const { quoteId } = made.body;
        const body = { lines: allLines };
        const taken = await insist(() => client.accept(quoteId, body, `take-${reference}`));
        expect(taken.status).toBe(201);
        orders.add(taken.body.orders.map(({ orderId }) => orderId).join());
        count += 1;
      };
      for (let kill = 1; kill <= kills; kill += 1) {
        const { service, http } = await startProcess(database);
        let isKilled = false;
        const worker = async (name: number) => {
          for (let n = 1; !isKilled; n += 1) {
            const bought = {
              reference: `${kill}-${name}-${n}`,
              quoteIds: new Set<string>(),
              orders: new Set<string>(),
            };
            all.push(bought);
            await buy(http, bought).catch((error: unknown) => {
              if (!isKilled) throw error;
            });
          }
        };
        const workers = Promise.all(Array.from({ length: WORKERS }, (_, name) => worker(name)));
        const enough = count + 1 + Math.random() * WORKERS * 4;
        while (count < enough) await sleep(1);
        await sleep(Math.random() * 20);
        isKilled = true;
        await service.kill();
        await workers;
        http.close();
        for (const ids of (await storedOrders(ledger)).values()) {
          if (ids.split(',').length !== SITES) partly += 1;
        }
      }
      const before = all.filter(({ orders }) => orders.size > 0).length;

      // A retry of everything finds what was stored, or does it.
      const { service, http } = await startProcess(database);
      for (const bought of all) await buy(http, bought);
      http.close();
      await service.stop();
      const stored = await storedOrders(ledger);
      for (const { reference, quoteIds, orders } of all) {
        expect([reference, quoteIds.size, [...orders]]).toEqual([
          reference,
          1,
          [stored.get([...quoteIds][0]!)],
        ]);
      }
      expect([partly, await ledger.count('quotes'), stored.size]).toEqual([
        0,
        all.length,
        all.length,
      ]);
      expect(await ledger.received()).toMatchObject({
        orders: all.length * SITES,
        entries: all.length * SITES,
      });
      expect(await ledger.faults()).toEqual([]);
      figure(
        `${engine}: ${WORKERS} clients made ${all.length} quotes of ${SITES} sites and ordered all lines while the process was killed ${kills} times, with ${before} ordered by then: each quote stored once, ${SITES} orders each, the same in every acknowledgement, 0 in part.`,
      );
    },
    patience,
  );
});

describe('three processes on one PostgreSQL', () => {
  let shop: Shop;
  let https: Http[];
  beforeAll(async () => {
    shop = await newShop('postgres');
    https = [];
    for (let n = 0; n < 3; n += 1) https.push((await startProcess(shop.database)).http);
  });

  const clientAt = (n: number) => quotesOf({ http: https[n % 3]! }, shop.token);

  it(
    'order each line once when acceptances with the same lines race in any sequence',
    async () => {
      const races = rounds(20, 1_000);
      let won = 0;
      for (let race = 1; race <= races; race += 1) {
        const id = await clientAt(race).made({ wanted, sites: Array(100).fill(sites[0]) });
        const tries = Array.from({ length: 9 }, (_, n) => {
          const lines = [mostLines, mostLines.toReversed(), someOf(mostLines)][n % 3]!;
          return clientAt(n).accept(id, { lines });
        });
        const acknowledged = new Map<string, string>();
        // They wait for each other: none meets a deadlock, which would be a 503 after a second.
        for (const { status, body } of await Promise.all(tries)) {
          if (status === 201) won += 1;
          else expect([status, body.code]).toEqual([422, 'line-not-orderable']);
          for (const { lineId, orderId } of body.orders ?? []) {
            expect([lineId, acknowledged.has(lineId)]).toEqual([lineId, false]);
            acknowledged.set(lineId, orderId);
          }
        }
        const { lines } = await clientAt(race).read(id);
        const ordered = lines.flatMap(({ lineId, orderId }) =>
          orderId ? [[lineId, orderId]] : [],
        );
        expect(new Map(ordered as [string, string][])).toEqual(acknowledged);
        expect(acknowledged.size).toBeGreaterThan(0);
      }
      figure(
        `postgres: ${races} races of 9 acceptances of up to 100 of the same lines, in any sequence, over 3 processes: ${won} ordered all of their lines, the others none; each line ordered once at most.`,
      );
    },
    patience,
  );

  it(
    'make one quote, and one order for each line, for parallel calls with one key',
    async () => {
      const total = rounds(3, 100);
      for (let round = 1; round <= total; round += 1) {
        const calls = Array.from({ length: 30 }, (_, n) => n);
        const made = await Promise.all(
          calls.map((n) =>
            insist(() => clientAt(n).send(requestFor(`key-${round}`), `make-${round}`)),
          ),
        );
        const [quoteId, ...others] = new Set(made.map(({ body }) => body.quoteId));
        expect([made.every(({ status }) => status === 201), others]).toEqual([true, []]);
        const body = { lines: allLines };
        const taken = await Promise.all(
          calls.map((n) => insist(() => clientAt(n).accept(quoteId!, body, `take-${round}`))),
        );
        expect(new Set(taken.map((reply) => JSON.stringify(reply.body.orders))).size).toBe(1);
        expect(taken[0]!.body.orders).toHaveLength(SITES);
      }
      const counts = await new Ledger(shop.database).counts('key-');
      expect([...counts.values()]).toEqual(Array(total).fill(SITES));
      figure(
        `postgres: ${total} rounds of 30 parallel calls with one key over 3 processes, to make a quote and to order its ${SITES} lines: one quote and ${SITES} orders each.`,
      );
    },
    patience,
  );
});
