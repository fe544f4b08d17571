import type { Catalogue } from '../catalogue/content/catalogue.js';
import type { ShownCatalogue } from '../catalogue/shown/shown.service.js';
import type { PlaceKey } from '../platform/kernel/uprn.js';

/** What must be on sale at the place: one product that has all of it. */
export interface WatchCondition {
  /** The bandwidth provisioned, at least; 0 for any. */
  readonly minBandwidthMbps: number;
  /** The price a month, in thousandths of any currency's unit, at most; null for any. */
  readonly maxPriceMilli: number | null;
  /** Whether a price by distance counts, which includes the cost of building. */
  readonly includeBuild: boolean;
}

/**
 * Whether a check by the client would answer with a product that meets the condition.
 * @param shown to the client itself @param catalogue see `ShownCatalogue.catalogueAt`
 */
export function isMet(
  shown: ShownCatalogue,
  catalogue: Catalogue,
  place: PlaceKey,
  { minBandwidthMbps, maxPriceMilli, includeBuild }: WatchCondition,
): boolean {
  const offers = shown.offersIn(catalogue, place, includeBuild);
  if (minBandwidthMbps === 0 && maxPriceMilli === null) return shown.printed(offers).count > 0;
  return offers.list.some(
    (offer) =>
      Math.round(offer.bandwidthProvisioned * 1_000) >= minBandwidthMbps &&
      (maxPriceMilli === null || Math.round(offer.price * 1_000) <= maxPriceMilli) &&
      shown.isPrinted(offer),
  );
}

/** The last instant up to `at` at which a date changed an answer, in milliseconds; 0 if none did. */
export function lastChange(
  { changeInstants }: Pick<Catalogue, 'changeInstants'>,
  at: number,
): number {
  return changeInstants.findLast((instant) => instant <= at) ?? 0;
}
