import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { OrderActionsService } from '../../src/orders/staff/order-actions.service.js';
import { line, OfferDesk, outcome } from '../support/offers.js';
import { onOneEngine } from '../support/service.js';

interface Standing {
  readonly state: string;
  readonly ownerId: string | null;
}

onOneEngine('work of a disabled member of staff', (engine) => {
  let desk: OfferDesk;

  beforeAll(async () => {
    desk = await OfferDesk.open(engine);
  });
  beforeEach(async () => {
    await desk.newClient();
    await desk.service.get(StaffService).setEnabled(agent().id, true, operator);
  });

  const agent = () => desk.staff.agent.member;
  const leave = () => desk.service.get(StaffService).setEnabled(agent().id, false, operator);
  const standing = async (id: string): Promise<Standing> => {
    const { token } = desk.staff.manager;
    const path = `/follow-up/orders/${id}`;
    return (await desk.service.http.get<{ order: Standing }>(path, { token })).body.order;
  };
  const owned = async () => {
    const { orderId } = await desk.service.given.order({ token: desk.token, expedite: true });
    expect(outcome(await desk.staffPost(`${orderId}/claim`, { version: 0 }))).toEqual([200, null]);
    return orderId;
  };

  it('is counted', async () => {
    const held = () => desk.service.get(OrderActionsService).held(agent().id);
    const before = await held();
    await owned();
    expect(await held()).toBe(before + 1);
  });

  it('is not an order whose offer the client accepts: that waits', async () => {
    const { id, offers } = await desk.offered([line]);
    await leave();
    const { status, body } = await desk.accept(id, offers[0]!.offerId);
    expect(status).toBe(201);
    expect(await standing(body.orderId!)).toMatchObject({ state: 'waiting', ownerId: null });
  });

  it('is not an order that is reopened: that belongs to the person who reopens it', async () => {
    const id = await owned();
    const { manager } = desk.staff;
    const cancel = { version: 1, reason: 'test_request' };
    expect(outcome(await desk.staffPost(`${id}/cancel`, cancel, manager))).toEqual([200, null]);
    await leave();
    const reopen = { version: 2, reason: 'By mistake.' };
    expect(outcome(await desk.staffPost(`${id}/reopen`, reopen, manager))).toEqual([200, null]);
    const { id: ownerId } = manager.member;
    expect(await standing(id)).toMatchObject({ state: 'in_progress', ownerId });
  });

  it('is not an order whose charge is answered: that returns to the queue', async () => {
    const id = await owned();
    const charge = { category: 'expedite', amount: 10, note: 'Weekend work.', version: 1 };
    const proposed = await desk.staffPost(`${id}/charges`, charge);
    expect(proposed.status).toBe(201);
    const [made] = (proposed.body as unknown as { charges: [{ chargeId: string }] }).charges;
    await leave();
    const path = `/product-availability/order/${id}/charge/${made.chargeId}/answer`;
    expect((await desk.send(path, { accept: true }, desk.token)).status).toBe(200);
    expect(await standing(id)).toMatchObject({ state: 'waiting', ownerId: null });
  });

  it('closed enquiries keep the ends of their offers after a reopening or a new answer', async () => {
    const { manager } = desk.staff;
    const { id, offers } = await desk.offered([line]);
    const { offerId } = offers[0]!;
    const lost = { version: await desk.versionOf(id), reason: 'price' };
    expect(outcome(await desk.staffPost(`${id}/lose`, lost))).toEqual([200, null]);
    expect(outcome(await desk.accept(id, offerId))).toEqual([409, 'offer-withdrawn']);
    const reopen = { version: await desk.versionOf(id), reason: 'They called again.' };
    expect(outcome(await desk.staffPost(`${id}/reopen`, reopen, manager))).toEqual([200, null]);
    expect(await desk.states(id)).toEqual(['withdrawn']);
    expect(outcome(await desk.answer(id, [line]))).toEqual([201, null]);
    expect(await desk.states(id)).toEqual(['withdrawn', 'open']);
    expect(outcome(await desk.accept(id, offerId))).toEqual([409, 'offer-withdrawn']);
  });

  it('an offer that had expired before its enquiry was closed stays expired', async () => {
    const { id } = await desk.offered([{ ...line, validUntil: '2026-03-03' }, line]);
    desk.clock.advance({ days: 2 });
    expect((await desk.read(id)).offers.map(({ state }) => state)).toEqual(['expired', 'open']);
    const lost = { version: await desk.versionOf(id), reason: 'price' };
    expect(outcome(await desk.staffPost(`${id}/lose`, lost))).toEqual([200, null]);
    expect((await desk.read(id)).offers.map(({ state }) => state)).toEqual([
      'expired',
      'withdrawn',
    ]);
  });
});
