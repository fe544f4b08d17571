import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { ApiClient } from '../../src/clients/api-client.entity.js';
import { StaleClaimsService } from '../../src/queue/waiting/waiting-orders.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { EmailFacts } from '../../src/platform/notifications/messages/email-words.js';
import { EmailKindsService } from '../../src/platform/notifications/messages/email-kinds.service.js';
import type { TakenOrder } from '../../src/orders/staff/moves.dto.js';
import { StaffOffersService } from '../../src/orders/offers/staff-offers.service.js';
import { CountsService } from '../../src/queue/lists/counts.service.js';
import type { StaffCaller } from '../../src/platform/access/caller.js';
import { OfferExpiryService } from '../../src/orders/offers/offer-changes.service.js';
import { ChargesService } from '../../src/orders/charges/charges.service.js';
import { nextDueOf, Order } from '../../src/orders/record/order.entity.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import {
  dear,
  type Enquiry,
  ENQUIRY,
  line,
  type Offer,
  OfferDesk,
  ORDER,
  outcome,
} from '../support/offers.js';
import { onOneEngine } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

onOneEngine('the follow-up of an enquiry with offers', (engine) => {
  let desk: OfferDesk;
  beforeAll(async () => {
    desk = await OfferDesk.open(engine);
  });
  beforeEach(async () => {
    desk.clock.reset();
    await desk.newClient();
  });

  it('stays with its owner, and other stale claims are released', async () => {
    const { id } = await desk.offered();
    desk.clock.advance({ seconds: 1 });
    const stale = await desk.enquiry();
    desk.clock.advance({ days: 7 });
    await desk.service.get(StaleClaimsService).releaseStale();
    expect([(await desk.read(id)).state, (await desk.read(stale)).state]).toEqual([
      'offered',
      'acknowledged',
    ]);
  });

  it('keeps offers that wait for a manager from staff who have not seen them', async () => {
    const id = await desk.enquiry();
    const body = { version: await desk.versionOf(id), offers: [dear] };
    expect((await desk.staffPost(`${id}/offers`, body)).status).toBe(201);
    const again = await desk.staffPost(`${id}/offers`, body);
    expect(outcome(again)).toEqual([409, 'order-moved']);
    expect(await desk.states(id)).toEqual(['awaitingApproval']);
  });

  it('has no offers to approve or refuse once it is closed', async () => {
    const id = await desk.enquiry();
    expect((await desk.answer(id, [dear], desk.staff.author)).status).toBe(201);
    const closing = { move: 'cancel', version: await desk.versionOf(id), reason: 'client_request' };
    expect((await desk.staffPost(`${id}/moves`, closing, desk.staff.manager)).status).toBe(200);
    for (const reason of [undefined, 'Below cost.']) {
      expect(outcome(await desk.decide(id, 1, reason))).toEqual([409, 'enquiry-moved']);
    }
  });

  it('is in the reminder when its next action is due', async () => {
    const { id } = await desk.offered();
    await desk.schedule(id);
    desk.clock.advance({ days: 2 });
    const reminder = desk.service.get(EmailKindsService).find('reminder')!;
    const letter = await desk.service.get(Transactions).read((tx) => reminder.facts(tx, ''));
    const groups = letter!.facts.groups as EmailFacts[];
    const due = groups.find(({ heading }) => (heading as string).startsWith('Due'));
    expect(due?.orders).toEqual([
      { link: expect.stringContaining('/ENQ-'), text: expect.stringMatching(/^ENQ-/) },
    ]);
  });

  it('is taken next by its owner when its call is due, and stays offered', async () => {
    const { id } = await desk.offered();
    await desk.schedule(id);
    desk.clock.advance({ days: 2 });
    const { agent } = desk.staff;
    const due = async () => {
      const caller = { kind: 'staff', staffId: agent.member.id, role: 'agent' } as StaffCaller;
      return (await desk.service.get(CountsService).ofViews(caller)).due;
    };
    const calls = await due();
    expect(calls).toBeGreaterThan(0);
    const taken: TakenOrder[] = [];
    for (let n = 0; n < calls; n += 1) {
      taken.push((await desk.send<TakenOrder>('/follow-up/take-next', {}, agent.token)).body);
    }
    expect(taken.map(({ why }) => why)).toEqual(taken.map(() => 'call-back due'));
    const order = taken.map((one) => one.order).find((one) => one?.orderId === id);
    expect(order).toMatchObject({ state: 'offered', due: true });
    // The call is due until it is recorded.
    expect([await due(), (await desk.read(id)).state]).toEqual([calls, 'offered']);
    const call = { version: order!.version, channel: 'phone', result: 'reached' };
    await desk.staffPost(`${id}/logContact`, call);
    expect([await due(), (await desk.read(id)).state]).toEqual([calls - 1, 'offered']);
  });

  it('has a call that its owner can cancel, once', async () => {
    const { id } = await desk.offered();
    const ada = await StaffBrowser.signedIn(desk.service, {}, desk.staff.agent.member);
    const path = (await ada.get(`/staff/orders/${id}`)).headers.location!;
    const offersToCancel = async () => (await ada.get(path)).text.includes(`"${path}/resume"`);
    expect(await offersToCancel()).toBe(false);
    await desk.schedule(id);
    expect(await offersToCancel()).toBe(true);
    const resume = async () =>
      outcome(await desk.staffPost(`${id}/resume`, { version: await desk.versionOf(id) }));
    expect(await resume()).toEqual([200, null]);
    expect([await offersToCancel(), (await desk.read(id)).state]).toEqual([false, 'offered']);
    expect(await resume()).toEqual([409, 'order-moved']);
  });

  it('ends with an order when staff record that the client accepts', async () => {
    const { id, offers } = await desk.offered([line, line]);
    const [{ offerId }] = offers as [Offer];
    const record = (by = desk.staff.agent, body: object = { by: 'Ada Lovelace' }) =>
      desk.staffPost(`${id}/offers/${offerId}/acceptance`, body, by);
    // The author alone binds no client.
    expect(outcome(await record())).toEqual([403, 'not-permitted']);
    expect(outcome(await record(desk.staff.manager, {}))).toEqual([400, 'validation-error']);

    const recorded = await record(desk.staff.manager);
    expect(outcome(recorded)).toEqual([200, null]);
    expect(await desk.states(id)).toEqual(['accepted', 'declined']);
    const [order] = await desk.ordersOf(id);
    expect((await desk.read(id)).state).toBe('accepted');
    expect(recorded.body.offers![0]).toMatchObject({ state: 'accepted', orderId: order!.id });
    expect(outcome(await record())).toEqual([200, null]);
    const again = await desk.accept(id, offerId);
    expect([again.status, again.body.orderId]).toEqual([201, order!.id]);
    expect(await desk.ordersOf(id)).toHaveLength(1);

    const token = desk.staff.agent.token;
    const found = await desk.service.http.get<{ items: { orderId: string }[] }>(
      '/follow-up/orders?view=all&bandwidth=2',
      { token },
    );
    expect(found.body.items.map(({ orderId }) => orderId)).toContain(order!.id);
    const detailOf = async (one: string) =>
      (
        await desk.service.http.get<{ order: object; timeline: object[] }>(
          `/follow-up/orders/${one}`,
          { token },
        )
      ).body;
    const detail = await detailOf(order!.id);
    // The call counts as the first contact with the client; the order stays with the owner of the enquiry.
    expect(detail.order).toMatchObject({
      enquiryId: id,
      state: 'in_progress',
      ownerId: desk.staff.agent.member.id,
      contactAttempts: 1,
    });
    expect(order!.nextDueAt).toEqual(nextDueOf(order!));
    expect(detail.timeline).toMatchObject([
      { action: 'received', details: { source: 'telephone' } },
    ]);
    const accepted = (await detailOf(id)).timeline.find(
      (entry) => (entry as { action: string }).action === 'offer_accepted',
    );
    expect(accepted).toMatchObject({
      actorName: desk.staff.manager.member.name,
      details: { answeredBy: 'Ada Lovelace' },
    });
  });

  it('does not end with an offer that has ended, nor for a disabled client', async () => {
    const { id, offers } = await desk.offered([{ ...line, validUntil: '2026-03-09' }, line]);
    const record = (n: number) =>
      desk.staffPost(
        `${id}/offers/${offers[n]!.offerId}/acceptance`,
        { by: 'Ada' },
        desk.staff.manager,
      );
    desk.clock.advance({ days: 8 });
    expect(outcome(await record(0))).toEqual([409, 'offer-expired']);
    await desk.staffPost(`${id}/offers/${offers[1]!.offerId}/withdrawal`);
    expect(outcome(await record(1))).toEqual([409, 'offer-withdrawn']);
    const next = await desk.offered([line]);
    await desk.service.get(Transactions).run(async (tx) => {
      const { clientId } = await tx.findOneByOrFail(Order, { id: next.id });
      await tx.update(ApiClient, { id: clientId }, { enabled: false });
    });
    const refused = await desk.staffPost(
      `${next.id}/offers/${next.offers[0]!.offerId}/acceptance`,
      { by: 'Ada' },
      desk.staff.manager,
    );
    expect(outcome(refused)).toEqual([403, 'not-permitted']);
    expect(await desk.states(next.id)).toEqual(['open']);
  });

  it.each([
    [19, 'withdrawn'],
    [21, 'withdrawn'],
  ])('has what awaited approval, %i seconds after it was lost, as %s', async (seconds, state) => {
    const id = await desk.enquiry();
    await desk.answer(id, [dear]);
    const move = async (path: string, reason: string) =>
      outcome(await desk.staffPost(`${id}/${path}`, { version: await desk.versionOf(id), reason }));
    expect(await move('lose', 'price')).toEqual([200, null]);
    desk.clock.advance({ seconds });
    await desk.service.get(OfferExpiryService).endOffers();
    expect(await move('reopen', 'They called again.')).toEqual([200, null]);
    expect(await desk.states(id)).toEqual([state]);
  });

  it('starts the next answer from one that was refused, not from one that still awaits approval', async () => {
    const id = await desk.enquiry();
    await desk.answer(id, [dear]);
    const unseen = async () =>
      (await desk.service.get(StaffOffersService).start(id)).unseen.map(
        ({ product }) => product.price,
      );
    expect(await unseen()).toEqual([]);
    const refused = await desk.decide(id, 1, 'Too dear.');
    expect([...outcome(refused), await unseen()]).toEqual([200, null, [dear.price]]);
  });

  it('is counted for approval while it is open', async () => {
    const counts = desk.service.get(CountsService);
    const member = desk.staff.manager.member;
    const caller = { kind: 'staff', staffId: member.id, role: 'manager' } as StaffCaller;
    const approvals = async () => (await counts.ofViews(caller)).approvals;
    const before = await approvals();
    const id = await desk.enquiry();
    await desk.answer(id, [dear]);
    const counted = await approvals();
    const cancelled = { version: await desk.versionOf(id), reason: 'client_request' };
    await desk.staffPost(`${id}/cancel`, cancelled);
    expect([counted - before, (await approvals()) - before]).toEqual([1, 0]);
  });

  it('moves updatedAt when its offers change, for clients that poll', async () => {
    const { id } = await desk.offered([line, line]);
    const changed = async () => {
      const since = desk.clock.now().toISOString();
      const { body } = await desk.service.http.get<{ items: Enquiry[] }>(
        `${ENQUIRY}?updatedSince=${since}`,
        { token: desk.token },
      );
      return body.items.map(({ enquiryId }) => enquiryId);
    };
    desk.clock.advance({ hours: 1 });
    expect(await changed()).toEqual([]);
    const { body } = await desk.answer(id, [line, line]);
    expect(await changed()).toEqual([id]);
    desk.clock.advance({ hours: 1 });
    await desk.staffPost(`${id}/offers/${body.offers!.at(-1)!.offerId}/withdrawal`);
    expect(await changed()).toEqual([id]);
    desk.clock.advance({ hours: 1 });
    // The client does not see what waits for approval.
    await desk.answer(id, [dear]);
    await desk.answer(id, [dear]);
    expect([await changed(), (await desk.states(id)).at(-1)]).toEqual([[], 'awaitingApproval']);
  });

  it('refuses an offer until a day that no calendar has, and one whose last minute has begun', async () => {
    const id = await desk.enquiry();
    desk.clock.advance({ hours: 14, minutes: 59 });
    const until = (validUntil: string) => desk.answer(id, [{ ...line, validUntil }]);
    for (const day of ['2026-04-31', '2026-03-02']) {
      expect(outcome(await until(day))).toEqual([400, 'validation-error']);
    }
    expect(outcome(await until('2026-03-03'))).toEqual([201, null]);
  });

  /** An accepted offer with a charge. */
  const charged = async (dueAt: Date | null = new Date(desk.clock.now().getTime() + 5_000)) => {
    const { id: enquiry, offers } = await desk.offered();
    const { orderId: id = '' } = (await desk.accept(enquiry, offers[0]!.offerId)).body;
    const survey = { category: 'survey', amount: 250, note: 'The duct is full.', dueAt };
    const { body } = await desk.send<OrderDetail>(
      `/follow-up/orders/${id}/charges`,
      { version: await desk.versionOf(id), ...survey },
      desk.staff.agent.token,
    );
    const { chargeId, dueAt: due } = body.charges.at(-1)!;
    return { id, chargeId, dueAt: due };
  };
  const move = async (id: string, path: string, body: object = {}) =>
    desk.staffPost(`${id}/${path}`, { version: await desk.versionOf(id), ...body });

  it('cannot undo the release of its order once a charge was answered', async () => {
    const { id, chargeId } = await charged();
    expect(outcome(await move(id, 'release', { reason: 'On leave.' }))).toEqual([200, null]);
    const answered = await desk.send(
      `${ORDER}/${id}/charge/${chargeId}/answer`,
      { accept: true },
      desk.token,
    );
    expect(outcome(answered)).toEqual([200, null]);
    expect(outcome(await move(id, 'undo'))).toEqual([409, 'order-moved']);
  });

  it('has the usual due date for a charge where a client sends null', async () => {
    expect((await charged(null)).dueAt).toBe('2026-03-09T23:59:00.000Z');
  });

  it('undoes the end of its order after a charge became due, which then lapses', async () => {
    const { id } = await charged();
    await move(id, 'lose', { reason: 'price' });
    desk.clock.advance({ seconds: 6 });
    await desk.service.get(ChargesService).endOverdue();
    expect(outcome(await move(id, 'undo'))).toEqual([200, null]);
    await desk.service.get(ChargesService).endOverdue();
    const { body } = await desk.service.http.get<ClientOrder>(`${ORDER}/${id}`, {
      token: desk.token,
    });
    expect(body.charges).toMatchObject([{ state: 'lapsed' }]);
  });
});
