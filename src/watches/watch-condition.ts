import type { Catalogue } from '../catalogue/content/catalogue.js';
import { Offers } from '../catalogue/content/shown-offers.js';
import type { Compatibility } from '../platform/kernel/compatibility.js';
import { type ClientNearNet, clientSeesNear, type NearNet } from '../platform/kernel/near-net.js';
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

/** Of an API client: which offers it is shown. */
export interface ShownTo {
  readonly priceList: string;
  readonly compatibility: Compatibility;
  readonly nearNet: ClientNearNet;
}

/**
 * Whether a check by the client would now answer with a product that meets the condition.
 * @param general see `NEAR_NET`
 */
export function isMet(
  catalogue: Catalogue,
  place: PlaceKey,
  condition: WatchCondition,
  client: ShownTo,
  general: NearNet,
  at: number,
): boolean {
  const { priceList, compatibility } = client;
  const isNear = condition.includeBuild && clientSeesNear(client, catalogue, general);
  const offers = catalogue.offersAt(isNear ? catalogue.withNear(place, at) : place, priceList, at);
  const { minBandwidthMbps: bandwidth, maxPriceMilli: price } = condition;
  if (bandwidth === 0 && price === null) return offers.shownTo(compatibility).count > 0;
  return meets(offers, condition, compatibility);
}

function meets(
  { list }: Offers,
  { minBandwidthMbps, maxPriceMilli }: WatchCondition,
  compatibility: Compatibility,
): boolean {
  return list.some(
    (offer) =>
      Math.round(offer.bandwidthProvisioned * 1_000) >= minBandwidthMbps &&
      (maxPriceMilli === null || Math.round(offer.price * 1_000) <= maxPriceMilli) &&
      (compatibility !== '0.2' ||
        (Number.isInteger(offer.bandwidthProvisioned) &&
          Number.isInteger(offer.bandwidthCapacity))),
  );
}

/** The last instant up to `at` at which a date changed an answer, in milliseconds; 0 if none did. */
export function lastChange(
  { changeInstants }: Pick<Catalogue, 'changeInstants'>,
  at: number,
): number {
  return changeInstants.findLast((instant) => instant <= at) ?? 0;
}
