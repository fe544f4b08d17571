/** The columns of an order or an enquiry that say what it asks for. */
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { familyOf } from '../../catalogue/content/offers.js';
import type { AcceptanceDetails } from '../record/enquiries.dto.js';
import type { Order, Wanted } from '../record/order.entity.js';
import { minorUnitsOf } from '../record/orders.errors.js';

type PlaceColumns = Pick<Order, 'zone' | 'priceList' | 'nearest' | 'constraints'>;

/** Where the terms of an order come from. */
interface OrderedFrom extends PlaceColumns, Pick<Order, 'catalogueVersion' | 'cancellation'> {
  /** A month's price. */
  readonly amountMinor: number;
}

/** @param terms as the order keeps them @throws {ValidationFailed} */
export function orderedColumns(
  terms: OfferedProduct,
  { amountMinor, ...from }: OrderedFrom,
  { acceptExtraUpTo, expedite }: Pick<AcceptanceDetails, 'acceptExtraUpTo' | 'expedite'>,
) {
  const { productCode, currency } = terms;
  const { zone, priceList, nearest, constraints, cancellation, catalogueVersion } = from;
  return {
    zone,
    priceList,
    nearest,
    constraints: orNull(constraints),
    cancellation,
    catalogueVersion,
    amountMinor,
    terms,
    productCode,
    currency,
    productFamily: familyOf(productCode),
    bandwidthMbps: Math.round(terms.bandwidthProvisioned * 1_000),
    wanted: null,
    termMonths: terms.term,
    basis: terms.basis,
    acceptExtraMinor:
      acceptExtraUpTo == null ? null : minorUnitsOf(acceptExtraUpTo, currency, '/acceptExtraUpTo'),
    expedite: expedite ?? false,
  };
}

/** An index has the requests with constraints, which are few. */
function orNull(constraints: PlaceColumns['constraints']): PlaceColumns['constraints'] {
  return constraints?.length === 0 ? null : constraints;
}

export function wantedColumns(
  wanted: Wanted,
  { zone, priceList, nearest, constraints }: PlaceColumns,
) {
  const { bandwidth, term } = wanted;
  return {
    zone,
    priceList,
    nearest,
    constraints: orNull(constraints),
    cancellation: null,
    wanted,
    productCode: null,
    productFamily: null,
    bandwidthMbps: bandwidth === null ? null : Math.round(bandwidth * 1_000),
    terms: null,
    termMonths: term,
    amountMinor: null,
    currency: null,
    basis: null,
    catalogueVersion: null,
    acceptExtraMinor: null,
    expedite: false,
  };
}
