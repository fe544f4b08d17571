/** The columns of an order or an enquiry that say what it asks for. */
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { familyOf } from '../../catalogue/content/offers.js';
import type { AcceptanceDetails } from '../record/enquiries.dto.js';
import type { Wanted } from '../record/order.entity.js';
import { minorUnitsOf } from '../record/orders.errors.js';

/** @param terms as the order keeps them @param amountMinor a month's price @throws {ValidationFailed} */
export function orderedColumns(
  terms: OfferedProduct,
  amountMinor: number,
  { acceptExtraUpTo, expedite }: Pick<AcceptanceDetails, 'acceptExtraUpTo' | 'expedite'>,
) {
  const { productCode, currency } = terms;
  return {
    productCode,
    productFamily: familyOf(productCode),
    bandwidthMbps: Math.round(terms.bandwidthProvisioned * 1_000),
    terms,
    wanted: null,
    termMonths: terms.term,
    amountMinor,
    currency,
    basis: terms.basis,
    acceptExtraMinor:
      acceptExtraUpTo == null ? null : minorUnitsOf(acceptExtraUpTo, currency, '/acceptExtraUpTo'),
    expedite: expedite ?? false,
  };
}

export function wantedColumns(wanted: Wanted) {
  const { bandwidth, term } = wanted;
  return {
    productCode: null,
    productFamily: null,
    bandwidthMbps: bandwidth === null ? null : Math.round(bandwidth * 1_000),
    terms: null,
    wanted,
    termMonths: term,
    amountMinor: null,
    currency: null,
    basis: null,
    catalogueVersion: null,
    acceptExtraMinor: null,
    expedite: false,
  };
}
