import type { CheckedProduct } from '../../src/availability/availability.dto.js';
import type { QuoteLineView, QuoteView } from '../../src/quotes/record/quotes.dto.js';

/** A firm product of £450.00 a month for three years, with a set-up of £250.00. */
export function givenProduct(about: Partial<CheckedProduct> = {}): CheckedProduct {
  return {
    ...{ productCode: 'INT-1G-36', name: '1G Internet', term: 36, price: 450, currency: 'GBP' },
    ...{ bandwidthProvisioned: 1, bandwidthCapacity: 10, leadTimeDays: 84, setupPrice: 250 },
    ...{ basis: 'firm', extraChargesPossible: false, network: null, service: 'Internet' },
    ...{ needsInterconnect: false, priceUntil: null },
    ...about,
  };
}

/** A line with a product, or another one. */
export function givenLine(about: Partial<QuoteLineView> = {}): QuoteLineView {
  return {
    ...{ lineId: '1', site: 'HQ', postcode: 'EC2A 2BS', uprn: null, state: 'priced', held: true },
    ...{ wanted: { bandwidth: 1, term: 36, service: 'Internet' }, product: givenProduct() },
    ...{
      totalContractValue: 16_450,
      discountPercent: null,
      discountFrom: null,
      nearest: null,
      constraints: [],
      alternatives: [],
    },
    ...{ reasons: [], problem: null, notes: null, details: null, was: null, sameAs: null },
    ...{ enquiryId: null, offerId: null, offerValidUntil: null, orderId: null },
    ...about,
  };
}

/** A line without a product, and why. */
export function givenGap(about: Partial<QuoteLineView> = {}): QuoteLineView {
  const detail = 'We do not cover this place.';
  return givenLine({
    ...{ product: null, totalContractValue: null, held: false, state: 'notAvailable' },
    ...{ reasons: [{ code: 'notCovered', detail }] },
    ...about,
  });
}

export function givenQuote(lines: QuoteLineView[], about: Partial<QuoteView> = {}): QuoteView {
  return {
    ...{ quoteId: '0199f0c4-0000-7000-8000-000000000001', quoteReference: 'QUO-7F3K9Q' },
    ...{ reference: 'RFQ-118', customer: 'Fernhill Schools Trust', state: 'open' },
    createdAt: new Date('2026-03-02T09:00:00Z'),
    validUntil: new Date('2026-04-01T09:00:00Z'),
    updatedAt: new Date('2026-03-02T09:00:00Z'),
    withdrawnAt: null,
    counts: {
      ...{ priced: 0, notAvailable: 0, invalid: 0, enquired: 0, offered: 0, ordered: 0 },
      unableToProvide: 0,
    },
    ...{ totals: [], lines, nextCursor: null },
    ...about,
  };
}
