import type { Tx } from '../../platform/database/engine/tx.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import type { Order } from '../record/order.entity.js';
import { NotPermitted, OrderMoved } from '../record/orders.errors.js';
import { type Problem, ValidationFailed } from '../../platform/problems/problem.js';
import type { MoveRefusal } from './move-rules.js';

/** The refusal of a move, with the order as it is now. */
export async function orderMoved(tx: Tx, order: Order, detail?: string): Promise<OrderMoved> {
  const owner =
    order.ownerId === null ? null : await tx.findOneBy(StaffMember, { id: order.ownerId });
  return new OrderMoved(order, owner?.name ?? null, detail);
}

/** The problem for a refusal that is not about the order's state. */
export function moveRefused({ refused, detail, pointer = '' }: MoveRefusal): Problem {
  return refused === 'permission'
    ? new NotPermitted(detail)
    : new ValidationFailed([{ pointer, code: 'not-allowed', detail }]);
}
