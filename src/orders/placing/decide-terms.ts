import type { CancellationTerm } from '../../catalogue/content/cancellation.js';
import type { Catalogue, Nearest } from '../../catalogue/content/catalogue.js';
import { NO_ROW } from '../../catalogue/content/coverage-codec.js';
import { discounted } from '../../catalogue/content/effective-prices.js';
import type { AgreedTerms, Offer } from '../../catalogue/content/offer-fields.js';
import { sameTerms } from '../../catalogue/content/offers.js';
import type { PlaceConstraint } from '../../catalogue/content/zone-fields.js';
import type { ShownPlace } from '../../catalogue/shown/shown.service.js';
import type { PlaceKey } from '../../platform/kernel/uprn.js';
import {
  CheckOfOtherPlace,
  OfferChanged,
  ProductNotAvailable,
  UnknownProduct,
} from '../record/orders.errors.js';
import { agreedRules, mustHold } from '../record/money-rules.js';

export interface OrderedOffer {
  readonly offer: Offer;
  /** Of the order, or else of the cited check. */
  readonly uprn: number | null;
  readonly catalogueVersion: number;
  readonly checkId: string | null;
  /** Of a price by distance. */
  readonly nearest: Nearest | null;
  readonly constraints: readonly PlaceConstraint[];
  /** See `CancellationCosts`. */
  readonly cancellation: readonly CancellationTerm[];
}

/** A check that the order cites. */
export interface CitedTerms {
  readonly checkId: string;
  /** As of the check. */
  readonly place: ShownPlace;
  /** Whether its price hold lasts. */
  readonly holds: boolean;
}

export interface TermsQuestion {
  readonly productCode: string;
  /** The place of the order, now. */
  readonly current: ShownPlace;
  readonly check?: CitedTerms | null;
  /** The terms of a quote's line, which the order cites instead of a check. */
  readonly line?: AgreedTerms;
  /** The volume discount of current prices, in per cent. */
  readonly percent?: number;
}

/**
 * The terms of an order: those of the cited check while its price hold lasts, otherwise the current ones. What
 * was quoted and is different now is refused, so that no one orders at terms that they have not seen.
 * @throws {CheckOfOtherPlace | OfferChanged | UnknownProduct | ProductNotAvailable}
 */
export function decideTerms({
  productCode,
  current,
  check = null,
  line,
  percent = 0,
}: TermsQuestion): OrderedOffer {
  const orderedAt = (place: ShownPlace, offer: Offer, listed: Offer | null): OrderedOffer => {
    const agreed = { productCode, offer, quoted: inCheck ?? line ?? null, percent, listed };
    mustHold(agreedRules, agreed, productCode);
    return {
      offer,
      uprn: current.uprn,
      catalogueVersion: place.catalogue.version,
      checkId: check?.checkId ?? null,
      nearest: place.nearest,
      constraints: place.constraints.list,
      cancellation: place.catalogue.cancellation.of(productCode),
    };
  };
  if (check && isOfOtherPlace(check.place, current)) throw new CheckOfOtherPlace(check.place.uprn);
  const inCheck = check?.place.offer(productCode);
  if (check?.holds && inCheck) return orderedAt(check.place, inCheck, null);
  const listed = current.offer(productCode);
  const offer = listed && percent > 0 ? discounted(listed, percent) : listed;
  const quoted = inCheck ?? line;
  if (quoted && !(offer && sameTerms(quoted, offer))) throw new OfferChanged(quoted, offer);
  if (offer) return orderedAt(current, offer, listed ?? null);
  if (!current.catalogue.product(productCode)) throw new UnknownProduct();
  throw new ProductNotAvailable(current.inWords, current.offers);
}

/** What a check of the postcode quotes does not apply to premises in another zone, or elsewhere. */
function isOfOtherPlace({ catalogue, uprn, key }: ShownPlace, ordered: ShownPlace): boolean {
  const isElsewhere = uprn !== ordered.uprn && isPlaced(catalogue, ordered.key);
  return isElsewhere || catalogue.zoneNumberAt(key) !== catalogue.zoneNumberAt(ordered.key);
}

/** Whether premises are priced by distance from their own position. */
function isPlaced(catalogue: Catalogue, place: PlaceKey): boolean {
  const { premises } = catalogue.content;
  return (
    catalogue.zoneNumberAt(place) === NO_ROW &&
    premises.positionOf(place.packed, place.uprn ?? 0) !== null
  );
}
