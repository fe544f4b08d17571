import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { operator } from '../../src/audit/audit.service.js';
import { AuditService } from '../../src/audit/audit.service.js';
import { readSmtpUrl } from '../../src/config/smtp-options.js';
import { Transactions } from '../../src/database/transactions.js';
import { DeliveryService } from '../../src/notifications/delivery.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { BespokeOffer } from '../../src/orders/offers/bespoke-offer.entity.js';
import { OfferExpiryService } from '../../src/orders/offers/offer-expiry.service.js';
import { Order } from '../../src/orders/order.entity.js';
import { ReplayService } from '../../src/orders/views/replay.service.js';
import type { StaffMember } from '../../src/staff/staff-member.entity.js';
import { newDatabase } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import type { Reply } from '../support/http.js';
import { MailServer } from '../support/mail-server.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const ENQUIRY = '/product-availability/enquiry';
const ORDER = '/product-availability/order';

const line = {
  name: '2G Internet over microwave',
  bandwidthProvisioned: 2,
  bandwidthCapacity: 10,
  term: 24,
  price: 549.99,
  setupPrice: 1_200,
  currency: 'GBP',
  leadTimeDays: 60,
  basis: 'subjectToSurvey',
};
const terms = { ...line, extraChargesPossible: true, network: null };
/** In total more than the limit of approvals. */
const dear = { ...line, price: 2_000 };

interface Offer {
  readonly offerId: string;
  readonly answer: number;
  readonly state: string;
  readonly product: { readonly productCode: string };
  readonly validUntil: string;
  readonly orderId: string | null;
}
interface Enquiry {
  readonly enquiryId: string;
  readonly state: string;
  readonly offers: Offer[];
}
interface Answer {
  readonly code?: string;
  readonly detail?: string;
  readonly items?: Offer[];
  readonly orderId?: string;
}

const outcome = ({ status, body }: Reply<Answer>) => [status, body.code ?? null];

