import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Transactions } from '../../src/platform/database/transactions.js';
import { BespokeOffer } from '../../src/orders/record/bespoke-offer.entity.js';
import { OfferExpiryService } from '../../src/orders/offers/offer-changes.service.js';
import { FakeClock } from '../support/fake-clock.js';
import type { Http, Reply } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { type Answer, ENQUIRY, line } from '../support/offers.js';
import { enquiry, newShop, type Shop } from '../support/orders.js';
import { isUnavailable } from '../support/problems.js';
import { figure, patience, rounds } from '../support/rounds.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { startProcess } from '../support/service-process.js';
import { postAsStaff } from '../support/moves.js';

const WORKERS = 16;
/** Enquiries with offers for each time that the process is killed. */
const OFFERED = 40;

/** The refusals of what came too late. */
const tooLate = ['enquiry-moved', 'offer-expired', 'offer-withdrawn'];

/** An enquiry with two open offers. */
interface Offered {
  readonly id: string;
  readonly offerIds: readonly [string, string];
}

class RealClock extends FakeClock {
  override now(): Date {
    return new Date();
  }
}

/** A shop whose clients hold offers. */
class OfferShop {
  private constructor(
    readonly shop: Shop,
    /** The test itself is one of the processes. */
    readonly service: Service,
    private readonly staffToken: string,
  ) {}

  static async open(engine: 'sqlite' | 'postgres'): Promise<OfferShop> {
    const shop = await newShop(engine);
    const { database } = shop;
    const config = { rateLimits: false };
    const service = await startService(engine, { database, config, clock: new RealClock() });
    const staffToken = await service.given.token({ staff: await service.given.staff() });
    return new OfferShop(shop, service, staffToken);
  }

  async offered(count: number): Promise<Offered[]> {
    const made: Offered[] = [];
    let next = 0;
    const makeSome = async () => {
      while (next < count) made.push(await this.makeOne((next += 1)));
    };
    await Promise.all(Array.from({ length: 8 }, makeSome));
    return made;
  }

  private async makeOne(n: number): Promise<Offered> {
    const { http } = this.service;
    const { body } = await enquiry(http, this.shop.token, `deal-${n}`);
    const id = body.orderId!;
    await this.staffPost(http, `${id}/claim`, { version: 0 });
    const offers = [line, { ...line, price: 500 }];
    const reply = await this.staffPost(http, `${id}/offers`, { version: 1, offers });
    expect(reply.status).toBe(201);
    const [one, two] = reply.body.offers!.map(({ offerId }) => offerId) as [string, string];
    return { id, offerIds: [one, two] };
  }

  staffPost(http: Http, path: string, body: object = {}): Promise<Reply<Answer>> {
    return postAsStaff<Answer>(http, `/follow-up/orders/${path}`, body, { token: this.staffToken });
  }

  clientPost(http: Http, { id }: Offered, path: string, body: object): Promise<Reply<Answer>> {
    return http.post<Answer>(`${ENQUIRY}/${id}/${path}`, body, { token: this.shop.token });
  }

  accept(http: Http, offered: Offered, n: 0 | 1): Promise<Reply<Answer>> {
    return this.clientPost(http, offered, 'acceptance', { offerId: offered.offerIds[n] });
  }
}

/** What is stored of an enquiry, counted. */
interface Deal {
  readonly id: string;
  readonly state: string;
  readonly order_id: string | null;
  readonly orders: number;
  readonly received: number;
  readonly accepted: number;
  readonly live: number;
  readonly entries: number;
}

