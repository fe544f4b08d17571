/** Deliveries as they are stored: when they start, and how clients and staff see them. */
import { addRows, oneOf } from '../../platform/database/engine/rows.js';
import { addDays } from '../../platform/kernel/time.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { cancellationCost, type CancellationPhase } from '../../catalogue/content/cancellation.js';
import { completed } from '../../catalogue/content/offers.js';
import type { Compatibility } from '../../platform/kernel/client-options.js';
import { majorUnits } from '../../platform/kernel/money.js';
import type { DeliveryRecord } from './delivery.entity.js';
import { clocksAt, milestoneCodes, unusualOrder, type WaitingParty } from './milestones.js';
import type { Order } from './order.entity.js';
import { type Side, tableNameOn } from '../../platform/database/sides.js';
import type { OrdersTx } from './order-tables.js';
import type { OrderDelivery, StaffDelivery } from './delivery.dto.js';

/** The delivery of an order that is won now. An order that is won again starts again, unless something was done. */
export async function startDelivery(tx: OrdersTx, order: Order, now: Date): Promise<void> {
  const acceptedOn = londonDay(now);
  const { leadTimeDays } = completed(order.terms!);
  const promisedOn = addDays(acceptedOn, leadTimeDays);
  const start = {
    acceptedOn,
    promisedOn,
    committedDate: null,
    dateChanges: [],
    milestones: {},
    waitingParty: null,
    waitingWhat: null,
    waitingSince: null,
    waited: null,
    clientDays: null,
    remindedAt: null,
    liveOn: null,
    riskOn: addDays(promisedOn, 1),
    cancellationAskedAt: null,
  };
  const earlier = await tx.findOneBy(tx.deliveries, { orderId: order.id });
  if (earlier) {
    const isDone = Object.values(earlier.milestones).some(({ doneOn }) => doneOn !== null);
    if (!isDone) await tx.update(tx.deliveries, { orderId: order.id }, start);
    return;
  }
  const delivery: DeliveryRecord = {
    orderId: order.id,
    ...start,
    serviceId: null,
    unreportedSince: null,
    reportedAt: null,
  };
  await addRows(tx, tx.deliveries, [delivery]);
}

/** Why an accepted order cannot be reopened as its delivery is now; null if it can. */
export function reopeningFault(liveOn: string | null, cancellationAskedAt: Date | null) {
  if (liveOn !== null) {
    return 'The service is live. If that is wrong, change the delivery first: remove the day on which Live was done.';
  }
  return cancellationAskedAt === null
    ? null
    : 'The client asks to cancel this order. Answer the request first.';
}

/** Whether the order has been accepted: a delivery that was started before a reopening is not shown. */
function isAccepted({ kind, state }: Pick<Order, 'kind' | 'state'>): boolean {
  return kind === 'order' && (state === 'won' || state === 'cancelled');
}

/** The deliveries of those of the orders that are accepted, by the id of the order. */
export async function deliveriesOf(
  tx: OrdersTx,
  orders: readonly Pick<Order, 'id' | 'kind' | 'state'>[],
): Promise<ReadonlyMap<string, DeliveryRecord>> {
  const ids = orders.filter(isAccepted).map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await tx.findBy(tx.deliveries, { orderId: oneOf(ids) });
  return new Map(rows.map((delivery) => [delivery.orderId, delivery]));
}

/** What cancelling an order costs now, in minor units; null where a person says, and where nothing is left to cancel. */
export function costOfCancelling(
  { state, terms, confirmed, cancellation }: Order,
  { milestones, liveOn }: DeliveryRecord,
) {
  if (state !== 'won' || liveOn !== null || terms === null) return null;
  const prices = { ...completed(terms), ...confirmed };
  const isDone = (phase: CancellationPhase) =>
    phase !== 'accepted' && milestones[phase]?.doneOn != null;
  return cancellationCost(cancellation ?? [], prices, isDone);
}

/**
 * @param now until then it has waited, unless the order was cancelled before
 * @param compatibility of the client: `0.2` has no cost of a cancellation
 */
export function printDelivery(
  delivery: DeliveryRecord | undefined,
  order: Order,
  now: Date,
  compatibility?: Compatibility,
): OrderDelivery | null {
  if (!delivery) return null;
  const cost = costOfCancelling(order, delivery);
  const { state, closedAt, currency } = order;
  const cancellation = cost && {
    amount: majorUnits(cost.amountMinor, currency!),
    currency: currency!,
    after: cost.after,
  };
  const { milestones, waitingParty: party, waitingWhat: what, waitingSince: since } = delivery;
  return {
    serviceId: delivery.serviceId,
    acceptedOn: delivery.acceptedOn,
    committedDate: delivery.committedDate,
    dateChanges: delivery.dateChanges.map(({ from, to, at }) => ({ from, to, at: new Date(at) })),
    milestones: milestoneCodes.map((code) => ({
      code,
      plannedFor: milestones[code]?.plannedFor ?? null,
      doneOn: milestones[code]?.doneOn ?? null,
    })),
    waitingFor: party && { party, what: what ?? '', since: since! },
    waited: clocksAt(delivery, (state === 'cancelled' && closedAt) || now).waited,
    liveOn: delivery.liveOn,
    cancellationRequestedAt: delivery.cancellationAskedAt,
    ...(compatibility !== '0.2' && { cancellation }),
  };
}

export function printStaffDelivery(
  delivery: DeliveryRecord | undefined,
  order: Order,
  now: Date,
): StaffDelivery | null {
  const printed = printDelivery(delivery, order, now);
  if (printed === null) return null;
  const { promisedOn, milestones, remindedAt } = delivery!;
  return { ...printed, promisedOn, remindedAt, warnings: unusualOrder(milestones) };
}

/** A condition for orders `o` of this side. The party is a literal, for the partial index. */
export function waitingFor(side: Side, party: WaitingParty): string {
  return inDelivery(`waiting_party = '${party}'`, tableNameOn('deliveries', side));
}

/**
 * A condition for accepted orders `o` that are found by their deliveries: by the index of the state, SQLite would
 * read all orders that were ever accepted.
 */
export const ACCEPTED = `o.state || '' = 'won'`;

/** A condition for accepted orders `o` whose deliveries meet another one. */
export function inDelivery(condition: string, table = 'deliveries'): string {
  return `${ACCEPTED} AND o.id IN (SELECT order_id FROM ${table} WHERE ${condition})`;
}
