import type { FindOptionsWhere } from 'typeorm';
import type { Tx } from '../../platform/database/engine/tx.js';
import { type Order, ordersOf, type OrderSide } from './order.entity.js';

/** Locks the row of an order or enquiry until the transaction ends, and reads it. Null if there is none. */
export async function lockedOrder(
  tx: Tx,
  where: FindOptionsWhere<Order>,
  side: OrderSide,
): Promise<Order | null> {
  const orders = ordersOf(side);
  const unchanged = { version: () => 'version' };
  await tx.createQueryBuilder().update(orders).set(unchanged).where(where).execute();
  return tx.findOneBy(orders, where);
}
