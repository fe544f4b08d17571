import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/databases.js';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { CheckRow } from '../../src/availability/check.entity.js';
import { type DemoWeek, fillDemoWeek } from '../../demo/week/week.js';
import { addWorkingTime } from '../../src/platform/kernel/working-hours.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { FollowUpPage } from '../../src/queue/lists/list.dto.js';
import { askReport } from '../support/reports.js';
import { DeadlinesService } from '../../src/orders/placing/deadlines.service.js';
import { lostReasonNames } from '../../src/orders/moves/move-fields.js';
import { moveRules } from '../../src/orders/moves/move-rules.js';
import { publicStateOf } from '../../src/orders/record/public-state.js';
import { moveNames } from '../../src/orders/moves/move-words.js';
import {
  enquiryStates,
  openStates,
  type OrderState,
  statesOf,
  type WorkKind,
} from '../../src/orders/record/order-states.js';
import { Delivery } from '../../src/orders/record/delivery.entity.js';
import { Charge } from '../../src/orders/record/charge.entity.js';
import { BespokeOffer } from '../../src/orders/record/bespoke-offer.entity.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { Watch } from '../../src/watches/watch.entity.js';
import { FakeClock } from '../support/fake-clock.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

const withoutMove = new Set([
  'charge_proposed',
  'delivery_changed',
  'cancellation_requested',
  'offer_submitted',
]);

const NOW = new Date('2026-11-19T11:30:00Z');
const HOUR = 3_600_000;

interface DemoService {
  readonly service: Service;
  readonly week: DemoWeek | null;
  readonly orders: Order[];
}

/** One service for each engine, for its tests and the comparison. */
const started = new Map<Engine, Promise<DemoService>>();

function demoOn(engine: Engine): Promise<DemoService> {
  const demo = started.get(engine) ?? start(engine);
  started.set(engine, demo);
  return demo;
}

async function start(engine: Engine): Promise<DemoService> {
  const service = await startService(engine, { clock: new FakeClock(NOW) });
  const week = await fillDemoWeek(service.app, NOW);
  const orders = await service
    .get(Transactions)
    .read((tx) => tx.find(Order, { order: { receivedAt: 'ASC', reference: 'ASC' } }));
  return { service, week, orders };
}

