import type { NamesOf } from '../../platform/audit/audit-names.service.js';
import { majorUnits, printPrice } from '../../platform/kernel/money.js';
import { completed } from '../../catalogue/content/offers.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import { Order } from './order.entity.js';
import type { OrdersTx } from './order-tables.js';
import { Charge } from './charge.entity.js';
import { type ChargeState, chargeStateAt } from './charge-states.js';
import type { OrderCharge } from './orders.dto.js';

type OrderOfCharge = Pick<Order, 'id' | 'closedAt' | 'terms' | 'state' | 'expedite'>;

/** A charge as an API client sees it, or as staff do. */
type PrintCharge<Printed> = (charge: Charge, order: OrderOfCharge, now: Date) => Printed;

/** The charges of these orders as they are now, oldest first, by the id of the order. */
export async function printCharges<Printed>(
  tx: OrdersTx,
  orders: readonly OrderOfCharge[],
  now: Date,
  print: PrintCharge<Printed>,
): Promise<ReadonlyMap<string, Printed[]>> {
  const printed = new Map(orders.map(({ id }) => [id, [] as Printed[]]));
  const chargeable = orders.filter(mayHaveCharges);
  if (chargeable.length === 0) return printed;
  const closings = new Map(chargeable.map((order) => [order.id, order]));
  const charges = await tx.find(tx.charges, {
    where: { orderId: oneOf(closings.keys()) },
    order: { id: 'ASC' },
  });
  for (const charge of charges) {
    printed.get(charge.orderId)?.push(print(charge, closings.get(charge.orderId)!, now));
  }
  return printed;
}

/** Firm terms exclude charges, but for a delivery that the client wants sooner, and for a cancellation. */
function mayHaveCharges(order: OrderOfCharge): boolean {
  const { terms, state, expedite } = order;
  const isAccepted = state === 'won' || state === 'cancelled';
  return canHaveCharges(order) || (terms !== null && (expedite || isAccepted));
}

/** Only these terms allow charges of every category; they never change. */
export function canHaveCharges({ terms }: Pick<Order, 'terms'>): boolean {
  return terms !== null && completed(terms).extraChargesPossible;
}

/** When a charge lapsed, or was withdrawn because its order has ended. Null where a person ends it now. */
export function endOf(
  { dueAt }: Pick<Charge, 'dueAt'>,
  ends: ChargeState,
  { closedAt, state }: Pick<Order, 'closedAt' | 'state'>,
): Date | null {
  if (ends === 'lapsed') return dueAt;
  return ends === 'withdrawn' && state !== 'won' ? closedAt : null;
}

export function printCharge(
  charge: Charge,
  order: Pick<Order, 'closedAt' | 'state'>,
  now: Date,
): OrderCharge {
  const { id, category, amountMinor, currency, note, dueAt, proposedAt, answeredBy } = charge;
  const state = chargeStateAt(charge, order, now);
  return {
    chargeId: id,
    category,
    amount: majorUnits(amountMinor, currency),
    note,
    state,
    dueAt,
    proposedAt,
    // What the service has still to store.
    endedAt: charge.endedAt ?? (state === 'awaitingResponse' ? null : endOf(charge, state, order)),
    answeredBy,
  };
}

/** Such as `250.00 GBP`. */
export function amountOf({ amountMinor, currency }: Charge): string {
  return printPrice(majorUnits(amountMinor, currency), currency);
}

/** The references of the live orders to which rows belong, for the list of notifications: `charge of ORD-7F3K9Q`. */
export function namesByOrder(
  entity: new () => { readonly id: string; readonly orderId: string },
  what: string,
): NamesOf {
  return async (tx, ids) => {
    const rows = await tx.findBy(entity, { id: oneOf(ids) });
    const orders = await tx.findBy(Order, { id: oneOf(rows.map(({ orderId }) => orderId)) });
    const references = new Map(orders.map(({ id, reference }) => [id, reference]));
    return new Map(
      rows.map(({ id, orderId }) => [id, `${what} ${references.get(orderId) ?? 'an order'}`]),
    );
  };
}
