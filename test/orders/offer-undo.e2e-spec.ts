import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { dear, line, OfferDesk, outcome } from '../support/offers.js';
import { onOneEngine } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

onOneEngine('the sending of offers', (engine) => {
  let desk: OfferDesk;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    desk = await OfferDesk.open(engine);
    receiver = await WebhookReceiver.start();
  });
  beforeEach(async () => {
    await desk.newClient();
    const webhook = await desk.service.http.send({
      method: 'PUT',
      path: '/product-availability/webhook',
      token: desk.token,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: receiver.url }),
    });
    expect(webhook.status).toBe(200);
    await desk.service.learnChanges();
  });

  /** What has reached the client since the last call: types of events, and subjects of emails. */
  const received = async () => {
    await desk.service.get(DeliveryService).deliverDue();
    const events = receiver.hooks
      .splice(0)
      .map(({ body }) => (JSON.parse(body) as { type: string }).type);
    const mails = desk.mail.mails
      .splice(0)
      .filter(({ to }) => to.includes('grace@reseller.example'))
      .map(({ source }) => /^Subject: (Our offer|[^\r]+)/m.exec(source)?.[1]);
    return [...events, ...mails];
  };
  const undo = async (id: string, by = desk.staff.agent) =>
    desk.staffPost(`${id}/undo`, { version: await desk.versionOf(id) }, by);
  const stateOf = async (id: string) => {
    const { token } = desk.staff.agent;
    const { body } = await desk.service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token });
    return body.order.state;
  };
  const pass = async (seconds: number) => {
    desk.clock.advance({ seconds });
    return received();
  };

  it('reaches the client after ten seconds, not before', async () => {
    const id = await desk.enquiry();
    await pass(10);
    expect(outcome(await desk.answer(id, [line]))).toEqual([201, null]);
    expect(await pass(9)).toEqual([]);
    const all = await pass(1);
    expect(all).toContain('enquiry.offered');
    expect(all).toContain('Our offer');
    expect(outcome(await undo(id))).toEqual([409, 'order-moved']);
  });

  it('is undone: the client neither is notified nor sees the offers', async () => {
    const id = await desk.enquiry();
    await pass(10);
    await desk.answer(id, [line, line]);
    desk.clock.advance({ seconds: 9 });
    expect(outcome(await undo(id))).toEqual([200, null]);
    expect([await stateOf(id), await desk.states(id)]).toEqual([
      'in_progress',
      ['withdrawn', 'withdrawn'],
    ]);
    expect(await desk.read(id)).toMatchObject({ state: 'inProgress', offers: [] });
    expect(await pass(600)).toEqual([]);
    // Then the author sends another answer.
    await desk.answer(id, [line]);
    expect(await desk.states(id)).toEqual(['withdrawn', 'withdrawn', 'open']);
    expect(await pass(10)).toContain('Our offer');
  });

  it('restores the offers that it replaced', async () => {
    const { id, offers } = await desk.offered([line, line]);
    await pass(10);
    const before = await desk.read(id);
    await desk.answer(id, [{ ...line, price: 600 }]);
    expect(await desk.states(id)).toEqual(['replaced', 'replaced', 'open']);
    expect(outcome(await undo(id))).toEqual([200, null]);
    expect(await desk.states(id)).toEqual(['open', 'open', 'withdrawn']);
    const after = await desk.read(id);
    expect(after.offers).toEqual(before.offers);
    expect(await pass(60)).toEqual([]);
    expect((await desk.accept(id, offers[1]!.offerId)).status).toBe(201);
  });

  it('is undone by the manager who approved it: it awaits approval again', async () => {
    const id = await desk.enquiry();
    await desk.answer(id, [dear]);
    const approve = () => desk.decide(id, 1);
    expect(outcome(await approve())).toEqual([200, null]);
    expect(outcome(await undo(id))).toEqual([403, 'not-permitted']);
    expect(outcome(await undo(id, desk.staff.manager))).toEqual([200, null]);
    expect([await stateOf(id), await desk.states(id)]).toEqual([
      'in_progress',
      ['awaitingApproval'],
    ]);
    expect((await desk.read(id)).offers).toEqual([]);
    expect(outcome(await approve())).toEqual([200, null]);
  });

  it('cannot be undone once the client has accepted an offer', async () => {
    const { id, offers } = await desk.offered();
    expect((await desk.accept(id, offers[0]!.offerId)).status).toBe(201);
    expect(outcome(await undo(id))).toEqual([409, 'order-moved']);
    expect(await desk.states(id)).toEqual(['accepted']);
  });

  it('cannot be undone once one of the offers was withdrawn', async () => {
    const { id, offers } = await desk.offered([line, line]);
    const withdrawn = await desk.staffPost(`${id}/offers/${offers[0]!.offerId}/withdrawal`);
    expect(outcome(withdrawn)).toEqual([200, null]);
    expect(outcome(await undo(id))).toEqual([409, 'order-moved']);
    expect(await desk.states(id)).toEqual(['withdrawn', 'open']);
  });

  it('has one winner where undo and acceptance race', async () => {
    const { id, offers } = await desk.offered();
    const version = await desk.versionOf(id);
    const [undone, accepted] = await Promise.all([
      desk.staffPost(`${id}/undo`, { version }),
      desk.accept(id, offers[0]!.offerId),
    ]);
    const isUndone = undone.status === 200;
    expect(accepted.status === 201).toBe(!isUndone);
    expect([await desk.states(id), await desk.ordersOf(id)]).toEqual([
      [isUndone ? 'withdrawn' : 'accepted'],
      isUndone ? [] : [expect.anything()],
    ]);
  });

  it('waits for a manager far below the list price', async () => {
    const id = await desk.enquiry();
    const sent = await desk.answer(id, [{ ...line, price: 0, setupPrice: 0 }]);
    expect(outcome(sent)).toEqual([201, null]);
    await desk.answer(id, [{ ...line, price: 20, setupPrice: 0 }]);
    const { body } = await desk.service.http.get<{
      offers: { state: string; approvalReason: string | null }[];
    }>(`/follow-up/orders/${id}`, { token: desk.staff.agent.token });
    expect(body.offers.map(({ state, approvalReason }) => [state, approvalReason])).toEqual([
      ['replaced', 'without a monthly price'],
      ['awaitingApproval', '96 % below the list price of £10,800.00 (INT-1G-36, ONNET)'],
    ]);
    expect((await desk.read(id)).offers).toEqual([]);
  });
});
