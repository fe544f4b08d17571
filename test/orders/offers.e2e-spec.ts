import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { AuditService, operator } from '../../src/platform/audit/audit.service.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { BespokeOffer } from '../../src/orders/record/bespoke-offer.entity.js';
import { OfferExpiryService } from '../../src/orders/offers/offer-changes.service.js';
import { VersionEffectService } from '../../src/orders/views/version-effect.service.js';
import {
  type Answer,
  dear,
  type Enquiry,
  ENQUIRY,
  line,
  type Offer,
  OfferDesk,
  ORDER,
  outcome,
  terms,
} from '../support/offers.js';
import { onOneEngine } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

onOneEngine('bespoke offers', (engine) => {
  let desk: OfferDesk;
  beforeAll(async () => {
    desk = await OfferDesk.open(engine);
  });
  beforeEach(async () => {
    desk.clock.reset();
    await desk.newClient();
  });

  /** Whether an answer to the enquiry waits for a manager. Those of other tests may wait, too. */
  const isAwaited = async (id: string) => {
    const { body } = await desk.service.http.get<{ items: { orderId: string }[] }>(
      '/follow-up/orders?view=approvals&limit=200',
      { token: desk.staff.manager.token },
    );
    return body.items.some(({ orderId }) => orderId === id);
  };

  it('become an order at exactly the offered terms', async () => {
    const contact = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const uprn = '100023336956';
    const check = await desk.service.http.get<{ id: string }>(
      `/product-availability/premises/${uprn}?postcode=EC2A2BS`,
      { token: desk.token },
    );
    const checkId = check.body.id;
    const id = await desk.enquiry({ contact, notes: 'Two routes.', uprn, checkId });
    const sent = await desk.answer(id, [
      line,
      { ...line, term: 36, note: 'Cheaper over three years.' },
    ]);
    expect(outcome(sent)).toEqual([201, null]);
    const before = await desk.read(id);
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
    const accepted = await desk.accept(id, first.offerId);
    expect(outcome(accepted)).toEqual([201, null]);
    const { orderId } = accepted.body;
    expect(accepted.headers.location).toBe(`${ORDER}/${orderId}`);
    const after = await desk.read(id);
    expect([after.state, after.offers.map(({ state }) => state)]).toEqual([
      'accepted',
      ['accepted', 'declined'],
    ]);
    expect(after.offers[0]!.orderId).toBe(orderId);

    // A retry gets the same order; the other offer does not become another one.
    const again = await desk.accept(id, first.offerId);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body).toEqual(accepted.body);
    expect(outcome(await desk.accept(id, second.offerId))).toEqual([409, 'enquiry-moved']);
    expect(outcome(await desk.decline(id))).toEqual([409, 'enquiry-moved']);
    expect(await desk.ordersOf(id)).toHaveLength(1);

    const { productCode } = first.product;
    const order = (
      await desk.service.http.get<Record<string, unknown>>(`${ORDER}/${orderId}`, {
        token: desk.token,
      })
    ).body;
    expect([order.product, order.reference, order.state, order.uprn]).toEqual([
      { ...terms, productCode },
      'RFQ-1',
      'inProgress',
      uprn,
    ]);
    const asStaff = { token: desk.staff.agent.token };
    const detail = await desk.service.http.get<{ order: object; timeline: object[] }>(
      `/follow-up/orders/${orderId}`,
      asStaff,
    );
    expect(detail.body.order).toMatchObject({
      kind: 'order',
      product: { productCode },
      enquiryId: id,
      ownerId: desk.staff.agent.member.id,
      contact,
      notes: 'Two routes.',
      zone: 'ONNET',
      checkId,
    });
    expect(detail.body.timeline).toMatchObject([
      { action: 'received', details: { to: 'in_progress', enquiryId: id, offer: productCode } },
    ]);
    const queries = [`product=${productCode}`, 'family=BESPOKE', `q=${orderId}`, 'kind=order'];
    for (const query of queries) {
      const { body } = await desk.service.http.get<{ items: { orderId: string }[] }>(
        `/follow-up/orders?view=all&sort=-received&${query}`,
        asStaff,
      );
      const ids = body.items.map((item) => item.orderId);
      expect([query, ids]).toEqual([query, expect.arrayContaining([orderId])]);
    }
    const csv = await desk.service.http.get<string>(
      `/follow-up/orders.csv?view=all&product=${productCode}`,
      asStaff,
    );
    expect(csv.text).toContain(productCode);
    const { current } = desk.service.get(CatalogueService);
    expect((await desk.service.get(VersionEffectService).effect(current)).orders).toEqual([]);
  });

  it('reach the client by webhook and by email', async () => {
    const receiver = await WebhookReceiver.start();
    const webhook = await desk.service.http.send({
      method: 'PUT',
      path: '/product-availability/webhook',
      token: desk.token,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: receiver.url }),
    });
    expect(webhook.status).toBe(200);
    for (const one of desk.instances) await one.learnChanges();
    desk.mail.mails.splice(0);
    const { id, offers } = await desk.offered();
    desk.clock.advance({ minutes: 1 });
    await desk.service.get(DeliveryService).deliverDue();
    const events = receiver.hooks.map(
      ({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> },
    );
    const told = events.filter(({ data }) => data.enquiryId === id && data.state === 'offered');
    expect(told.map(({ type }) => type)).toEqual(['enquiry.offered']);
    expect(told[0]?.data).toMatchObject({
      enquiryId: id,
      reference: 'RFQ-1',
      state: 'offered',
      offers: [{ offerId: offers[0]!.offerId, validUntil: offers[0]!.validUntil }],
    });
    // Offers of other tests may be delivered now, too.
    const written = desk.mail.mails.find(({ source }) =>
      source.includes(offers[0]!.product.productCode),
    );
    expect(written?.to).toEqual(['grace@reseller.example']);
    expect(written?.source).toContain('Our offer for your enquiry');
  });

  it('wait for a manager other than their author above the limit', async () => {
    const id = await desk.enquiry();
    expect(outcome(await desk.answer(id, [line]))).toEqual([201, null]);
    const sent = await desk.answer(id, [line, dear], desk.staff.author);
    expect(outcome(sent)).toEqual([201, null]);
    const before = await desk.read(id);
    // The client keeps the offer that it has, and does not see the others.
    expect(before.offers.map(({ state }) => state)).toEqual(['open']);
    expect(await desk.states(id)).toEqual(['open', 'awaitingApproval', 'awaitingApproval']);
    const unseen = sent.body.offers![2]!;
    expect(outcome(await desk.accept(id, unseen.offerId))).toEqual([404, 'not-found']);

    expect(await isAwaited(id)).toBe(true);
    desk.clock.advance({ minutes: 1 });
    await desk.service.get(DeliveryService).deliverDue();
    const asked = desk.mail.mails.filter(
      ({ source }) =>
        source.includes('Approval needed') && source.includes(unseen.product.productCode),
    );
    expect(asked.map(({ to }) => to)).toEqual([[desk.staff.manager.member.email]]);
    expect(asked[0]!.source).toMatch(/Mary Manager[^]*£49,200.00[^]*\/staff\/approvals/);
    const approve = (by: typeof desk.staff.agent) => desk.decide(id, 2, undefined, by);
    expect(outcome(await approve(desk.staff.agent))).toEqual([403, 'not-permitted']);
    expect(outcome(await approve(desk.staff.author))).toEqual([403, 'not-permitted']);
    expect(outcome(await approve(desk.staff.manager))).toEqual([200, null]);
    expect(outcome(await approve(desk.staff.manager))).toEqual([409, 'enquiry-moved']);
    const after = await desk.read(id);
    expect(after.offers.map(({ state }) => state)).toEqual(['replaced', 'open', 'open']);
    const replaced = await desk.accept(id, before.offers[0]!.offerId);
    expect(outcome(replaced)).toEqual([409, 'offer-withdrawn']);
    expect(outcome(await desk.accept(id, unseen.offerId))).toEqual([201, null]);
  });

  it('are never seen by the client if a manager refuses them', async () => {
    const id = await desk.enquiry();
    expect(outcome(await desk.answer(id, [{ ...line, currency: 'EUR' }]))).toEqual([201, null]);
    for (const decision of [{}, { approve: false }, { approve: true, reason: 'Cheap.' }]) {
      const path = `${id}/answers/1/decision`;
      const faulty = await desk.staffPost(path, decision, desk.staff.manager);
      expect([decision, ...outcome(faulty)]).toEqual([decision, 400, 'validation-error']);
    }
    const refusal = await desk.decide(id, 1, 'Only in pounds.');
    expect(outcome(refusal)).toEqual([200, null]);
    expect([await desk.states(id), (await desk.read(id)).offers]).toEqual([['refused'], []]);
    expect((await desk.read(id)).state).toBe('inProgress');
  });

  it('can be withdrawn; without an open one the enquiry is in progress again', async () => {
    const { id, offers } = await desk.offered([line, line]);
    const withdraw = (n: number, by = desk.staff.agent) =>
      desk.staffPost(`${id}/offers/${offers[n]!.offerId}/withdrawal`, { note: 'Too cheap.' }, by);
    const other = await desk.service.given.staff({ role: 'agent' });
    const otherToken = await desk.service.given.token({ staff: other });
    const byOther = await withdraw(0, { member: other, token: otherToken });
    expect(outcome(byOther)).toEqual([403, 'not-permitted']);
    expect(outcome(await withdraw(0))).toEqual([200, null]);
    expect(outcome(await withdraw(0))).toEqual([409, 'enquiry-moved']);
    expect((await desk.read(id)).state).toBe('offered');
    expect(outcome(await desk.accept(id, offers[0]!.offerId))).toEqual([409, 'offer-withdrawn']);
    expect(outcome(await withdraw(1, desk.staff.manager))).toEqual([200, null]);
    const { state, offers: shown } = await desk.read(id);
    expect([state, shown.map((one) => one.state)]).toEqual([
      'inProgress',
      ['withdrawn', 'withdrawn'],
    ]);
  });

  it('expire by the desk.clock, and end the enquiry', async () => {
    const { id, offers } = await desk.offered([{ ...line, validUntil: '2026-03-07' }, line]);
    const [short, long] = offers as [Offer, Offer];
    // Saturday counts as the Monday after.
    expect(short.validUntil).toBe('2026-03-09T23:59:00.000Z');
    const end = () => desk.service.get(OfferExpiryService).endOffers();
    desk.clock.advance({ days: 8 });
    expect((await desk.read(id)).offers.map(({ state }) => state)).toEqual(['expired', 'open']);
    expect(outcome(await desk.accept(id, short.offerId))).toEqual([409, 'offer-expired']);
    await end();
    expect([(await desk.read(id)).state, await desk.states(id)]).toEqual([
      'offered',
      ['expired', 'open'],
    ]);
    desk.clock.advance({ days: 30 });
    expect(outcome(await desk.accept(id, long.offerId))).toEqual([409, 'offer-expired']);
    expect(outcome(await desk.decline(id))).toEqual([409, 'offer-expired']);
    await Promise.all(desk.instances.map((one) => one.get(OfferExpiryService).endOffers()));
    const { state, offers: shown } = await desk.read(id);
    expect([state, shown.map((one) => one.state)]).toEqual(['expired', ['expired', 'expired']]);
    expect(outcome(await desk.accept(id, long.offerId))).toEqual([409, 'offer-expired']);
  });

  it('are declined by the client, once', async () => {
    const { id, offers } = await desk.offered([line, line]);
    const declined = await desk.decline(id, { reason: 'Too dear.' });
    expect([declined.status, declined.body]).toMatchObject([
      200,
      { state: 'declined', offers: [{ state: 'declined' }, { state: 'declined' }] },
    ]);
    expect((await desk.decline(id)).status).toBe(200);
    expect(outcome(await desk.accept(id, offers[0]!.offerId))).toEqual([409, 'enquiry-moved']);
    expect(await desk.ordersOf(id)).toEqual([]);
  });

  it.each([false, true])('end with their enquiry; reopened since: %s', async (isReopened) => {
    const { id, offers } = await desk.offered();
    expect(outcome(await desk.answer(id, [dear], desk.staff.author))).toEqual([201, null]);
    const version = await desk.versionOf(id);
    const lost = await desk.staffPost(`${id}/lose`, { version, reason: 'not_serviceable' });
    expect([lost.status, await isAwaited(id)]).toEqual([200, false]);
    await desk.service.get(OfferExpiryService).endOffers();
    expect((await desk.read(id)).offers.map(({ state }) => state)).toEqual(['withdrawn']);
    expect(outcome(await desk.accept(id, offers[0]!.offerId))).toEqual([409, 'offer-withdrawn']);
    desk.clock.advance({ seconds: 15 });
    const reopening = { version: version + 1, reason: 'The client called.' };
    if (isReopened) await desk.staffPost(`${id}/reopen`, reopening);
    desk.clock.advance({ minutes: 1 });
    await desk.service.get(OfferExpiryService).endOffers();
    const stored = await desk.service
      .get(Transactions)
      .read((tx) => tx.findOneByOrFail(BespokeOffer, { id: offers[0]!.offerId }));
    expect(stored.state).toBe('withdrawn');
  });

  it('are as they were if the end of their enquiry is undone', async () => {
    const validUntil = desk.clock.now().toISOString().slice(0, 10);
    const { id, offers } = await desk.offered([{ ...line, validUntil }, line]);
    const [short, long] = offers as [Offer, Offer];
    const end = () => desk.service.get(OfferExpiryService).endOffers();
    const loseAndUndo = async (meanwhile: () => Promise<void>) => {
      const version = await desk.versionOf(id);
      const lost = await desk.staffPost(`${id}/lose`, { version, reason: 'not_serviceable' });
      expect(outcome(lost)).toEqual([200, null]);
      await meanwhile();
      const undone = await desk.staffPost(`${id}/undo`, { version: version + 1 });
      expect(outcome(undone)).toEqual([200, null]);
    };
    await loseAndUndo(async () => {
      const withdrawal = await desk.staffPost(`${id}/offers/${short.offerId}/withdrawal`);
      expect(outcome(withdrawal)).toEqual([409, 'enquiry-moved']);
    });
    expect(await desk.states(id)).toEqual(['open', 'open']);

    const expireWhileLost = async ({ validUntil }: { readonly validUntil: string }) => {
      const left = Date.parse(validUntil) - desk.clock.now().getTime();
      desk.clock.advance({ milliseconds: left - 1_000 });
      await loseAndUndo(async () => {
        desk.clock.advance({ seconds: 2 });
        await end();
      });
      await end();
    };
    await expireWhileLost(short);
    expect([(await desk.read(id)).state, await desk.states(id)]).toEqual([
      'offered',
      ['expired', 'open'],
    ]);

    await expireWhileLost(long);
    expect([(await desk.read(id)).state, await desk.states(id)]).toEqual([
      'expired',
      ['expired', 'expired'],
    ]);
  });

  it('are seen and accepted by their own client only', async () => {
    const { id, offers } = await desk.offered();
    desk.token = await desk.service.given.token();
    expect((await desk.service.http.get(`${ENQUIRY}/${id}`, { token: desk.token })).status).toBe(
      404,
    );
    expect(outcome(await desk.accept(id, offers[0]!.offerId))).toEqual([404, 'not-found']);
    expect(outcome(await desk.decline(id))).toEqual([404, 'not-found']);
  });

  it('are refused with every fault, and by staff who have seen an older version', async () => {
    const id = await desk.enquiry();
    const reply = await desk.answer(id, [
      { ...line, price: 1.005, validUntil: '2025-01-01' },
      { ...line, bandwidthCapacity: 1, currency: 'GBP' },
      { ...line, validUntil: '2027-03-03' },
    ]);
    expect([reply.status, reply.body]).toMatchObject([
      400,
      {
        errors: [
          { pointer: '/offers/0/price' },
          { pointer: '/offers/0/validUntil' },
          { pointer: '/offers/1/bandwidthCapacity' },
          { pointer: '/offers/2/validUntil' },
        ],
      },
    ]);
    const old = await desk.staffPost(`${id}/offers`, { version: 0, offers: [line] });
    expect(outcome(old)).toEqual([409, 'order-moved']);
    const six = await desk.answer(
      id,
      Array.from({ length: 6 }, () => line),
    );
    expect(six.status).toBe(400);
    const longest = await desk.answer(id, [{ ...line, validUntil: '2027-03-02' }]);
    expect(outcome(longest)).toEqual([201, null]);
    const placed = await desk.service.given.order({ token: desk.token });
    expect(
      outcome(await desk.staffPost(`${placed.orderId}/offers`, { version: 0, offers: [line] })),
    ).toEqual([404, 'not-found']);
  });

  it('lose their names and notes when personal data of the enquiry is erased', async () => {
    const { id } = await desk.offered([{ ...line, note: 'For Ada Lovelace.' }]);
    const { fields } = await desk.service.get(ErasureService).erase(id, operator);
    expect(fields).toContain('clientReference');
    const [entry] = await desk.service
      .get(AuditService)
      .list({ subjectId: id, action: 'erased', limit: 1 });
    expect(entry?.details).toMatchObject({ notes: 2 });
    const stored = await desk.service
      .get(Transactions)
      .read((tx) => tx.findBy(BespokeOffer, { enquiryId: id }));
    expect(stored.map(({ note }) => note)).toEqual([null]);
  });

  it('are made, accepted and expired in the sandbox', async () => {
    const test = await desk.service.given.token({ kind: 'test' });
    const post = (path: string, body: object = {}) =>
      desk.service.http.post<Answer & Enquiry>(path, body, { token: test });
    const advance = (id: string) => post(`/product-availability/test/enquiry/${id}/advance`);
    const at = async (postcode: string) => (await post(ENQUIRY, { postcode })).body.enquiryId;

    const id = await at('ZZ99 1BB');
    const { body } = await advance(id);
    expect([body.state, body.offers.map(({ state }) => state)]).toEqual([
      'offered',
      ['open', 'open'],
    ]);
    const { offerId, product } = body.offers[0]!;
    const accepted = await post(`${ENQUIRY}/${id}/acceptance`, { offerId });
    expect(outcome(accepted)).toEqual([201, null]);
    const order = await desk.service.http.get(`${ORDER}/${accepted.body.orderId}`, { token: test });
    expect(order.body).toMatchObject({ product, state: 'inProgress' });
    expect((await post(`${ENQUIRY}/${id}/acceptance`, { offerId })).body).toEqual(accepted.body);

    const late = await at('ZZ99 1BD');
    const [first] = (await advance(late)).body.offers;
    expect(first?.state).toBe('expired');
    const refused = await post(`${ENQUIRY}/${late}/acceptance`, { offerId: first!.offerId });
    expect(outcome(refused)).toEqual([409, 'offer-expired']);
    expect((await advance(late)).body.state).toBe('expired');

    // No one's orders or offers but the client's.
    const counted = await desk.service
      .get(Transactions)
      .read((tx) => tx.countBy(BespokeOffer, { enquiryId: id }));
    expect(counted).toBe(0);
  });
});