onOneEngine('the demo’s week', (engine) => {
  let service: Service;
  let week: DemoWeek | null;
  let orders: Order[];
  let entries: Map<string, AuditEntry[]>;
  beforeAll(async () => {
    ({ service, week, orders } = await demoOn(engine));
    const all = await service
      .get(Transactions)
      .read((tx) =>
        tx.find(AuditEntry, { where: { subjectType: 'order' }, order: { at: 'ASC', id: 'ASC' } }),
      );
    entries = new Map(orders.map(({ id }) => [id, []]));
    for (const entry of all) entries.get(entry.subjectId)!.push(entry);
  });

  const ofKind = (asked: WorkKind) => orders.filter(({ kind }) => kind === asked);

  it('has some eighty orders in every state, and thousands of checks', async () => {
    expect(ofKind('order').length).toBeGreaterThanOrEqual(75);
    const states = new Set(ofKind('order').map(({ state }) => state));
    expect([...states].sort()).toEqual(statesOf('order').sort());
    const checks = await service.get(Transactions).read((tx) => tx.count(CheckRow));
    expect(checks).toBeGreaterThanOrEqual(4_000);
    expect(week).toMatchObject({
      orders: ofKind('order').length,
      enquiries: ofKind('enquiry').length,
    });
    expect(orders.some(({ reopenings }) => reopenings > 0)).toBe(true);
  });

  it('has orders and enquiries that are found by the last four characters of their reference', async () => {
    const token = await service.given.token({ staff: await service.given.staff() });
    for (const { id, reference } of orders) {
      const path = `/follow-up/orders?view=all&q=${reference.slice(-4)}`;
      const { body } = await service.http.get<FollowUpPage>(path, { token });
      expect([reference, body.items.map(({ orderId }) => orderId)]).toEqual([
        reference,
        expect.arrayContaining([id]),
      ]);
    }
  });

  it('has orders on every basis, and open ones that need a firm offer', () => {
    const bases = ofKind('order').map(({ basis }) => basis);
    expect(new Set(bases)).toEqual(new Set(['firm', 'subjectToSurvey', 'indicative']));
    const open = orders.filter(({ basis, closedAt }) => basis === 'indicative' && !closedAt);
    expect(open.length).toBeGreaterThanOrEqual(3);
  });

  it('has consistent orders', () => {
    for (const order of orders) {
      const open = order.closedAt === null;
      expect([order.reference, (openStates as readonly string[]).includes(order.state)]).toEqual([
        order.reference,
        open,
      ]);
      if (open) expect(order.ownerId === null).toBe(order.state === 'waiting');
      // What a client has written makes an order due in any state.
      if (order.nextActionReason !== 'client_wrote') {
        expect(order.nextActionAt !== null).toBe(order.state === 'scheduled');
      }
      expect(order.lastEntryAt.getTime()).toBeLessThanOrEqual(NOW.getTime());
      const { calendar } = service.get(DeadlinesService);
      const due = addWorkingTime(order.receivedAt, 4 * HOUR, calendar);
      expect(order.firstContactDueAt).toEqual(due);
    }
  });

  it('has orders at every milestone, and a request to cancel', async () => {
    const deliveries = await service.get(Transactions).read((tx) => tx.find(Delivery));
    const done = deliveries.map(
      ({ milestones }) => Object.values(milestones).filter(({ doneOn }) => doneOn !== null).length,
    );
    expect([...new Set(done)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(deliveries.filter((one) => one.cancellationAskedAt !== null)).toHaveLength(1);
    expect(new Set(deliveries.map((one) => one.waitingParty))).toEqual(
      new Set(['client', 'operator', 'thirdParty', null]),
    );
  });

  it('has one entry for each move, which the table of states allows', () => {
    for (const order of orders) {
      const [first, ...rest] = entries.get(order.id)!;
      expect([first!.action, first!.at]).toEqual(['received', order.receivedAt]);
      // The order of an accepted offer belongs to the owner of its enquiry.
      let state = first!.details!.to as OrderState;
      expect(state).toBe(order.enquiryId === null ? 'waiting' : 'in_progress');
      let version = 0;
      for (const { action, details } of rest) {
        const rule = Object.values(moveRules).find((one) => one.action === action);
        // A proposed charge, a changed delivery and an answer that waits for approval are versions without a move.
        if (withoutMove.has(action)) version += 1;
        if (!rule) continue;
        expect(rule.from[order.kind]).toContain(state);
        version += 1;
        expect(details).toMatchObject({ from: state, version });
        state = details!.to as OrderState;
      }
      expect([order.state, order.version]).toEqual([state, version]);
    }
  });

  it('makes every move of the table', () => {
    const made = new Set([...entries.values()].flat().map(({ action }) => action));
    const missing = moveNames.filter((name) => !made.has(moveRules[name].action));
    // A due call-back is resumed by the person who takes the next order.
    expect(missing).toEqual(['resume']);
  });

  it.each([
    ['waiting', 12],
    ['mine', 6],
    ['due', 3],
    ['nearly-late', 2],
    ['late', 4],
    ['open', 35],
    ['closed', 25],
  ])('fills the view %s with at least %i orders', async (view, least) => {
    const viewer = await service.get(StaffService).find('manager@demo.example');
    const token = await service.given.token({ staff: viewer });
    const { body } = await service.http.get<FollowUpPage>(`/follow-up/orders?view=${view}`, {
      token,
    });
    expect(body.total).toBeGreaterThanOrEqual(least);
  });

  it('has enquiries in every public state, offers, an extra charge and watches', async () => {
    const states = new Set(ofKind('enquiry').map((one) => publicStateOf(one)));
    expect([...states].sort()).toEqual(
      enquiryStates.filter((state) => state !== 'cancelled').sort(),
    );
    const { offers, charges, watches } = await service.get(Transactions).read(async (tx) => ({
      offers: await tx.find(BespokeOffer),
      charges: await tx.find(Charge),
      watches: await tx.find(Watch),
    }));
    expect(new Set(offers.map(({ state }) => state))).toEqual(
      new Set(['open', 'awaitingApproval', 'accepted', 'declined', 'expired']),
    );
    expect(offers.filter(({ approverId }) => approverId !== null)).toHaveLength(2);
    const [accepted] = offers.filter(({ orderId }) => orderId !== null);
    expect(orders.find(({ id }) => id === accepted!.orderId)).toMatchObject({
      enquiryId: accepted!.enquiryId,
      productCode: accepted!.terms.productCode,
    });
    expect(charges.map(({ state }) => state)).toEqual(['awaitingResponse']);
    expect(watches.map(({ state }) => state).sort()).toEqual(['open', 'served']);
  });

  it('has lost demand outside London, and lost orders for every reason', async () => {
    const token = await service.given.staffToken('reports:read');
    const { items } = await askReport(service, token, 'demand');
    const lost = items.filter(({ checksWithoutProduct: none, checks }) => none === checks);
    expect(lost.length).toBeGreaterThan(80);
    expect(items.filter((row) => Number(row.orders) > 0).length).toBeGreaterThan(5);
    const reasons = (await askReport(service, token, 'lost-reasons')).items;
    expect(reasons.map(({ reason }) => reason).sort()).toEqual(Object.keys(lostReasonNames).sort());
  });

  it('is created only once', async () => {
    expect(await fillDemoWeek(service.app, NOW)).toBeNull();
    const count = await service.get(Transactions).read((tx) => tx.count(Order));
    expect(count).toBe(orders.length);
  });
});

describe('the demo’s week', () => {
  it('is the same on each database', async () => {
    const summaryOn = async (engine: Engine) =>
      (await demoOn(engine)).orders.map(
        ({
          reference,
          postcode,
          productFamily,
          termMonths,
          state,
          receivedAt,
          version,
          closedAt,
        }) =>
          `${reference} ${postcode} ${productFamily} ${termMonths} ${state} ${receivedAt.toISOString()} ${version} ${closedAt?.toISOString()}`,
      );
    const onSqlite = await summaryOn('sqlite');
    expect(onSqlite.length).toBeGreaterThanOrEqual(75);
    expect(await summaryOn('postgres')).toEqual(onSqlite);
  });
});
