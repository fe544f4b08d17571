import { beforeAll, expect, it } from '@jest/globals';
import { In, LessThan } from 'typeorm';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { TracksService } from '../../src/catalogue/track/tracks.service.js';
import { ReviewService } from '../../src/catalogue/versions/review.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { addRows } from '../../src/platform/database/engine/rows.js';
import { Charge } from '../../src/orders/record/charge.entity.js';
import { Delivery } from '../../src/orders/record/delivery.entity.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { tracksBefore } from '../../src/orders/delivery/live-orders.js';
import { addDays } from '../../src/platform/kernel/time.js';
import { newId } from '../../src/platform/database/new-id.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { textOf } from '../pages/queue/orders.given.js';

/** Orders that went live, on days before 2 March 2026. */
const LIVE_ORDERS = 24;

onOneEngine('what was promised against what happened', (engine) => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { publishTrack: 'all' } });
    await service.given.catalogue({
      prices: [
        'INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey',
        'ETH-1G-12,ONNET,standard,208.00,GBP,10,0,firm',
      ],
      products: ['INT-1G-12,1G Internet,1,10,12', 'ETH-1G-12,1G Ethernet,1,10,12'],
    });
    token = await service.given.token({ days: 3_650 });
    const clients = [token, await service.given.token({}), await service.given.token({})];
    for (let i = 0; i < LIVE_ORDERS; i += 1) {
      const { orderId } = await service.given.order({ token: clients[i % 3]! });
      await deliver(orderId, i);
    }
  });

  /** The order was accepted `60 + 2 i` days before it went live, and waited a part of them for its client; every second one was charged 200 more than the one before. */
  const deliver = (orderId: string, i: number) =>
    service.get(Transactions).run(async (tx) => {
      const liveOn = addDays('2026-03-01', -i);
      const acceptedOn = addDays(liveOn, -(60 + 2 * i));
      const order = await tx.findOneByOrFail(Order, { id: orderId });
      await tx.update(Order, { id: orderId }, { state: 'won', closedAt: order.receivedAt });
      await addRows(tx, Delivery, [
        {
          orderId,
          acceptedOn,
          promisedOn: addDays(acceptedOn, 84),
          serviceId: null,
          committedDate: null,
          dateChanges: [],
          milestones: { live: { plannedFor: null, doneOn: liveOn } },
          waitingParty: null,
          waitingWhat: null,
          waitingSince: null,
          waited: null,
          clientDays: i % 5 || null,
          remindedAt: null,
          liveOn,
          riskOn: null,
          cancellationAskedAt: null,
          unreportedSince: null,
          reportedAt: null,
        },
      ]);
      if (i % 2 !== 0) return;
      await addRows(tx, Charge, [
        charge(order, 10_000 * (i + 1)),
        charge(order, 7_000, { state: 'rejected' }),
        charge(order, 9_000, { category: 'cancellation' }),
      ]);
    });
  const charge = (
    { id: orderId, receivedAt }: Order,
    amountMinor: number,
    about: Partial<Charge> = {},
  ): Charge => ({
    id: newId(),
    orderId,
    category: 'construction',
    amountMinor,
    currency: 'GBP',
    note: 'Dig.',
    state: 'accepted',
    dueAt: receivedAt,
    proposedAt: receivedAt,
    proposedBy: newId(),
    endedAt: receivedAt,
    answeredBy: null,
    ...about,
  });
  const checked = async (by = token) => {
    const path = '/product-availability/postcode/EC2A2BS';
    const { body } = await service.http.get<AvailabilityResult>(path, { token: by });
    return new Map(body.availableProducts.map(({ productCode, track }) => [productCode, track]));
  };
  const refreshed = () => service.get(TracksService).refresh();

  it('is computed once a night, and equal to a count of the rows', async () => {
    await refreshed();
    const track = (await checked()).get('INT-1G-12')!;
    const rows = await service.get(Transactions).read(async (tx) => ({
      live: await tx.find(Delivery),
      charges: await tx.find(Charge),
    }));
    const took = rows.live
      .map(
        (one) =>
          [one, (Date.parse(one.liveOn!) - Date.parse(one.acceptedOn)) / 86_400_000] as const,
      )
      .map(([{ clientDays }, days]) => days - (clientDays ?? 0))
      .sort((a, b) => a - b);
    expect(took).toHaveLength(LIVE_ORDERS);
    const charged = rows.charges
      .filter(({ state, category }) => state === 'accepted' && category === 'construction')
      .map(({ amountMinor }) => amountMinor / 100)
      .sort((a, b) => a - b);
    expect(track).toEqual({
      orders: LIVE_ORDERS,
      chargedPercent: Math.round((charged.length / LIVE_ORDERS) * 100),
      medianCharge: charged[Math.ceil(charged.length / 2) - 1],
      leadTimeDays: { median: took[11], p80: took[19] },
    });
    expect((await checked()).get('ETH-1G-12')).toBeNull();

    // What changes by day counts from the next night on.
    const { orderId } = await service.given.order({ token });
    await deliver(orderId, 40);
    await refreshed();
    expect((await checked()).get('INT-1G-12')).toMatchObject({ orders: LIVE_ORDERS });
    service.clock.advance({ days: 1 });
    await refreshed();
    expect((await checked()).get('INT-1G-12')).toMatchObject({ orders: LIVE_ORDERS + 1 });
    service.clock.reset();
  });

  it('has what went live from 365 days ago until yesterday', async () => {
    const ends = [addDays('2026-03-02', -366), addDays('2026-03-02', -365), '2026-03-02'];
    const deliveries = await Promise.all(
      ends.map(async (liveOn, i) => {
        const { orderId } = await service.given.order({ token });
        await deliver(orderId, 2 * i + 1);
        await service.get(Transactions).run((tx) => tx.update(Delivery, { orderId }, { liveOn }));
        return orderId;
      }),
    );
    const transactions = service.get(Transactions);
    const live = await transactions.read((tx) =>
      tx.countBy(Delivery, { liveOn: LessThan('2026-03-02') }),
    );
    const track = (await tracksBefore(transactions, '2026-03-02')).of({
      ...{ productCode: 'INT-1G-12', zone: 'ONNET', currency: 'GBP' },
    });
    expect(track!.orders).toBe(live - 1);
    await transactions.run((tx) => tx.delete(Delivery, { orderId: In(deliveries) }));
  });

  it('names a zone whose lead time is not kept', async () => {
    await refreshed();
    const { warnings } = await service.get(ReviewService).preview(1);
    const late = warnings.find(({ rule }) => rule === 'lead-time-not-kept')!;
    expect(late.examples).toEqual([
      expect.stringMatching(/^ONNET promises 84 days, 80 % took up to \d+$/),
    ]);
  });

  it('is on the check page, and in the report', async () => {
    await refreshed();
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'manager' });
    const seen = textOf((await kim.get('/staff/check?postcode=EC2A2BS')).text);
    expect(seen).toMatch(/Of 2\d services that went live here in a year, half took up to \d+ days/);
    const report = await service.http.get<{ delivered: { zone: string; promised: number }[] }>(
      '/follow-up/reports/promised?from=2026-02-01&to=2026-03-01',
      { token: await service.given.token({ staff: kim.member }) },
    );
    expect(report.body.delivered).toMatchObject([
      // One of them took the 84 days.
      {
        zone: 'ONNET',
        family: 'INT',
        promised: 84,
        orders: LIVE_ORDERS,
        late: 9,
        afterCommitted: 0,
      },
    ]);
  });
});

it('is in the checks of test tokens, too', async () => {
  const service = await startService('sqlite', { config: { publishTrack: 'all' } });
  await service.given.catalogue({ prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,firm'] });
  const token = await service.given.token({ kind: 'test' });
  const path = '/product-availability/postcode/EC2A2BS';
  const { body } = await service.http.get<AvailabilityResult>(path, { token });
  expect(body.availableProducts[0]).toHaveProperty('track', null);
});

it('is left out of checks unless the operator publishes it', async () => {
  const service = await startService('sqlite');
  await service.given.catalogue({ prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,firm'] });
  const token = await service.given.token({});
  const path = '/product-availability/postcode/EC2A2BS';
  const { body } = await service.http.get<AvailabilityResult>(path, { token });
  expect(body.availableProducts[0]).not.toHaveProperty('track');
});
