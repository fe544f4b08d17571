import { beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { PlacingService } from '../../src/orders/placing/placing.service.js';
import { OfferExpiryService } from '../../src/orders/offers/offer-changes.service.js';
import { dear, ENQUIRY, line, OfferDesk } from '../support/offers.js';
import { onOneEngine } from '../support/service.js';

onOneEngine('bespoke offers in the work of staff', (engine) => {
  let desk: OfferDesk;
  beforeAll(async () => {
    desk = await OfferDesk.open(engine);
  });
  beforeEach(() => desk.newClient());

  const detailOf = async (id: string) =>
    (
      await desk.service.http.get<OrderDetail>(`/follow-up/orders/${id}`, {
        token: desk.staff.agent.token,
      })
    ).body.order;
  const move = async (id: string, name: string, body: object = {}, by = desk.staff.agent) => {
    const version = await desk.versionOf(id);
    expect((await desk.staffPost(`${id}/${name}`, { version, ...body }, by)).status).toBe(200);
  };

  it.each([
    ['first', [900, 500]],
    ['last', [500, 900]],
  ])('show the highest price that is open, also where it is the %s', async (_where, prices) => {
    const { id } = await desk.offered(prices.map((price) => ({ ...line, price })));
    expect((await detailOf(id)).offered).toEqual({ price: 900, currency: 'GBP' });
  });

  it('become an order that its owner has claimed at its arrival', async () => {
    const { id, offers } = await desk.offered();
    const { body } = await desk.accept(id, offers[0]!.offerId);
    const { ownerId, claimedAt, receivedAt } = await detailOf(body.orderId!);
    expect([ownerId, claimedAt]).toEqual([desk.staff.agent.member.id, receivedAt]);
  });

  it('are accepted by an id in capitals', async () => {
    const { id, offers } = await desk.offered();
    const { status, body } = await desk.accept(id, offers[0]!.offerId.toUpperCase());
    expect([status, (await desk.ordersOf(id))[0]?.id]).toEqual([201, body.orderId]);
  });

  it.each(['client', 'staff'])('become an order with a new reference by %s', async (by) => {
    const { reference: taken } = await detailOf((await desk.service.given.order()).orderId);
    const placing = desk.service.get(PlacingService);
    const { id, offers } = await desk.offered();
    const { offerId } = offers[0]!;
    const original = placing.columnsOf.bind(placing);
    const drawing = jest.spyOn(placing, 'columnsOf').mockImplementationOnce((...asked) => {
      return { ...original(...asked), reference: taken };
    });
    const accepted =
      by === 'client'
        ? await desk.accept(id, offerId)
        : await desk.staffPost(
            `${id}/offers/${offerId}/acceptance`,
            { by: 'Ada Lovelace' },
            desk.staff.manager,
          );
    drawing.mockRestore();
    expect(accepted.status).toBeLessThan(300);
    const [order] = await desk.ordersOf(id);
    expect((await detailOf(order!.id)).reference).not.toBe(taken);
  });

  it('become an order with the details of the acceptance before those of the enquiry', async () => {
    const id = await desk.enquiry({ details: { floor: '1', room: '1.01' } });
    const { offerId } = (await desk.answer(id, [line])).body.offers![0]!;
    const accepted = { offerId, details: { floor: '2' } };
    const { body } = await desk.send(`${ENQUIRY}/${id}/acceptance`, accepted, desk.token);
    expect((await detailOf(body.orderId!)).details).toMatchObject({ floor: '2', room: '1.01' });
  });

  it('become an order with the days that the client has chosen for the enquiry', async () => {
    const { id, offers } = await desk.offered();
    const preferredDays = { days: ['mon', 'thu'] };
    await desk.send(`${ENQUIRY}/${id}/amendment`, { preferredDays }, desk.token);
    const { body } = await desk.accept(id, offers[0]!.offerId);
    expect((await detailOf(body.orderId!)).preferredDays).toEqual(preferredDays);
  });

  it('no longer await approval once their enquiry was closed and reopened', async () => {
    const { id } = await desk.offered();
    await desk.answer(id, [dear]);
    await move(id, 'lose', { reason: 'competitor' });
    await move(id, 'reopen', { reason: 'They called back.' }, desk.staff.manager);
    desk.clock.advance({ minutes: 5 });
    await desk.service.get(OfferExpiryService).endOffers();
    expect(await desk.states(id)).toEqual(['withdrawn', 'withdrawn']);
  });

  it('name the manager who refused them, and end with their enquiry at once', async () => {
    const id = await desk.enquiry();
    await desk.answer(id, [dear]);
    const refused = await desk.decide(id, 1, 'Below our cost.');
    expect(refused.body.offers).toMatchObject([
      { state: 'refused', approverName: desk.staff.manager.member.name },
    ]);
    await desk.answer(id, [dear]);
    await move(id, 'lose', { reason: 'price' });
    expect(await desk.states(id)).toEqual(['refused', 'withdrawn']);
  });
});
