import type { Offer } from '../../catalogue/content/offer-fields.js';
import { labelledFields } from '../../catalogue/content/offers.js';

/** The columns of a list of offers, each with what names it in an address: `bandwidth`, `lead`. */
export function offerColumns() {
  return labelledFields().map((field) => ({
    ...field,
    order: field.label.toLowerCase().split(' ')[0]!,
  }));
}

/** The column by which a list is sorted: the first one by default. */
export function offerOrderOf(text: string): string {
  const orders = offerColumns().map(({ order }) => order);
  return orders.find((order) => order === text) ?? orders[0]!;
}

/** Ascending by `order`; equal ones as the interface gives them: by bandwidth, term, price and code. */
export function sortOffers(offers: readonly Offer[], order: string): Offer[] {
  const column = offerColumns().find((one) => one.order === order);
  if (!column) return [...offers];
  const { name } = column;
  return offers.toSorted((a, b) => (a[name] < b[name] ? -1 : a[name] > b[name] ? 1 : 0));
}
