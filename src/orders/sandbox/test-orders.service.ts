import { requireSandbox, SANDBOX } from '../../platform/database/sides.js';
import { completed } from '../../catalogue/content/offers.js';
import { Injectable } from '@nestjs/common';
import type { ClientCaller } from '../../platform/access/caller.js';
import type { Actor } from '../../platform/audit/audit.service.js';
import { parseSandboxPostcode } from '../../platform/kernel/postcode.js';
import {
  SANDBOX_CHARGE,
  type SandboxCase,
  sandboxCaseAt,
} from '../../platform/kernel/sandbox-postcodes.js';
import { ChargesService } from '../charges/charges.service.js';
import type { ClientEnquiry } from '../record/enquiries.dto.js';
import { ClientOrdersService } from '../views/client-orders.service.js';
import { enquiryView, orderView } from '../views/client-views.js';
import type { Order } from '../record/order.entity.js';
import type {
  EnquiryTestTarget,
  WorkKind,
  TestTarget,
  EnquiryState,
  PublicState,
} from '../record/order-states.js';
import type { ClientOrder } from '../record/orders.dto.js';
import { TestOrderNotFound, TestOrderStays } from '../record/orders.errors.js';
import type { Move, Mover } from '../moves/move-contents.js';
import { isUnread } from '../moves/move-rules.js';
import { MovesService } from '../moves/moves.service.js';
import { publicStateOf } from '../record/public-state.js';
import { Clock } from '../../platform/kernel/clock.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import type { DeliveryChange } from '../delivery/delivery-rules.js';
import { openCancellationCharges } from '../charges/charge-steps.service.js';
import { deliveryOf, OrderDeliveriesService } from '../delivery/order-deliveries.service.js';
import { type MilestoneCode, milestoneCodes } from '../record/milestones.js';
import { MINUTE } from '../../platform/kernel/time.js';
import { OfferChangesService } from '../offers/offer-changes.service.js';
import { type OrdersTx, ordersOn } from '../record/order-tables.js';
import type { OfferState } from '../record/offer-states.js';
import { type OfferLine, OffersService } from '../offers/offers.service.js';
import { Between, In, LessThan } from 'typeorm';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import {
  OutboxMessage,
  withBodyAbout,
} from '../../platform/notifications/messages/outbox-message.entity.js';
import { IdempotencyKey } from '../placing/idempotency-key.entity.js';

/** Acts as staff, who never see test orders. */
export const sandboxStaff = {
  kind: 'staff',
  id: '00000000-0000-0000-0000-000000000000',
  name: 'sandbox',
  manager: true,
} as const satisfies Mover;

const lines: readonly OfferLine[] = [
  {
    name: '2G Internet over microwave',
    bandwidthProvisioned: 2,
    bandwidthCapacity: 10,
    term: 24,
    price: 650,
    setupPrice: 1_200,
    currency: 'GBP',
    leadTimeDays: 60,
    basis: 'subjectToSurvey',
    note: 'A survey confirms the line of sight.',
  },
  {
    name: '2G Internet over fibre',
    bandwidthProvisioned: 2,
    bandwidthCapacity: 10,
    term: 36,
    price: 580,
    setupPrice: 0,
    currency: 'GBP',
    leadTimeDays: 180,
    basis: 'firm',
  },
];

/** Plays the staff who answer a test enquiry. */
@Injectable()
export class TestOffersService {
  constructor(
    private readonly offers: OffersService,
    private readonly changes: OfferChangesService,
    private readonly clock: Clock,
  ) {}

  /** Answers with two offers. @param isExpired their time is over at once */
  async send(tx: OrdersTx, enquiryId: string, isExpired: boolean): Promise<void> {
    const locked = await this.changes.lock(tx, enquiryId);
    const answer = Math.max(0, ...locked.offers.map((offer) => offer.answer)) + 1;
    const validUntil = new Date(this.clock.now().getTime() - MINUTE);
    const rows = lines.map((line) => ({
      ...this.offers.offerOf(line, { enquiryId, answer, createdBy: null }),
      ...(isExpired && { validUntil }),
    }));
    await this.offers.add(tx, locked, rows, sandboxStaff);
  }

  /** The time of the open offers is over. */
  async expire(tx: OrdersTx, enquiryId: string): Promise<void> {
    const locked = await this.changes.lock(tx, enquiryId);
    const open = locked.offers.filter(({ state }) => state === 'open');
    const changes = new Map(open.map(({ id }): [string, OfferState] => [id, 'expired']));
    await this.changes.store(tx, locked, changes);
    await this.changes.move(tx, locked, { name: 'expire' }, { kind: 'service' });
  }
}

const staff: Actor = { type: 'system', id: null, name: sandboxStaff.name };

const charge = {
  category: 'survey',
  amount: SANDBOX_CHARGE,
  note: 'The survey found that the duct has to be cleared.',
} as const;

/** What staff write after the survey, and to a client that has written. */
const asking = 'Who can let our engineer in? Please name a contact at the site.';
const thanks = 'Thank you. We have read your message.';

