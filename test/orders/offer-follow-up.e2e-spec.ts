import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { ChargeResult } from '../../src/follow-up/charges/order-charges.dto.js';
import { StaleClaimsService } from '../../src/follow-up/moves/stale-claims.service.js';
import { Transactions } from '../../src/database/transactions.js';
import { DAY } from '../../src/kernel/time.js';
import { EmailFactsService } from '../../src/notifications/email-facts.service.js';
import { ChargesService } from '../../src/orders/charges/charges.service.js';
import type { ClientOrder } from '../../src/orders/orders.dto.js';
import { dear, type Enquiry, ENQUIRY, line, OfferDesk, ORDER, outcome } from '../support/offers.js';
import { onBothEngines } from '../support/service.js';

onBothEngines('the follow-up of an enquiry with offers', (engine) => {
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

  it('is in the reminder when its next action is due', async () => {
    const { id } = await desk.offered();
    const schedule = {
      version: await desk.versionOf(id),
      nextActionAt: new Date(desk.clock.now().getTime() + DAY),
      reason: 'awaiting_client',
    };
    expect(outcome(await desk.staffPost(`${id}/schedule`, schedule))).toEqual([200, null]);
    desk.clock.advance({ days: 2 });
    const facts = await desk.service
      .get(Transactions)
      .read((tx) => desk.service.get(EmailFactsService).facts('reminder', tx, ''));
    const due = facts!.groups.find(({ heading }) => heading.startsWith('Due'));
    expect(due?.items).toEqual([expect.stringContaining('ENQ-')]);
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
    await desk.staffPost(`${id}/offers/${body.items!.at(-1)!.offerId}/withdrawal`);
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
    const { body } = await desk.send<ChargeResult>(
      `/follow-up/orders/${id}/charges`,
      { version: await desk.versionOf(id), ...survey },
      desk.staff.agent.token,
    );
    return { id, chargeId: body.charge.chargeId, dueAt: body.charge.dueAt };
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
    await move(id, 'win');
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