/** @param id of one enquiry; all by default */
async function dealsIn(ledger: Ledger, id?: string): Promise<Deal[]> {
  const rows = await ledger.rows<Record<string, unknown>>(
    `SELECT e.id, e.state,
      (SELECT max(CAST(f.order_id AS text)) FROM offers f WHERE f.enquiry_id = e.id
        AND f.state = 'accepted') AS order_id,
      (SELECT count(*) FROM orders o WHERE o.enquiry_id = e.id) AS orders,
      (SELECT count(*) FROM orders o JOIN audit_entries a ON a.subject_type = 'order'
        AND a.subject_id = CAST(o.id AS text) AND a.action = 'received'
        WHERE o.enquiry_id = e.id) AS received,
      (SELECT count(*) FROM offers f WHERE f.enquiry_id = e.id AND f.state = 'accepted') AS accepted,
      (SELECT count(*) FROM offers f WHERE f.enquiry_id = e.id AND f.ended_at IS NULL) AS live,
      (SELECT count(*) FROM audit_entries a WHERE a.subject_type = 'order'
        AND a.subject_id = CAST(e.id AS text) AND a.action = 'offer_accepted') AS entries
    FROM orders e WHERE e.kind = 'enquiry'${id === undefined ? '' : ` AND e.id = '${id}'`}`,
  );
  const counts = ['orders', 'received', 'accepted', 'live', 'entries'] as const;
  return rows.map((row) => {
    const numbers = Object.fromEntries(counts.map((name) => [name, Number(row[name])]));
    return { ...row, ...numbers } as unknown as Deal;
  });
}

/** Accepted once in every table, or in none. */
function expectWhole(deal: Deal): void {
  const { state, orders, received, accepted, entries } = deal;
  const times = state === 'won' ? 1 : 0;
  expect({ ...deal, orders, received, accepted, entries }).toEqual({
    ...deal,
    orders: times,
    received: times,
    accepted: times,
    entries: times,
  });
}

onBothEngines('a process that is killed while clients accept offers', (engine) => {
  it(
    'has every acknowledged acceptance once, and one order for each enquiry',
    async () => {
      const desk = await OfferShop.open(engine);
      const { database } = desk.shop;
      const kills = rounds(2, 100);
      const all = await desk.offered(kills * OFFERED);
      await desk.service.close();
      /** By enquiry: the orders of its acknowledged acceptances. */
      const acknowledged = new Map(all.map(({ id }) => [id, new Set<string>()]));
      const others: unknown[] = [];
      let count = 0;

      const acceptBoth = async (http: Http, offered: Offered) => {
        const replies = await Promise.allSettled(
          ([0, 1] as const).map((n) => desk.accept(http, offered, n)),
        );
        for (const reply of replies) {
          if (reply.status === 'rejected' || isUnavailable(reply.value)) continue;
          const { status, body } = reply.value;
          count += 1;
          if (status === 201) acknowledged.get(offered.id)!.add(body.orderId!);
          else if (body.code !== 'enquiry-moved') others.push([status, body]);
        }
      };
      for (let kill = 1; kill <= kills; kill += 1) {
        const { service, http } = await startProcess(database);
        const queue = all.filter(({ id }) => acknowledged.get(id)!.size === 0);
        let isKilled = false;
        const worker = async () => {
          for (let one = queue.pop(); one && !isKilled; one = queue.pop()) {
            await acceptBoth(http, one);
          }
        };
        const workers = Promise.all(Array.from({ length: WORKERS }, worker));
        // At any moment after an answer.
        const enough = count + 1 + Math.random() * OFFERED;
        while (count < enough) await sleep(1);
        await sleep(Math.random() * 10);
        isKilled = true;
        await service.kill();
        await workers;
        http.close();
      }
      const before = [...acknowledged.values()].filter(({ size }) => size > 0).length;

      // The retry of every acceptance finds its order.
      const { service, http } = await startProcess(database);
      for (const offered of all) await acceptBoth(http, offered);
      http.close();
      await service.stop();
      expect(others).toEqual([]);
      const ledger = new Ledger(database);
      const deals = await dealsIn(ledger);
      for (const deal of deals) {
        expectWhole(deal);
        expect([deal.state, deal.live]).toEqual(['won', 0]);
        expect([...acknowledged.get(deal.id)!]).toEqual([deal.order_id]);
      }
      expect(deals).toHaveLength(all.length);
      expect(await ledger.faults()).toEqual([]);
      figure(
        `${engine}: ${WORKERS} clients accepted both offers of ${all.length} enquiries at once while the process was killed ${kills} times, with ${before} acknowledged by then: one order for each enquiry, the same in every acknowledgement, 0 lost, 0 doubled.`,
      );
    },
    patience,
  );
});

