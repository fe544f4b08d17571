import type { Catalogue } from '../../catalogue/content/catalogue.js';
import type { AgreedTerms } from '../../catalogue/content/offer-fields.js';
import { changedTerms, sameTerms, termsOf } from '../../catalogue/content/offers.js';
import type { Postcode } from '../../kernel/postcode.js';

/** What happens to one product of an answer. */
export interface OfferChange {
  readonly productCode: string;
  /** `gained`, `lost`, or what changes: `price`, `lead time`, `price and lead time`. */
  readonly change: string;
  readonly before: AgreedTerms | null;
  readonly after: AgreedTerms | null;
}

/** How the answer at a place changes from one catalogue to another; empty where it does not. */
export function changesOf(
  before: Catalogue,
  after: Catalogue,
  postcode: Postcode,
  priceList: string,
): OfferChange[] {
  const old = before.offersAt(postcode, priceList);
  const fresh = after.offersAt(postcode, priceList);
  if (old.json === fresh.json) return [];
  const left = new Map(old.list.map((offer) => [offer.productCode, offer]));
  const changes = fresh.list.map((offer) => {
    const was = left.get(offer.productCode);
    left.delete(offer.productCode);
    return offerChange(was, offer, offer.productCode);
  });
  for (const was of left.values()) changes.push(offerChange(was, undefined, was.productCode));
  return changes.filter((change) => change !== null);
}

/** Null where the terms are the same. */
export function offerChange(
  before: AgreedTerms | undefined,
  after: AgreedTerms | undefined,
  productCode: string,
): OfferChange | null {
  if (before && after && sameTerms(before, after)) return null;
  const both = {
    productCode,
    before: before ? termsOf(before) : null,
    after: after ? termsOf(after) : null,
  };
  if (!before || !after) return { ...both, change: before ? 'lost' : 'gained' };
  return { ...both, change: changedTerms(before, after).join(' and ').toLowerCase() };
}
