import type { Offer } from '../../catalogue/content/catalogue.js';

/** By what a list of offers can be sorted. */
export const offerOrders = ['bandwidth', 'term', 'price', 'lead'] as const;
export type OfferOrder = (typeof offerOrders)[number];

export function offerOrderOf(text: string): OfferOrder {
  return offerOrders.find((one) => one === text) ?? 'bandwidth';
}

const keys: Readonly<Record<OfferOrder, (offer: Offer) => number>> = {
  bandwidth: (offer) => offer.bandwidthProvisioned,
  term: (offer) => offer.term,
  price: (offer) => offer.price,
  lead: (offer) => offer.leadTimeDays,
};

/** Ascending by `order`; equal ones as the interface gives them: by bandwidth, term, price and code. */
export function sortOffers(offers: readonly Offer[], order: OfferOrder): Offer[] {
  return [...offers].sort((a, b) => keys[order](a) - keys[order](b));
}

/** 0.1 as "100 Mbit/s", 10 as "10 Gbit/s". */
export function bandwidth(gigabits: number): string {
  return gigabits < 1 ? `${Math.round(gigabits * 1_000)} Mbit/s` : `${gigabits} Gbit/s`;
}

/** 12 as "12 months". */
export function months(count: number): string {
  return count === 1 ? '1 month' : `${count} months`;
}

/** 84 as "84 days". */
export function days(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}