describe('three processes on one PostgreSQL', () => {
  let desk: OfferShop;
  /** The test itself is the first. */
  let https: [Http, Http, Http];
  beforeAll(async () => {
    desk = await OfferShop.open('postgres');
    const { database } = desk.shop;
    const others = await Promise.all([startProcess(database), startProcess(database)]);
    https = [desk.service.http, others[0].http, others[1].http];
  });

  it(
    'accept, decline, withdraw and expire the offers of an enquiry at once: one of it happens',
    async () => {
      const { service } = desk;
      const [one, two, three] = https;
      const all = await desk.offered(rounds(30, 3_000));
      const expiry = service.get(OfferExpiryService);
      const ledger = new Ledger(desk.shop.database);
      const outcomes = new Map<string, number>();
      let raced = 0;
      const race = async (offered: Offered) => {
        const { id, offerIds } = offered;
        raced += 1;
        // In half of the races the validity ends meanwhile.
        const left = raced % 2 === 0 ? Math.random() * 60 : 60_000;
        const validUntil = new Date(Date.now() + left);
        await service
          .get(Transactions)
          .run((tx) => tx.update(BespokeOffer, { enquiryId: id }, { validUntil }));
        const soon = <T>(work: () => Promise<T>) => sleep(Math.random() * 40).then(work);
        const withdraw = (http: Http, n: 0 | 1) =>
          desk.staffPost(http, `${id}/offers/${offerIds[n]}/withdrawal`);
        const expiries = [0, 1].map(() => soon(() => expiry.endOffers()));
        const replies = await Promise.all([
          soon(() => desk.accept(two, offered, 0)),
          soon(() => desk.accept(three, offered, 1)),
          soon(() => desk.accept(one, offered, 0)),
          soon(() => desk.clientPost(two, offered, 'decline', {})),
          soon(() => withdraw(three, 0)),
          soon(() => withdraw(one, 1)),
        ]);
        await Promise.all(expiries);
        const refusals = replies.filter(({ status }) => status > 201);
        for (const { status, body } of refusals) {
          expect([status, tooLate.includes(body.code!)]).toEqual([409, true]);
        }
        const orders = new Set(replies.flatMap(({ body }) => body.orderId ?? []));
        if (raced % 2 === 0) {
          await sleep(Math.max(0, validUntil.getTime() + 1 - Date.now()));
          await expiry.endOffers();
        }
        const deal = (await dealsIn(ledger, id))[0]!;
        expectWhole(deal);
        // Open offers and an enquiry that is offered go together.
        expect([id, deal.live > 0]).toEqual([id, deal.state === 'offered']);
        expect([id, ...orders]).toEqual([id, ...(deal.order_id === null ? [] : [deal.order_id])]);
        outcomes.set(deal.state, (outcomes.get(deal.state) ?? 0) + 1);
      };
      const queue = [...all];
      const racer = async () => {
        for (let next = queue.pop(); next; next = queue.pop()) await race(next);
      };
      await Promise.all(Array.from({ length: 4 }, racer));
      expect(outcomes.get('won')).toBeGreaterThan(0);
      figure(
        `postgres: ${all.length} races of three acceptances, two withdrawals, a decline and the expiry over 3 processes: ${JSON.stringify(Object.fromEntries(outcomes))}; an order exactly where one was acknowledged, 0 doubled.`,
      );
    },
    patience,
  );

  it(
    'answer parallel acceptances of one offer with one order',
    async () => {
      const all = await desk.offered(rounds(5, 100));
      for (const offered of all) {
        const call = async (n: number): Promise<string> => {
          const reply = await desk.accept(https[n % https.length]!, offered, 0);
          if (isUnavailable(reply)) return call(n);
          expect([reply.status, reply.body.code]).toEqual([201, undefined]);
          return reply.body.orderId!;
        };
        const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => call(n)));
        expect(new Set(ids).size).toBe(1);
      }
      const ledger = new Ledger(desk.shop.database);
      for (const { id } of all) {
        const [deal] = await dealsIn(ledger, id);
        expectWhole(deal!);
        expect(deal!.state).toBe('won');
      }
      figure(
        `postgres: ${all.length} offers, each accepted by 30 parallel calls over 3 processes: one order and one id each.`,
      );
    },
    patience,
  );
});
