import type { Charge } from '../../orders/record/charge.entity.js';
import { printCharge } from '../../orders/record/print-charge.js';
import type { Order } from '../../orders/record/order.entity.js';
import type { StaffCharge } from './order-charges.dto.js';

/** A charge as staff see it. */
export function printStaffCharge(
  charge: Charge,
  order: Pick<Order, 'closedAt'>,
  now: Date,
): StaffCharge {
  return { ...printCharge(charge, order, now), proposerId: charge.proposedBy };
}
