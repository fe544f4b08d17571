import type { Catalogue, Offer } from '../../catalogue/content/catalogue.js';
import type { Postcode } from '../../kernel/postcode.js';

/** What happens to one product of an answer. */
export interface OfferChange {
  readonly productCode: string;
  readonly change: 'gained' | 'lost' | 'price' | 'lead time' | 'price and lead time';
  readonly before: OfferTerms | null;
  readonly after: OfferTerms | null;
}

export interface OfferTerms {
  readonly price: number;
  readonly currency: string;
  readonly leadTimeDays: number;
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
  const changes: OfferChange[] = [];
  for (const offer of fresh.list) {
    const was = left.get(offer.productCode);
    left.delete(offer.productCode);
    const change = offerChange(was && termsOf(was), termsOf(offer), offer.productCode);
    if (change) changes.push(change);
  }
  for (const was of left.values()) {
    changes.push(offerChange(termsOf(was), undefined, was.productCode)!);
  }
  return changes;
}

export function termsOf({ price, currency, leadTimeDays }: Offer): OfferTerms {
  return { price, currency, leadTimeDays };
}

/** Null where the terms are the same. */
export function offerChange(
  before: OfferTerms | undefined,
  after: OfferTerms | undefined,
  productCode: string,
): OfferChange | null {
  const both = { productCode, before: before ?? null, after: after ?? null };
  if (!before || !after) return { ...both, change: before ? 'lost' : 'gained' };
  const price = before.price !== after.price || before.currency !== after.currency;
  const leadTime = before.leadTimeDays !== after.leadTimeDays;
  if (price && leadTime) return { ...both, change: 'price and lead time' };
  if (price || leadTime) return { ...both, change: price ? 'price' : 'lead time' };
  return null;
}
