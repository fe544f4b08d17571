import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { completed } from '../../catalogue/content/offers.js';
import type { Order } from '../order.entity.js';

/** What was ordered, with the terms as quoted, in the units of the interface. */
export function productOf({ terms }: Order): OfferedProduct {
  return completed(terms);
}