/** What staff say together with a milestone: after the survey, the delivery waits for the client. */
const testChanges: Readonly<Partial<Record<MilestoneCode, DeliveryChange>>> = {
  surveyed: { waitingFor: { party: 'client', what: 'Name a contact at the site.' } },
  wayleave: { waitingFor: null, serviceId: 'TEST-CCT-1' },
};

@Injectable()
export class TestOrdersService {
  constructor(
    private readonly moves: MovesService,
    private readonly clientOrders: ClientOrdersService,
    private readonly charges: ChargesService,
    private readonly testOffers: TestOffersService,
    private readonly deliveries: OrderDeliveriesService,
    private readonly clock: Clock,
  ) {}

  /** @throws {TestOrderNotFound | TestOrderStays} */
  async advance(
    id: string,
    target: TestTarget | undefined,
    client: ClientCaller,
  ): Promise<ClientOrder> {
    requireSandbox(client, new TestOrderNotFound('order'));
    await this.thank('order', id, client);
    const goesOn =
      target == null && (await this.moves.runOn(client, (tx) => this.deliver(tx, id, client)));
    if (goesOn) return this.clientOrders.find(orderView, id, client);
    const plan = (order: Order) =>
      movesTo(publicStateOf({ ...order, kind: 'order' }), target ?? undefined);
    await this.make('order', id, client, plan);
    return this.clientOrders.find(orderView, id, client);
  }

  /** @throws {TestOrderNotFound | TestOrderStays} */
  async advanceEnquiry(
    id: string,
    target: EnquiryTestTarget | undefined,
    client: ClientCaller,
  ): Promise<ClientEnquiry> {
    requireSandbox(client, new TestOrderNotFound('enquiry'));
    await this.thank('enquiry', id, client);
    const plan = (order: Order) => {
      const state = publicStateOf({ ...order, kind: 'enquiry' });
      const isOffered = plays(order, 'offered') || plays(order, 'offer-expired');
      return enquiryMovesTo(state, target ?? nextOf(state, isOffered));
    };
    await this.make('enquiry', id, client, plan);
    return this.clientOrders.find(enquiryView, id, client);
  }

  private async make(
    kind: WorkKind,
    id: string,
    client: ClientCaller,
    plan: (order: Order) => readonly (Move | TestOfferStep)[] | null,
  ): Promise<void> {
    const { clientId } = client;
    await this.moves.runOn(client, async (tx) => {
      let order: Order | null = await tx.findOneBy(tx.orders, { id, kind, clientId });
      if (!order) throw new TestOrderNotFound(kind);
      const state = publicStateOf(order);
      const moves = plan(order);
      if (!moves) throw new TestOrderStays(kind, state);
      for (const move of moves) {
        if (move.name === 'offer')
          await this.testOffers.send(tx, id, plays(order, 'offer-expired'));
        else if (move.name === 'expire') await this.testOffers.expire(tx, id);
        else {
          if (move.name === 'win') order = await this.withdrawCharges(tx, order);
          const made = move.name === 'win' ? { ...move, ...confirmedOf(order) } : move;
          order = await this.moves.attempt(tx, order, made, sandboxStaff);
        }
        if (!order) throw new TestOrderStays(kind, state);
      }
      if (kind === 'order' && order.state === 'in_progress' && plays(order, 'charge')) {
        await this.charges.propose(tx, order, charge, staff);
      }
    });
  }

  /**
   * Staff work on an accepted order: its next milestone is done, or its client's request to cancel is answered.
   * @returns false where the order is not accepted
   */
  private async deliver(tx: OrdersTx, id: string, { clientId }: ClientCaller): Promise<boolean> {
    const isAccepted = await tx.existsBy(tx.orders, { id, clientId, kind: 'order', state: 'won' });
    if (!isAccepted) return false;
    const { order, delivery } = await deliveryOf(tx, id);
    const now = this.clock.now();
    const next = milestoneCodes.find((code) => !delivery.milestones[code]?.doneOn);
    const isAsked = delivery.cancellationAskedAt !== null;
    const isOpen = (await openCancellationCharges(tx, [id], now)).length > 0;
    if (!next || (isAsked && isOpen)) throw new TestOrderStays('order', publicStateOf(order));
    if (!isAsked) {
      const doneOn = londonDay(now);
      const change = { milestones: [{ code: next, doneOn }], ...(testChanges[next] ?? {}) };
      await this.deliveries.apply(tx, delivery, change, staff);
      if (change.waitingFor?.party === 'client') await this.write(tx, id, asking);
    } else if (plays(order, 'charge')) {
      await this.charges.propose(tx, order, { ...charge, category: 'cancellation' }, staff);
    } else {
      await this.deliveries.cancel(tx, order, { kind: 'service' });
    }
    return true;
  }

  /** Staff answer what the client has written. */
  private thank(kind: WorkKind, id: string, { clientId, ...side }: ClientCaller): Promise<void> {
    return this.moves.runOn(side, async (tx) => {
      const order = await tx.findOneBy(tx.orders, { id, kind, clientId });
      if (order && isUnread(order)) await this.write(tx, id, thanks);
    });
  }