onBothEngines('bespoke offers', (engine) => {
  let instances: Service[];
  let service: Service;
  let clock: FakeClock;
  let mail: MailServer;
  let token: string;
  let staff: Record<'agent' | 'author' | 'manager', { member: StaffMember; token: string }>;
  let calls = 0;

  beforeAll(async () => {
    mail = await MailServer.start();
    clock = new FakeClock();
    const database = await newDatabase(engine);
    const config = {
      rateLimits: false,
      offerApprovalOver: { amount: 25_000, currency: 'GBP' },
      webhookKey: randomBytes(32),
      webhookNetworks: ['127.0.0.0/8'],
      smtp: readSmtpUrl(`smtp://localhost:${mail.port}`) ?? null,
      mailFrom: { name: 'Orders', address: 'orders@operator.example' },
      reminderTimes: [],
    };
    const start = () => startService(engine, { database, clock, config });
    instances = [await start()];
    if (engine === 'postgres') instances.push(await start(), await start());
    service = instances[0]!;
    await service.given.catalogue();
    for (const one of instances) await one.learnChanges();
    const one = async (name: string, role: 'agent' | 'manager') => {
      const member = await service.given.staff({ name, role });
      return { member, token: await service.given.token({ staff: member }) };
    };
    staff = {
      agent: await one('Ada Agent', 'agent'),
      author: await one('Mary Manager', 'manager'),
      manager: await one('Grace Manager', 'manager'),
    };
  });

  beforeEach(async () => {
    token = await service.given.token();
  });

  /** On each instance in turn. */
  function send<T = Answer>(path: string, body: object, token: string): Promise<Reply<T>> {
    calls += 1;
    return instances[calls % instances.length]!.http.post<T>(path, body, { token });
  }
  const read = async (id: string) =>
    (await service.http.get<Enquiry>(`${ENQUIRY}/${id}`, { token })).body;
  const staffPost = (path: string, body: object = {}, by = staff.agent) =>
    send(`/follow-up/orders/${path}`, body, by.token);
  const accept = (id: string, offerId: string) =>
    send(`${ENQUIRY}/${id}/acceptance`, { offerId }, token);
  const decline = (id: string, body = {}) => send(`${ENQUIRY}/${id}/decline`, body, token);
  const offersOf = async (id: string) =>
    (
      await service.http.get<{ items: Offer[] }>(`/follow-up/orders/${id}/offers`, {
        token: staff.agent.token,
      })
    ).body.items;
  const states = async (id: string) => (await offersOf(id)).map(({ state }) => state);
  const versionOf = async (id: string) =>
    (
      await service.http.get<{ order: { version: number } }>(`/follow-up/orders/${id}`, {
        token: staff.agent.token,
      })
    ).body.order.version;
  const answer = async (id: string, offers: object[], by = staff.agent) =>
    staffPost(`${id}/offers`, { version: await versionOf(id), offers }, by);
  const ordersOf = (enquiryId: string) =>
    service.get(Transactions).read((tx) => tx.findBy(Order, { enquiryId }));

  /** An enquiry that the agent owns. */
  async function enquiry(about: object = {}): Promise<string> {
    const { status, body } = await send<{ enquiryId: string }>(
      ENQUIRY,
      { postcode: 'EC2A 2BS', wanted: { bandwidth: 2 }, reference: 'RFQ-1', ...about },
      token,
    );
    expect(status).toBe(201);
    const { status: claimed } = await staffPost(`${body.enquiryId}/claim`, { version: 0 });
    expect(claimed).toBe(200);
    return body.enquiryId;
  }
  async function offered(offers: object[] = [line]): Promise<{ id: string; offers: Offer[] }> {
    const id = await enquiry();
    const reply = await answer(id, offers);
    expect(outcome(reply)).toEqual([201, null]);
    return { id, offers: reply.body.items! };
  }

  it('become an order at exactly the offered terms', async () => {
    const contact = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const id = await enquiry({ contact, notes: 'Two routes.', uprn: '100023336956' });
    const sent = await answer(id, [line, { ...line, term: 36, note: 'Cheaper over three years.' }]);
    expect(outcome(sent)).toEqual([201, null]);
    const before = await read(id);
    expect([before.state, before.offers]).toEqual([
      'offered',
      [
        {
          offerId: expect.any(String),
          state: 'open',
          product: { ...terms, productCode: expect.stringMatching(/^BESPOKE-[0-9A-Z]{6}$/) },
          // 30 days later is 1 April 2026.
          validUntil: '2026-04-01T22:59:00.000Z',
          note: null,
          orderId: null,
        },
        expect.objectContaining({ state: 'open', note: 'Cheaper over three years.' }),
      ],
    ]);
    const [first, second] = before.offers as [Offer, Offer];
    const accepted = await accept(id, first.offerId);
    expect(outcome(accepted)).toEqual([201, null]);
    const { orderId } = accepted.body;
    expect(accepted.headers.location).toBe(`${ORDER}/${orderId}`);
    const after = await read(id);
    expect([after.state, after.offers.map(({ state }) => state)]).toEqual([
      'accepted',
      ['accepted', 'declined'],
    ]);
    expect(after.offers[0]!.orderId).toBe(orderId);

    // A retry gets the same order; the other offer does not become another one.
    const again = await accept(id, first.offerId);
    expect([again.status, again.body.orderId, again.headers['idempotent-replayed']]).toEqual([
      201,
      orderId,
      'true',
    ]);
    expect(outcome(await accept(id, second.offerId))).toEqual([409, 'enquiry-moved']);
    expect(outcome(await decline(id))).toEqual([409, 'enquiry-moved']);
    expect(await ordersOf(id)).toHaveLength(1);

    const { productCode } = first.product;
    const order = (
      await service.http.get<Record<string, unknown>>(`${ORDER}/${orderId}`, { token })
    ).body;
    expect([order.product, order.reference, order.state, order.uprn]).toEqual([
      { ...terms, productCode },
      'RFQ-1',
      'inProgress',
      '100023336956',
    ]);
    const asStaff = { token: staff.agent.token };
    const detail = await service.http.get<{ order: object; timeline: object[] }>(
      `/follow-up/orders/${orderId}`,
      asStaff,
    );
    expect(detail.body.order).toMatchObject({
      kind: 'order',
      product: { productCode },
      enquiryId: id,
      ownerId: staff.agent.member.id,
      contact,
      notes: 'Two routes.',
      zone: 'ONNET',
    });
    expect(detail.body.timeline).toMatchObject([
      { action: 'received', details: { to: 'in_progress', enquiryId: id, offer: productCode } },
    ]);
    for (const query of [
      `product=${productCode}`,
      'family=BESPOKE',
      `q=${orderId}`,
      'kind=order',
    ]) {
      const { body } = await service.http.get<{ items: { orderId: string }[] }>(
        `/follow-up/orders?view=all&sort=-received&${query}`,
        asStaff,
      );
      expect([query, body.items[0]?.orderId]).toEqual([query, orderId]);
    }
    const csv = await service.http.get<string>(
      `/follow-up/orders.csv?view=all&product=${productCode}`,
      asStaff,
    );
    expect(csv.text).toContain(productCode);
    const replayed = await service.get(ReplayService).replay(1, 1);
    expect(replayed.orders.map(({ reference }) => reference)).toEqual([]);
    expect((await service.get(ReplayService).effect(1)).orders).toEqual([]);
  });

  it('reach the client by webhook and by email', async () => {
    const receiver = await WebhookReceiver.start();
    const webhook = await service.http.send({
      method: 'PUT',
      path: '/product-availability/webhook',
      token,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: receiver.url }),
    });
    expect(webhook.status).toBe(200);
    for (const one of instances) await one.learnChanges();
    mail.mails.splice(0);
    const { id, offers } = await offered();
    clock.advance({ minutes: 1 });
    await service.get(DeliveryService).deliverDue();
    const events = receiver.hooks.map(
      ({ body }) => JSON.parse(body) as { type: string; data: object },
    );
    expect(events.find(({ type }) => type === 'enquiry.offered')?.data).toMatchObject({
      enquiryId: id,
      reference: 'RFQ-1',
      state: 'offered',
      offers: [{ offerId: offers[0]!.offerId, validUntil: offers[0]!.validUntil }],
    });
    expect(events.map(({ type }) => type)).toContain('enquiry.state-changed');
    const written = mail.mails.find(({ source }) => source.includes('Our offer for your enquiry'));
    expect(written?.to).toEqual(['grace@reseller.example']);
    expect(written?.source).toContain(offers[0]!.product.productCode);
  });

  it('wait for a manager other than their author above the limit', async () => {
    const id = await enquiry();
    expect(outcome(await answer(id, [line]))).toEqual([201, null]);
    const sent = await answer(id, [line, dear], staff.author);
    expect(outcome(sent)).toEqual([201, null]);
    const before = await read(id);
    // The client keeps the offer that it has, and does not see the others.
    expect(before.offers.map(({ state }) => state)).toEqual(['open']);
    expect(await states(id)).toEqual(['open', 'awaitingApproval', 'awaitingApproval']);
    const unseen = sent.body.items![2]!.offerId;
    expect(outcome(await accept(id, unseen))).toEqual([404, 'not-found']);

    const approvals = await service.http.get<{ items: { enquiry: { orderId: string } }[] }>(
      '/follow-up/approvals',
      { token: staff.manager.token },
    );
    expect(approvals.body.items.map(({ enquiry }) => enquiry.orderId)).toEqual([id]);
    const approve = (by: typeof staff.agent) => staffPost(`${id}/answers/2/approval`, {}, by);
    expect(outcome(await approve(staff.agent))).toEqual([403, 'not-permitted']);
    expect(outcome(await approve(staff.author))).toEqual([403, 'not-permitted']);
    expect(outcome(await approve(staff.manager))).toEqual([200, null]);
    expect(outcome(await approve(staff.manager))).toEqual([409, 'enquiry-moved']);
    const after = await read(id);
    expect(after.offers.map(({ state }) => state)).toEqual(['replaced', 'open', 'open']);
    const replaced = await accept(id, before.offers[0]!.offerId);
    expect(outcome(replaced)).toEqual([409, 'offer-withdrawn']);
    expect(outcome(await accept(id, unseen))).toEqual([201, null]);
  });

  it('are never seen by the client if a manager refuses them', async () => {
    const id = await enquiry();
    expect(outcome(await answer(id, [{ ...line, currency: 'EUR' }]))).toEqual([201, null]);
    const refusal = await staffPost(
      `${id}/answers/1/refusal`,
      { reason: 'Only in pounds.' },
      staff.manager,
    );
    expect(outcome(refusal)).toEqual([200, null]);
    expect([await states(id), (await read(id)).offers]).toEqual([['refused'], []]);
    expect((await read(id)).state).toBe('inProgress');
  });

  it('can be withdrawn; without an open one the enquiry is in progress again', async () => {
    const { id, offers } = await offered([line, line]);
    const withdraw = (n: number, by = staff.agent) =>
      staffPost(`${id}/offers/${offers[n]!.offerId}/withdrawal`, { note: 'Too cheap.' }, by);
    const other = await service.given.staff({ role: 'agent' });
    const otherToken = await service.given.token({ staff: other });
    const byOther = await withdraw(0, { member: other, token: otherToken });
    expect(outcome(byOther)).toEqual([403, 'not-permitted']);
    expect(outcome(await withdraw(0))).toEqual([200, null]);
    expect(outcome(await withdraw(0))).toEqual([409, 'enquiry-moved']);
    expect((await read(id)).state).toBe('offered');
    expect(outcome(await accept(id, offers[0]!.offerId))).toEqual([409, 'offer-withdrawn']);
    expect(outcome(await withdraw(1, staff.manager))).toEqual([200, null]);
    const { state, offers: shown } = await read(id);
    expect([state, shown.map((one) => one.state)]).toEqual([
      'inProgress',
      ['withdrawn', 'withdrawn'],
    ]);
  });

  it('expire by the clock, and end the enquiry', async () => {
    const { id, offers } = await offered([{ ...line, validUntil: '2026-03-07' }, line]);
    const [short, long] = offers as [Offer, Offer];
    // Saturday counts as the Monday after.
    expect(short.validUntil).toBe('2026-03-09T23:59:00.000Z');
    const end = () => service.get(OfferExpiryService).endOffers();
    clock.advance({ days: 8 });
    expect((await read(id)).offers.map(({ state }) => state)).toEqual(['expired', 'open']);
    expect(outcome(await accept(id, short.offerId))).toEqual([409, 'offer-expired']);
    await end();
    expect([(await read(id)).state, await states(id)]).toEqual(['offered', ['expired', 'open']]);
    clock.advance({ days: 30 });
    expect(outcome(await accept(id, long.offerId))).toEqual([409, 'offer-expired']);
    expect(outcome(await decline(id))).toEqual([409, 'offer-expired']);
    await Promise.all(instances.map((one) => one.get(OfferExpiryService).endOffers()));
    const { state, offers: shown } = await read(id);
    expect([state, shown.map((one) => one.state)]).toEqual(['expired', ['expired', 'expired']]);
    expect(outcome(await accept(id, long.offerId))).toEqual([409, 'offer-expired']);
  });

  it('are declined by the client, once', async () => {
    const { id, offers } = await offered([line, line]);
    const declined = await decline(id, { reason: 'Too dear.' });
    expect([declined.status, declined.body]).toMatchObject([
      200,
      { state: 'declined', offers: [{ state: 'declined' }, { state: 'declined' }] },
    ]);
    expect((await decline(id)).status).toBe(200);
    expect(outcome(await accept(id, offers[0]!.offerId))).toEqual([409, 'enquiry-moved']);
    expect(await ordersOf(id)).toEqual([]);
  });

  it('end with their enquiry, and stay if its end is undone', async () => {
    const { id, offers } = await offered();
    const lost = await staffPost(`${id}/lose`, {
      version: await versionOf(id),
      reason: 'not_serviceable',
    });
    expect(lost.status).toBe(200);
    await service.get(OfferExpiryService).endOffers();
    expect((await read(id)).offers.map(({ state }) => state)).toEqual(['withdrawn']);
    expect(outcome(await accept(id, offers[0]!.offerId))).toEqual([409, 'enquiry-moved']);
    clock.advance({ minutes: 1 });
    await service.get(OfferExpiryService).endOffers();
    const stored = await service
      .get(Transactions)
      .read((tx) => tx.findOneByOrFail(BespokeOffer, { id: offers[0]!.offerId }));
    expect(stored.state).toBe('withdrawn');
  });

  it('are seen and accepted by their own client only', async () => {
    const { id, offers } = await offered();
    token = await service.given.token();
    expect((await service.http.get(`${ENQUIRY}/${id}`, { token })).status).toBe(404);
    expect(outcome(await accept(id, offers[0]!.offerId))).toEqual([404, 'not-found']);
    expect(outcome(await decline(id))).toEqual([404, 'not-found']);
  });

  it('are refused with every fault, and by staff who have seen an older version', async () => {
    const id = await enquiry();
    const reply = await answer(id, [
      { ...line, price: 1.005, validUntil: '2025-01-01' },
      { ...line, bandwidthCapacity: 1, currency: 'GBP' },
    ]);
    expect([reply.status, reply.body]).toMatchObject([
      400,
      {
        errors: [
          { pointer: '/offers/0/price' },
          { pointer: '/offers/0/validUntil' },
          { pointer: '/offers/1/bandwidthCapacity' },
        ],
      },
    ]);
    const old = await staffPost(`${id}/offers`, { version: 0, offers: [line] });
    expect(outcome(old)).toEqual([409, 'order-moved']);
    const six = await answer(
      id,
      Array.from({ length: 6 }, () => line),
    );
    expect(six.status).toBe(400);
    const placed = await service.given.order({ token });
    expect(
      outcome(await staffPost(`${placed.orderId}/offers`, { version: 0, offers: [line] })),
    ).toEqual([404, 'not-found']);
  });

  it('can start from what is sold nearest in the area', async () => {
    const id = await enquiry({ postcode: 'N5 1AA', wanted: { bandwidth: 0.5, term: 12 } });
    const suggestion = await service.http.get(`/follow-up/orders/${id}/offer-suggestion`, {
      token: staff.agent.token,
    });
    expect(suggestion.body).toMatchObject({
      product: { productCode: 'INT-1G-12', price: 725 },
      zone: 'NEARNET',
      place: expect.stringMatching(/^N1 \d$/),
      metres: expect.any(Number),
    });
  });

  it('lose their notes when personal data of the enquiry is erased', async () => {
    const { id } = await offered([{ ...line, note: 'For Ada Lovelace.' }]);
    const { fields } = await service.get(ErasureService).erase(id, operator);
    expect(fields).toContain('clientReference');
    const [entry] = await service
      .get(AuditService)
      .list({ subjectId: id, action: 'erased', limit: 1 });
    expect(entry?.details).toMatchObject({ notes: 1 });
    const stored = await service
      .get(Transactions)
      .read((tx) => tx.findBy(BespokeOffer, { enquiryId: id }));
    expect(stored.map(({ note }) => note)).toEqual([null]);
  });

  it('are made, accepted and expired in the sandbox', async () => {
    const test = await service.given.token({ kind: 'test' });
    const post = (path: string, body: object = {}) =>
      service.http.post<Answer & Enquiry>(path, body, { token: test });
    const advance = (id: string) => post(`/product-availability/test/enquiry/${id}/advance`);
    const at = async (postcode: string) => (await post(ENQUIRY, { postcode })).body.enquiryId;

    const id = await at('ZZ99 1BA');
    const { body } = await advance(id);
    expect([body.state, body.offers.map(({ state }) => state)]).toEqual([
      'offered',
      ['open', 'open'],
    ]);
    const { offerId, product } = body.offers[0]!;
    const accepted = await post(`${ENQUIRY}/${id}/acceptance`, { offerId });
    expect(outcome(accepted)).toEqual([201, null]);
    const order = await service.http.get(`${ORDER}/${accepted.body.orderId}`, { token: test });
    expect(order.body).toMatchObject({ product, state: 'inProgress' });

    const late = await at('ZZ99 1BB');
    const [first] = (await advance(late)).body.offers;
    expect(first?.state).toBe('expired');
    const refused = await post(`${ENQUIRY}/${late}/acceptance`, { offerId: first!.offerId });
    expect(outcome(refused)).toEqual([409, 'offer-expired']);
    expect((await advance(late)).body.state).toBe('expired');

    // No one's orders or offers but the client's.
    const counted = await service
      .get(Transactions)
      .read((tx) => tx.countBy(BespokeOffer, { enquiryId: id }));
    expect(counted).toBe(0);
  });

  describe('in a race', () => {
    /** Starts them in another order each time. */
    const race = <T>(round: number, ...starters: (() => Promise<T>)[]): Promise<T[]> => {
      const order = starters.map((_, i) => (i + round) % starters.length);
      const running = new Map(order.map((i) => [i, starters[i]!()]));
      return Promise.all(starters.map((_, i) => running.get(i)!));
    };
    const rounds = Array.from({ length: 6 }, (_, i) => i);

    it.each(rounds)('of two acceptances and a retry lead to one order (%i)', async (round) => {
      const { id, offers } = await offered([line, { ...line, price: 10 }]);
      const [one, two] = offers.map(({ offerId }) => offerId) as [string, string];
      const replies = await race(
        round,
        () => accept(id, one),
        () => accept(id, two),
        () => accept(id, one),
      );
      const orders = await ordersOf(id);
      expect(orders).toHaveLength(1);
      const won = replies.filter(({ status }) => status === 201);
      expect(new Set(won.map(({ body }) => body.orderId))).toEqual(new Set([orders[0]!.id]));
      const lost = replies.filter(({ status }) => status !== 201).map(outcome);
      expect(lost).toEqual(lost.map(() => [409, 'enquiry-moved']));
      expect((await states(id)).toSorted()).toEqual(['accepted', 'declined']);
    });

    it.each(rounds)('with a withdrawal, one of both happens (%i)', async (round) => {
      const { id, offers } = await offered();
      const { offerId } = offers[0]!;
      const [accepted, withdrawn] = await race(
        round,
        () => accept(id, offerId),
        () => staffPost(`${id}/offers/${offerId}/withdrawal`),
      );
      const orders = await ordersOf(id);
      if (orders.length === 1) {
        expect([accepted!, withdrawn!].map(outcome)).toEqual([
          [201, null],
          [409, 'enquiry-moved'],
        ]);
        expect([await states(id), (await read(id)).state]).toEqual([['accepted'], 'accepted']);
      } else {
        expect([accepted!, withdrawn!].map(outcome)).toEqual([
          [409, 'offer-withdrawn'],
          [200, null],
        ]);
        expect([await states(id), (await read(id)).state]).toEqual([['withdrawn'], 'inProgress']);
      }
    });

    it.each(rounds)('with its expiry and a decline, one of them happens (%i)', async (round) => {
      const { id, offers } = await offered();
      const { offerId, validUntil } = offers[0]!;
      const left = Date.parse(validUntil) - clock.now().getTime();
      clock.advance({ milliseconds: left });
      const expiry = async () => {
        clock.advance({ milliseconds: 1 });
        await instances[round % instances.length]!.get(OfferExpiryService).endOffers();
      };
      const [accepted] = await race(
        round,
        () => accept(id, offerId),
        () => decline(id),
        () => expiry().then(() => ({ status: 200, body: {} }) as Reply<Answer>),
      );
      const [order] = await ordersOf(id);
      expect(accepted!.status === 201).toBe(order !== undefined);
      const { state, offers: shown } = await read(id);
      expect([['accepted'], ['declined'], ['expired']]).toContainEqual([state]);
      expect(shown.map((one) => one.state)).toEqual([state]);
    });
  });
});
