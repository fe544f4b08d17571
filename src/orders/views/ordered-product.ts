import type { ProductOffer } from '../../availability/availability.dto.js';
import { majorUnits } from '../../catalogue/content/money.js';
import type { Order } from '../order.entity.js';

/** What was ordered, with the terms as quoted, in the units of the interface. */
export function productOf(order: Order): ProductOffer {
  return {
    productCode: order.productCode,
    name: order.productName,
    bandwidthProvisioned: order.bandwidthProvisionedMbps / 1_000,
    bandwidthCapacity: order.bandwidthCapacityMbps / 1_000,
    term: order.termMonths,
    price: majorUnits(order.amountMinor, order.currency),
    currency: order.currency,
    leadTimeDays: order.leadTimeDays,
  };
}
