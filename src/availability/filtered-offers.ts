import type { Offer } from '../catalogue/content/offer-fields.js';
import type { Offers } from '../catalogue/content/shown-offers.js';
import type { ProductFilter } from './availability.dto.js';

/** The text of 48 products has 15 KB. */
const MOST_KEPT = 500;

/** Offers that match filters. Those of recent filters are kept, as long as the catalogue is. */
export class FilteredOffers {
  private kept = new WeakMap<Offers, Map<string, Offers>>();
  private count = 0;

  of(offers: Offers, filter: ProductFilter): Offers {
    const key = JSON.stringify(filter);
    const known = this.kept.get(offers)?.get(key);
    if (known) return known;
    if (this.count === MOST_KEPT) {
      this.kept = new WeakMap();
      this.count = 0;
    }
    this.count += 1;
    const matching = offers.matching((offer) => matches(offer, filter));
    const byFilter = this.kept.get(offers) ?? new Map<string, Offers>();
    this.kept.set(offers, byFilter.set(key, matching));
    return matching;
  }
}

function matches(offer: Offer, { bandwidth, term, service, basis }: ProductFilter): boolean {
  return (
    offer.bandwidthProvisioned >= (bandwidth ?? 0) &&
    offer.term === (term ?? offer.term) &&
    offer.basis === (basis ?? offer.basis) &&
    (service === undefined || offer.service?.toLowerCase() === service.toLowerCase())
  );
}
