import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { ChargesService } from '../../src/orders/charges/charges.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import type { ClientOrder, OrderRequest } from '../../src/orders/record/orders.dto.js';
import { RetentionService } from '../../src/platform/retention/retention.service.js';
import { Ledger } from '../support/ledger.js';
import { askReport } from '../support/reports.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { postAsStaff } from '../support/moves.js';

const config = {
  rateLimits: false,
  webhookKey: randomBytes(32),
  webhookNetworks: ['127.0.0.0/8'],
};
const survey = { category: 'survey', amount: 250, note: 'The duct is full.' };

interface Hook {
  readonly type: string;
  readonly data: { readonly chargeId?: string; readonly chargeState?: string };
}

type Answered = OrderDetail & FollowUpOrder & Refusal;

interface Refusal {
  readonly code: string;
  readonly state?: string;
}

onBothEngines('extra charges', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;
  let receiver: WebhookReceiver;
  let sam: string;
  let bo: string;
  let eve: string;
  let token: string;

  const person = async (name: string, role: 'agent' | 'manager') =>
    service.given.token({ staff: await service.given.staff({ name, role }) });

  beforeAll(async () => {
    service = await startService(engine, { config });
    await service.given.catalogue({
      prices: [
        'INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey',
        'INT-100M-12,ONNET,standard,208.00,GBP,10,0,firm',
      ],
    });
    receiver = await WebhookReceiver.start();
    await service.get(WebhooksService).add(receiver.url, null, operator);
    sam = await person('Sam Poole', 'agent');
    bo = await person('Bo Ross', 'manager');
    eve = await person('Eve Hill', 'agent');
    token = await service.given.token({ days: 3_650 });
  });
  beforeEach(async () => {
    // The tests before have left messages, and charges of orders that are closed.
    service.clock.advance({ seconds: 10 });
    await run();
    await events();
    service.clock.reset();
  });

  const staff = (by: string, id: string, path: string, body: object = {}) =>
    postAsStaff<Answered>(service.http, `/follow-up/orders/${id}/${path}`, body, { token: by });
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token: sam })).body;
  const clientSees = async (id: string) =>
    (await service.http.get<ClientOrder>(`/product-availability/order/${id}`, { token })).body;
  const answer = (id: string, chargeId: string, body: object, by = token) =>
    service.http.post<ClientOrder & Refusal>(
      `/product-availability/order/${id}/charge/${chargeId}/answer`,
      body,
      { token: by },
    );
  /** An order of Sam's, in progress. */
  const owned = async (about: Partial<OrderRequest> & { token?: string } = {}) => {
    const { orderId } = await service.given.order({ token, ...about });
    await staff(sam, orderId, 'claim', { version: 0 });
    return orderId;
  };
  const propose = async (id: string, about: object = {}, by = sam) => {
    const { version } = (await detailOf(id)).order;
    return staff(by, id, 'charges', { version, ...survey, ...about });
  };
  const proposed = async (id: string, about: object = {}) => {
    const { status, body } = await propose(id, about);
    const charge = body.charges.at(-1)!;
    expect([status, charge.state]).toEqual([201, 'awaitingResponse']);
    return charge.chargeId;
  };
  /** What the webhook has received since the last call. */
  const events = async () => {
    await service.get(DeliveryService).deliverDue();
    return receiver.hooks.splice(0).map(({ body }) => JSON.parse(body) as Hook);
  };
  const actionsOf = async (id: string) =>
    (await detailOf(id)).timeline.map(({ action }) => action).filter((one) => /charge/.test(one));
  const run = () => service.get(ChargesService).endOverdue();
  const rows = <Row>(sql: string) => service.get(Transactions).read((tx) => tx.query<Row[]>(sql));

  rule('are shown to both sides, and make it due the morning before they lapse', async () => {
    const id = await owned();
    await events();
    const chargeId = await proposed(id);
    const charge = {
      ...survey,
      chargeId,
      state: 'awaitingResponse',
      dueAt: '2026-03-09T23:59:00.000Z',
      proposedAt: service.clock.now().toISOString(),
      endedAt: null,
      answeredBy: null,
    };
    const order = await clientSees(id);
    expect(order).toMatchObject({ acceptExtraUpTo: null, charges: [charge], state: 'inProgress' });
    expect(order.updatedAt).toBe(charge.proposedAt);
    const detail = await detailOf(id);
    expect(detail).toMatchObject({
      charges: [charge],
      order: {
        state: 'scheduled',
        // In the morning of its last day.
        nextActionAt: '2026-03-09T09:00:00.000Z',
        nextActionReason: 'charge_open',
        chargesAwaiting: 250,
        chargesAccepted: 0,
      },
    });
    expect(await events()).toMatchObject([
      { type: 'order.charge-proposed', data: { chargeId, chargeState: 'awaitingResponse' } },
    ]);
  });

  rule('are refused on a firm price, by another agent, on another version, unowned', async () => {
    const firm = await owned({ productCode: 'INT-100M-12' });
    const { orderId: waiting } = await service.given.order({ token });
    const id = await owned();
    const refusals = [
      await propose(firm),
      await propose(id, {}, eve),
      await staff(sam, id, 'charges', { version: 0, ...survey }),
      await propose(waiting, {}, bo),
      await propose(id, { amount: 0.001 }),
      await propose(id, { amount: 0 }),
      await propose(id, { dueAt: service.clock.now() }),
    ];
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
      [422, 'extra-charges-excluded'],
      [403, 'not-permitted'],
      [409, 'order-moved'],
      [409, 'order-moved'],
      [400, 'validation-error'],
      [400, 'validation-error'],
      [400, 'validation-error'],
    ]);
    expect((await clientSees(id)).charges).toEqual([]);
  });

  rule('are answered once: the same again changes nothing, another is refused', async () => {
    const id = await owned();
    const chargeId = await proposed(id);
    await events();
    service.clock.advance({ minutes: 5 });
    const first = await answer(id, chargeId, { accept: true, by: 'Ada Lovelace' });
    expect([first.status, first.body]).toMatchObject([
      200,
      { charges: [{ state: 'accepted', answeredBy: 'Ada Lovelace' }] },
    ]);
    const again = await answer(id, chargeId, { accept: true, by: 'Ada Lovelace' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    for (const other of [{ accept: false }, { accept: true, by: 'Bob' }]) {
      const refused = await answer(id, chargeId, other);
      expect([refused.status, refused.body]).toMatchObject([
        409,
        { code: 'charge-answered', state: 'accepted' },
      ]);
    }
    expect(await events()).toMatchObject([
      { type: 'order.charge-answered', data: { chargeId, chargeState: 'accepted' } },
    ]);
    expect(await actionsOf(id)).toEqual(['charge_proposed', 'charge_accepted']);
    const { order } = await detailOf(id);
    expect(order).toMatchObject({
      due: true,
      nextActionReason: 'charge_answered',
      chargesAccepted: 250,
    });
  });

  rule('are those of the own orders only', async () => {
    const id = await owned();
    const chargeId = await proposed(id);
    const other = await service.given.token();
    const replies = [
      await answer(id, chargeId, { accept: true }, other),
      await answer(await owned(), chargeId, { accept: true }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404]);
    expect(await actionsOf(id)).toEqual(['charge_proposed']);
  });

  it('have one winner where two answers race', async () => {
    const id = await owned();
    const chargeId = await proposed(id);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        answer(id, chargeId, { accept: i % 2 === 0, by: `${i}` }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array<number>(7).fill(409),
    ]);
    const [charge] = (await clientSees(id)).charges;
    const winner = replies.findIndex(({ status }) => status === 200);
    expect(charge).toMatchObject({
      state: winner % 2 === 0 ? 'accepted' : 'rejected',
      answeredBy: `${winner}`,
    });
    expect(await actionsOf(id)).toHaveLength(2);
  });

  rule('are accepted in advance up to the sum that the order names', async () => {
    const id = await owned({ acceptExtraUpTo: 500 });
    await events();
    const states: string[] = [];
    for (const amount of [300, 250, 200.01, 200, 0.01]) {
      const { body } = await propose(id, { amount });
      states.push(body.charges.at(-1)!.state);
    }
    const open = 'awaitingResponse';
    expect(states).toEqual(['accepted', open, open, 'accepted', open]);
    expect((await detailOf(id)).order).toMatchObject({
      acceptExtraUpTo: 500,
      chargesAccepted: 500,
    });
    const told = (await events()).map(({ type, data }) => `${type} ${data.chargeState}`);
    expect(told.sort()).toEqual([
      ...Array<string>(2).fill('order.charge-proposed accepted'),
      ...Array<string>(3).fill(`order.charge-proposed ${open}`),
    ]);
    const [entry] = (await detailOf(id)).timeline.filter(({ action }) => /accepted/.test(action));
    expect(entry).toMatchObject({ actorType: 'system', details: { source: 'in advance' } });
  });

  it('never exceed that sum where proposals and answers race', async () => {
    const id = await owned({ acceptExtraUpTo: 500 });
    const chargeId = await proposed(id, { amount: 501 });
    const { version } = (await detailOf(id)).order;
    const raced = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        staff(i % 2 ? sam : bo, id, 'charges', { version, ...survey, amount: 300 }),
      ),
    );
    expect(raced.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(5).fill(409)]);
    const inProcess = await Promise.all(
      Array.from({ length: 4 }, () => propose(id, { amount: 150 })),
    );
    const [answered] = await Promise.all([
      answer(id, chargeId, { accept: false }),
      propose(id, { amount: 150 }),
    ]);
    expect(answered.status).toBe(200);
    expect(inProcess.some(({ status }) => status === 201)).toBe(true);
    const { charges } = await clientSees(id);
    const sum = charges
      .filter(({ state }) => state === 'accepted')
      .reduce((total, { amount }) => total + amount, 0);
    expect(sum).toBe(450);
  });

  it('lapse when they are due, and the order returns to its owner', async () => {
    const id = await owned();
    const dueAt = new Date(service.clock.now().getTime() + 60_000);
    const chargeId = await proposed(id, { dueAt });
    const later = new Date(service.clock.now().getTime() + 3_600_000);
    const { version } = (await detailOf(id)).order;
    const next = { version, nextActionAt: later, reason: 'awaiting_supplier' };
    expect((await staff(sam, id, 'schedule', next)).status).toBe(200);
    await events();
    expect(await run()).toBe(0);
    service.clock.advance({ minutes: 2 });
    const late = await answer(id, chargeId, { accept: true });
    expect([late.status, late.body.state]).toEqual([409, 'lapsed']);
    const lapsed = [{ state: 'lapsed', endedAt: dueAt.toISOString() }];
    expect((await clientSees(id)).charges).toMatchObject(lapsed);
    expect((await Promise.all([run(), run()])).reduce((a, b) => a + b)).toBe(1);
    expect((await clientSees(id)).charges).toMatchObject(lapsed);
    expect((await detailOf(id)).order).toMatchObject({
      state: 'scheduled',
      due: true,
      nextActionReason: 'charge_lapsed',
      chargesAwaiting: 0,
    });
    expect(await events()).toMatchObject([
      { type: 'order.charge-lapsed', data: { chargeId, chargeState: 'lapsed' } },
    ]);
    // The end of another charge leaves the order to what it is scheduled for.
    await staff(bo, id, `charges/${await proposed(id)}/withdrawal`);
    expect((await detailOf(id)).order.nextActionReason).toBe('charge_lapsed');
  });

  rule('are withdrawn by staff, or by the end of the order, and the wait ends', async () => {
    const id = await owned();
    const chargeId = await proposed(id);
    const refused = await staff(eve, id, `charges/${chargeId}/withdrawal`);
    expect([refused.status, refused.body.code]).toEqual([403, 'not-permitted']);
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await staff(bo, id, `charges/${chargeId}/withdrawal`);
      expect([status, body]).toMatchObject([
        200,
        { charges: [{ state: 'withdrawn' }], order: { state: 'in_progress', nextActionAt: null } },
      ]);
    }
    const last = await proposed(id, { dueAt: new Date(service.clock.now().getTime() + 5_000) });
    const { version } = (await detailOf(id)).order;
    await staff(sam, id, 'lose', { version, reason: 'price' });
    expect((await clientSees(id)).charges).toMatchObject([{}, { state: 'withdrawn' }]);
    // It is due, and the end of the order can be undone.
    service.clock.advance({ seconds: 9 });
    expect([await run(), (await answer(id, last, { accept: true })).status]).toEqual([0, 409]);
    service.clock.advance({ seconds: 1 });
    expect([await run(), await run()]).toEqual([1, 0]);
    expect(await actionsOf(id)).toEqual([
      ...['charge_proposed', 'charge_withdrawn', 'charge_proposed', 'charge_withdrawn'],
    ]);
    expect((await detailOf(id)).order.state).toBe('lost');
  });

  it('are answered by phone, and erased with the other personal data', async () => {
    const id = await owned();
    const chargeId = await proposed(id, { note: 'Ask for Zebedee.' });
    const heard = await staff(eve, id, `charges/${chargeId}/answer`, {
      accept: false,
      by: 'Ada Lovelace',
    });
    expect([heard.status, heard.body]).toMatchObject([
      200,
      {
        charges: [{ state: 'rejected', answeredBy: 'Ada Lovelace' }],
        order: { state: 'in_progress' },
      },
    ]);
    const found = () =>
      service.http.get<{ items: FollowUpOrder[] }>('/follow-up/orders?view=all&q=zebedee', {
        token: sam,
      });
    expect((await found()).body.items.map(({ orderId }) => orderId)).toEqual([id]);
    await service.get(ErasureService).erase(id, operator);
    expect((await found()).body.items).toEqual([]);
    const all = JSON.stringify([await detailOf(id), await rows('SELECT * FROM charges')]);
    expect(all).not.toMatch(/zebedee/i);
    expect((await clientSees(id)).charges).toMatchObject([{ note: null, answeredBy: null }]);
    expect((await detailOf(id)).timeline.at(-2)?.details).not.toMatchObject({
      answeredBy: 'Ada Lovelace',
    });
  });

  it('are counted in the report, by category and for a client', async () => {
    const client = await service.given.client();
    const own = await service.given.token({ client });
    const id = await owned({ token: own, acceptExtraUpTo: 300 });
    await propose(id, { amount: 200.5 });
    await propose(id, { amount: 100 });
    await propose(id, { amount: 50, category: 'expedite' });
    const manager = await person('Mo Reed', 'manager');
    const pounds = (amount: number) => [{ currency: 'GBP', amount }];
    const report = async (query: string) => {
      const { items } = await askReport(service, manager, `charges?${query}`);
      return items.map(({ category, proposed, amounts, accepted, acceptedAmounts }) => [
        ...[category, proposed, amounts, accepted, acceptedAmounts],
      ]);
    };
    expect(await report(`client=${client.id}`)).toEqual([
      ['survey', 2, pounds(300.5), 1, pounds(200.5)],
      ['expedite', 1, pounds(50), 1, pounds(50)],
    ]);
    expect(await report(`client=${client.id}&product=INT-100M-12`)).toEqual([]);
  });

  rule('are in exports', async () => {
    const { text } = await service.http.get('/follow-up/orders.csv?view=all', { token: sam });
    expect(text.split('\r\n')[0]).toContain(',acceptExtraUpTo,chargesAwaiting,chargesAccepted,');
  });

  it('are played by the sandbox, apart from live ones, and deleted with the test order', async () => {
    const test = await service.given.token({ kind: 'test' });
    const { orderId } = await service.given.order({
      token: test,
      postcode: 'ZZ99 1AZ',
      productCode: 'TEST-1G-12',
    });
    const ledger = new Ledger(service.config);
    const live = await ledger.count('charges');
    const advance = () =>
      service.http.post<ClientOrder>(
        `/product-availability/test/order/${orderId}/advance`,
        {},
        { token: test },
      );
    const { body } = await advance();
    const [charge] = body.charges;
    expect([body.state, charge]).toMatchObject([
      'inProgress',
      { amount: 250, state: 'awaitingResponse' },
    ]);
    const answered = await answer(orderId, charge!.chargeId, { accept: true }, test);
    expect([answered.status, answered.body.charges[0]?.state]).toEqual([200, 'accepted']);
    expect([(await advance()).body.state, await ledger.count('charges')]).toEqual([
      'accepted',
      live,
    ]);
    service.clock.advance({ days: 31 });
    await service.get(RetentionService).prune();
    expect(await ledger.count('test_charges')).toBe(0);
  });
});
