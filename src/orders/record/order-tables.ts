import type { FindOptionsWhere, SelectQueryBuilder } from 'typeorm';
import { engineOf } from '../../platform/database/engine/engine.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import {
  BySide,
  LIVE,
  onSide,
  type Side,
  type SideTx,
  tableOn,
} from '../../platform/database/sides.js';
import { BespokeOffer } from './bespoke-offer.entity.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import { Charge } from './charge.entity.js';
import { Delivery } from './delivery.entity.js';
import { ConversationMessage } from './message.entity.js';
import { Order } from './order.entity.js';
import { mustHold, orderRules } from './money-rules.js';

/** Where the requests of each side are stored. */
const tables = new BySide((side) => ({
  orders: tableOn(Order, side),
  offers: tableOn(BespokeOffer, side),
  charges: tableOn(Charge, side),
  deliveries: tableOn(Delivery, side),
  messages: tableOn(ConversationMessage, side),
  /** Their subject type in the audit trail. */
  subject: side.isTest ? ('test-order' as const) : ('order' as const),
}));

/** The database inside one transaction, with the requests of one side. */
export type OrdersTx = SideTx & ReturnType<typeof tablesOn>;

export const tablesOn = (side: Side) => tables.of(side);

/** The transaction for the requests of a caller: all that works there finds them. */
export function ordersOn(tx: Tx, side: Side): OrdersTx {
  return Object.assign(onSide(tx, side), tablesOn(side));
}

/** The transaction for what staff see. */
export const liveOrders = (tx: Tx): OrdersTx => ordersOn(tx, LIVE);

/** The owner, unless that member of staff is disabled. The staff of test orders have no accounts. */
export async function workingOwner(tx: OrdersTx, ownerId: string | null): Promise<string | null> {
  if (ownerId === null || tx.isTest) return ownerId;
  return (await tx.existsBy(StaffMember, { id: ownerId, enabled: true })) ? ownerId : null;
}

/** Locks the row of an order or enquiry until the transaction ends, and reads it. Null if there is none. */
export async function lockedOrder(
  tx: OrdersTx,
  where: FindOptionsWhere<Order>,
): Promise<Order | null> {
  const unchanged = { version: () => 'version' };
  await tx.createQueryBuilder().update(tx.orders).set(unchanged).where(where).execute();
  const order = await tx.findOneBy(tx.orders, where);
  if (order) mustHold(orderRules, order, order.reference);
  return order;
}

/**
 * A query `o` that locks orders until the transaction ends, and reads them. A transaction that changes several orders
 * locks them first, by this query or in the sequence of their ids, and their deliveries afterwards: two
 * such transactions never deadlock.
 */
export function lockingOrders(tx: OrdersTx, ids: Iterable<string>): SelectQueryBuilder<Order> {
  const query = tx
    .createQueryBuilder(tx.orders, 'o')
    .where({ id: oneOf(ids) })
    .orderBy('o.id');
  // SQLite has one writer.
  const isPostgres = engineOf(query.dataSource) === 'postgres';
  return isPostgres ? query.setLock('pessimistic_write') : query;
}
