import type { Tx } from '../../platform/database/engine/tx.js';
import { StaffMember } from '../../staff/staff-member.entity.js';
import type { Order } from '../record/order.entity.js';
import { OrderMoved } from '../record/orders.errors.js';

/** The refusal of a move, with the order as it is now. */
export async function orderMoved(tx: Tx, order: Order, detail?: string): Promise<OrderMoved> {
  const owner =
    order.ownerId === null ? null : await tx.findOneBy(StaffMember, { id: order.ownerId });
  return new OrderMoved(order, owner?.name ?? null, detail);
}
