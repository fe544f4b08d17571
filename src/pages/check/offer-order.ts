import type { Offer } from '../../catalogue/content/offer-fields.js';
import { labelledFields } from '../../catalogue/content/offers.js';

/** The columns of a list of offers, each with its name in an address: `bandwidth`, `lead`. */
export function offerColumns() {
  return labelledFields().map((field) => ({
    ...field,
    order: field.label.toLowerCase().split(' ')[0]!,
  }));
}

export function offerOrderOf(text: string): string {
  const orders = offerColumns().map(({ order }) => order);
  return orders.find((order) => order === text) ?? orders[0]!;
}

/** Ascending by `order`, without a value last. Equal offers stay in the API's order: bandwidth, term, price, code. */
export function sortOffers(offers: readonly Offer[], order: string): Offer[] {
  const column = offerColumns().find((one) => one.order === order);
  if (!column) return [...offers];
  const valueOf = (offer: Offer) => offer[column.name] ?? Infinity;
  return offers.toSorted((a, b) =>
    valueOf(a) < valueOf(b) ? -1 : valueOf(a) > valueOf(b) ? 1 : 0,
  );
}