  private async write(tx: OrdersTx, id: string, text: string): Promise<void> {
    const order = await tx.findOneByOrFail(tx.orders, { id });
    await this.moves.attempt(tx, order, { name: 'reply', text }, sandboxStaff);
  }

  /** What the client has not answered is withdrawn before the order is won. */
  private async withdrawCharges(tx: OrdersTx, order: Order): Promise<Order> {
    const open = await tx.findBy(tx.charges, { orderId: order.id, state: 'awaitingResponse' });
    for (const { id } of open) await this.charges.withdraw(tx, order.id, id, staff);
    return tx.findOneByOrFail(tx.orders, { id: order.id });
  }
}

function plays(order: Order, wanted: SandboxCase): boolean {
  const postcode = parseSandboxPostcode(order.postcode);
  return postcode !== null && sandboxCaseAt(postcode) === wanted;
}

/** The staff of test orders confirm indicative prices as they are, and free set-up. */
function confirmedOf({ basis, terms }: Order) {
  if (basis !== 'indicative' || terms === null) return {};
  return { price: terms.price, setupPrice: completed(terms).setupPrice ?? 0 };
}

const claim: Move = { name: 'claim' };

/** The moves from `inProgress` to each end. */
const ends: Readonly<Record<Exclude<TestTarget, 'inProgress'>, Move>> = {
  accepted: { name: 'win' },
  rejected: { name: 'lose', reason: 'not_serviceable' },
  cancelled: { name: 'cancel', reason: 'test_request' },
  closed: { name: 'lose', reason: 'no_response' },
};

/** The moves to a public state, by default to the next one; null if it cannot be reached. */
export function movesTo(state: PublicState, target?: TestTarget): readonly Move[] | null {
  switch (state) {
    case 'acknowledged':
      if (target === undefined || target === 'inProgress') return [claim];
      return target === 'cancelled' ? [ends.cancelled] : [claim, ends[target]];
    case 'inProgress':
      return target === 'inProgress' ? null : [ends[target ?? 'accepted']];
    case 'accepted':
    case 'rejected':
    case 'cancelled':
    case 'closed':
      return null;
  }
}

/** The service answers with offers, or ends those that are open. */
type TestOfferStep = { readonly name: 'offer' | 'expire' };

/** As `movesTo`, for a test enquiry. */
export function enquiryMovesTo(
  state: EnquiryState,
  target: EnquiryTestTarget = nextOf(state, false),
): readonly (Move | TestOfferStep)[] | null {
  const offer: TestOfferStep = { name: 'offer' };
  const expire: TestOfferStep = { name: 'expire' };
  switch (state) {
    case 'acknowledged':
      if (target === 'cancelled') return [ends.cancelled];
      if (target === 'inProgress') return [claim];
      if (target === 'offered') return [claim, offer];
      return target === 'expired' ? [claim, offer, expire] : [claim, ends.rejected];
    case 'inProgress':
      if (target === 'inProgress') return null;
      if (target === 'offered') return [offer];
      if (target === 'expired') return [offer, expire];
      return [target === 'cancelled' ? ends.cancelled : ends.rejected];
    case 'offered':
      if (target === 'inProgress' || target === 'offered') return null;
      if (target === 'expired') return [expire];
      return [target === 'cancelled' ? ends.cancelled : ends.rejected];
    case 'accepted':
    case 'declined':
    case 'expired':
    case 'unableToProvide':
    case 'cancelled':
      return null;
  }
}

/** The next state of a test enquiry. @param isOffered at a postcode where the first one is an offer */
export function nextOf(state: EnquiryState, isOffered: boolean): EnquiryTestTarget {
  if (state === 'offered') return 'expired';
  if (isOffered) return 'offered';
  return state === 'acknowledged' ? 'inProgress' : 'unableToProvide';
}

/** Deletes test orders with their charges, deliveries, messages, keys, timelines and webhook messages. */
export async function pruneTestOrders(all: Tx, before: Date, most: number): Promise<number> {
  const tx = ordersOn(all, SANDBOX);
  const oldest = await tx.find(tx.orders, {
    select: { id: true, receivedAt: true },
    where: { receivedAt: LessThan(before) },
    order: { receivedAt: 'ASC' },
    take: most,
  });
  const [first, last] = [oldest[0], oldest.at(-1)];
  if (!first || !last) return 0;
  const orderIds = oldest.map(({ id }) => id);
  const ids = In(orderIds);
  const createdAt = Between(first.receivedAt, last.receivedAt);
  await tx.delete(IdempotencyKey, { createdAt, subjectId: ids });
  await tx.delete(AuditEntry, { subjectType: tx.subject, subjectId: ids });
  await tx.delete(OutboxMessage, withBodyAbout(...orderIds));
  await tx.delete(tx.charges, { orderId: ids });
  await tx.delete(tx.deliveries, { orderId: ids });
  await tx.delete(tx.messages, { orderId: ids });
  await tx.delete(tx.offers, { enquiryId: ids });
  await tx.delete(tx.orders, { id: ids });
  return oldest.length;
}
