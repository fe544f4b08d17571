import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { OfferExpiryService } from '../../src/orders/offers/offer-changes.service.js';
import type { Reply } from '../support/http.js';
import { type Answer, line, OfferDesk, outcome } from '../support/offers.js';
import { onBothEngines } from '../support/service.js';

onBothEngines('acceptances in a race', (engine) => {
  let desk: OfferDesk;
  beforeAll(async () => {
    desk = await OfferDesk.open(engine, engine === 'postgres' ? 3 : 1);
  });
  beforeEach(() => desk.newClient());

  /** Starts them in another order each time. */
  const race = <T>(round: number, ...starters: (() => Promise<T>)[]): Promise<T[]> => {
    const order = starters.map((_, i) => (i + round) % starters.length);
    const running = new Map(order.map((i) => [i, starters[i]!()]));
    return Promise.all(starters.map((_, i) => running.get(i)!));
  };
  const rounds = Array.from({ length: 6 }, (_, i) => i);

  it.each(rounds)('of two acceptances and a retry lead to one order (%i)', async (round) => {
    const { id, offers } = await desk.offered([line, { ...line, price: 500 }]);
    const [one, two] = offers.map(({ offerId }) => offerId) as [string, string];
    const replies = await race(
      round,
      () => desk.accept(id, one),
      () => desk.accept(id, two),
      () => desk.accept(id, one),
    );
    const orders = await desk.ordersOf(id);
    expect(orders).toHaveLength(1);
    const won = replies.filter(({ status }) => status === 201);
    expect(new Set(won.map(({ body }) => body.orderId))).toEqual(new Set([orders[0]!.id]));
    const lost = replies.filter(({ status }) => status !== 201).map(outcome);
    expect(lost).toEqual(lost.map(() => [409, 'enquiry-moved']));
    expect((await desk.states(id)).toSorted()).toEqual(['accepted', 'declined']);
  });

  it.each(rounds)('with a withdrawal, one of both happens (%i)', async (round) => {
    const { id, offers } = await desk.offered();
    const { offerId } = offers[0]!;
    const [accepted, withdrawn] = await race(
      round,
      () => desk.accept(id, offerId),
      () => desk.staffPost(`${id}/offers/${offerId}/withdrawal`),
    );
    const orders = await desk.ordersOf(id);
    if (orders.length === 1) {
      expect([accepted!, withdrawn!].map(outcome)).toEqual([
        [201, null],
        [409, 'enquiry-moved'],
      ]);
      expect([await desk.states(id), (await desk.read(id)).state]).toEqual([
        ['accepted'],
        'accepted',
      ]);
    } else {
      expect([accepted!, withdrawn!].map(outcome)).toEqual([
        [409, 'offer-withdrawn'],
        [200, null],
      ]);
      expect([await desk.states(id), (await desk.read(id)).state]).toEqual([
        ['withdrawn'],
        'inProgress',
      ]);
    }
  });

  it.each(rounds)('with its expiry and a decline, one of them happens (%i)', async (round) => {
    const { id, offers } = await desk.offered();
    const { offerId, validUntil } = offers[0]!;
    const left = Date.parse(validUntil) - desk.clock.now().getTime();
    desk.clock.advance({ milliseconds: left });
    const expiry = async () => {
      desk.clock.advance({ milliseconds: 1 });
      await desk.instances[round % desk.instances.length]!.get(OfferExpiryService).endOffers();
    };
    const [accepted] = await race(
      round,
      () => desk.accept(id, offerId),
      () => desk.decline(id),
      () => expiry().then(() => ({ status: 200, body: {} }) as Reply<Answer>),
    );
    const [order] = await desk.ordersOf(id);
    expect(accepted!.status === 201).toBe(order !== undefined);
    const { state, offers: shown } = await desk.read(id);
    expect([['accepted'], ['declined'], ['expired']]).toContainEqual([state]);
    expect(shown.map((one) => one.state)).toEqual([state]);
  });
});
