import type { FindOptionsWhere, SelectQueryBuilder } from 'typeorm';
import { engineOf } from '../../platform/database/engine/engine.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { BespokeOffer, TestBespokeOffer } from './bespoke-offer.entity.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import { Charge, TestCharge } from './charge.entity.js';
import { Delivery, TestDelivery } from './delivery.entity.js';
import { Order, TestOrder } from './order.entity.js';

/** Requests of live or of test tokens. They differ by where they are stored. */
export interface OrderSide {
  readonly isTest: boolean;
}

export const LIVE: OrderSide = { isTest: false };

/** Where the requests of one side are stored. */
interface OrderTables extends OrderSide {
  readonly orders: typeof Order;
  readonly offers: typeof BespokeOffer;
  readonly charges: typeof Charge;
  readonly deliveries: typeof Delivery;
  /** Their subject type in the audit trail. */
  readonly subject: 'order' | 'test-order';
}

/** The database inside one transaction, with the tables of one side. */
export type OrdersTx = Tx & OrderTables;

const live: OrderTables = {
  ...LIVE,
  orders: Order,
  offers: BespokeOffer,
  charges: Charge,
  deliveries: Delivery,
  subject: 'order',
};
const sandbox: OrderTables = {
  isTest: true,
  orders: TestOrder,
  offers: TestBespokeOffer,
  charges: TestCharge,
  deliveries: TestDelivery,
  subject: 'test-order',
};

/** The tables of a caller's requests; `within` a transaction, all that works there finds them. */
export function ordersOn({ isTest }: OrderSide) {
  const tables = isTest ? sandbox : live;
  const within = (tx: Tx): OrdersTx => Object.assign(Object.create(tx) as Tx, tables);
  return { ...tables, within };
}

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
  return tx.findOneBy(tx.orders, where);
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
