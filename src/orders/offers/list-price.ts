import { FIRST_ZONE_NUMBER } from '../../catalogue/content/coverage-codec.js';
import type { Offers } from '../../catalogue/content/shown-offers.js';
import type { Offer, OfferedProduct } from '../../catalogue/content/offer-fields.js';
import type { ShownPlace } from '../../catalogue/shown/shown.service.js';

export type ListedTerms = Pick<OfferedProduct, 'bandwidthProvisioned' | 'term' | 'currency'>;

/**
 * The product of the catalogue with which a bespoke offer is compared, in its currency. The first of these that
 * exists:
 * 1. a product of the same bandwidth at the place,
 * 2. one of the same bandwidth in any zone,
 * 3. the fastest one that is slower, in any zone: more bandwidth should not cost less,
 * 4. the slowest one that is faster.
 * Of several, the one with the nearest term, and then the cheapest.
 */
export function comparableOffer(
  { catalogue, offers, priceList, at }: ShownPlace,
  { bandwidthProvisioned: bandwidth, term, currency }: ListedTerms,
): Offer | undefined {
  const inCurrency = ({ list }: Offers) => list.filter((offer) => offer.currency === currency);
  const here = inCurrency(offers);
  const anywhere = catalogue.content.coverage.zones.flatMap((_, i) =>
    inCurrency(catalogue.offersInZone(FIRST_ZONE_NUMBER + i, priceList, at)),
  );
  const speeds = anywhere.map((offer) => offer.bandwidthProvisioned);
  const slower = Math.max(...speeds.filter((speed) => speed < bandwidth));
  const faster = Math.min(...speeds.filter((speed) => speed > bandwidth));
  const choices = [
    ofSpeed(here, bandwidth),
    ofSpeed(anywhere, bandwidth),
    ofSpeed(anywhere, slower),
    ofSpeed(anywhere, faster),
  ];
  const closest = choices.find((offers) => offers.length > 0) ?? [];
  const off = (offer: Offer) => Math.abs(offer.term - term);
  return closest.toSorted((a, b) => off(a) - off(b) || a.amountMinor - b.amountMinor)[0];
}

function ofSpeed(offers: readonly Offer[], bandwidth: number): readonly Offer[] {
  return offers.filter((offer) => offer.bandwidthProvisioned === bandwidth);
}

/**
 * The product that is sold at a place and is exactly what is wanted; of any term, the shortest one.
 * @param bandwidth Gbit/s @param term months, null for any
 */
export function wantedOffer(
  offers: readonly Offer[],
  bandwidth: number | null,
  term: number | null,
): Offer | undefined {
  if (bandwidth === null) return undefined;
  return ofSpeed(offers, bandwidth)
    .filter((offer) => term === null || offer.term === term)
    .toSorted((a, b) => a.term - b.term || a.amountMinor - b.amountMinor)[0];
}
