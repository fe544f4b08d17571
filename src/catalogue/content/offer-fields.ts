import {
  BadCell,
  bandwidth,
  calendarDay,
  currencyCode,
  leadTimeDays,
  type PriceBasis,
  priceBasis,
  priceIn,
  pricedZone,
  priceListName,
  productCode,
  productName,
  serviceName,
  termMonths,
  yesOrNo,
  notBefore,
} from './cells.js';
import { majorUnits, priceInWords, printAmount, printPrice } from '../../platform/kernel/money.js';
import { counted } from '../../platform/kernel/counts.js';

/** A row of products.csv. */
export interface ProductRow {
  readonly code: string;
  readonly name: string;
  readonly bandwidthProvisionedMbps: number;
  readonly bandwidthCapacityMbps: number;
  readonly termMonths: number;
  /** The first day of sale in London, as `2026-12-01`; null if there is none. */
  readonly soldFrom: string | null;
  /** The last day of sale; null if there is none. */
  readonly soldUntil: string | null;
  /** Such as `Internet`; null if it is not stated. */
  readonly service: string | null;
  /** Whether an order names an interconnect of the client. */
  readonly needsInterconnect: boolean;
}

/** A row of prices.csv. */
export interface PriceRow {
  readonly productCode: string;
  readonly zone: string;
  readonly priceList: string;
  /** Minor units of the currency: 54999 is GBP 549.99. */
  readonly amountMinor: number;
  /** ISO 4217. */
  readonly currency: string;
  readonly leadTimeDays: number;
  /** One-off, in minor units; 0 is free; null is not stated. */
  readonly setupMinor: number | null;
  readonly basis: PriceBasis;
  /** Null follows the basis: none where it is firm. */
  readonly extraCharges: boolean | null;
  /** The first day in London, as `2026-12-01`; null if there is none. Within its dates, the row replaces the undated one. */
  readonly validFrom: string | null;
  /** The last day; null if there is none. */
  readonly validUntil: string | null;
}

/** How a place is connected, as MEF's delivery types: on the operator's network or not, and what must be built. */
export type Network =
  'onNetWithoutBuild' | 'onNetWithBuild' | 'offNetWithoutBuild' | 'offNetWithBuild';

/** A product with its terms at a place, in the units of the API. */
export interface OfferedProduct {
  readonly productCode: string;
  readonly name: string;
  /** Gbit/s. */
  readonly bandwidthProvisioned: number;
  /** Gbit/s. */
  readonly bandwidthCapacity: number;
  /** Months. */
  readonly term: number;
  /** Such as `Internet`; null if it is not stated. */
  readonly service: string | null;
  /** Whether an order names an interconnect of the client. */
  readonly needsInterconnect: boolean;
  /** A month, excluding VAT, in major units: 549.99. */
  readonly price: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Calendar days. */
  readonly leadTimeDays: number;
  /** One-off, excluding VAT, in major units; 0 is free; null is not stated. */
  readonly setupPrice: number | null;
  /** Whether the operator will deliver at this price, after a survey, or after a person confirms. */
  readonly basis: PriceBasis;
  /** Whether charges can be added after the order; never where the basis is firm. */
  readonly extraChargesPossible: boolean;
  /** Of the zone; null if not stated. */
  readonly network: Network | null;
}

/** A product without some of the fields that may be empty. */
export type StatedProduct = Partial<OfferedProduct> &
  Pick<
    OfferedProduct,
    | 'productCode'
    | 'name'
    | 'bandwidthProvisioned'
    | 'bandwidthCapacity'
    | 'term'
    | 'price'
    | 'currency'
    | 'leadTimeDays'
  >;

/** The terms of an offer; the price hold, the effect of a version and the order page compare them. */
export type AgreedTerms = Pick<
  OfferedProduct,
  | 'price'
  | 'currency'
  | 'leadTimeDays'
  | 'setupPrice'
  | 'basis'
  | 'extraChargesPossible'
  | 'network'
>;

export interface Offer extends OfferedProduct {
  readonly zone: string;
  /** The list of its price: `standard` if the client's own list has none. */
  readonly priceList: string;
  /** The price in minor units: 54999. */
  readonly amountMinor: number;
  /** The last day of these terms in London; null if no change is planned. */
  readonly priceUntil: string | null;
  /** What is offered from the next day on; null if nothing is, or if no change is known. */
  readonly next: Offer | null;
}

/** Lists of changed prices in a diff. */
export type ChangeList = 'prices' | 'leadTimes' | 'setupPrices' | 'bases';

/** A field of the API, under its name there. */
export interface PublishedField {
  readonly name: keyof OfferedProduct;
  /** Its misspelt name in version 0.2.0 of the API. */
  readonly legacyName?: string;
  /** Column in the export of orders, if not `name`; null omits the field. */
  readonly exportedAs?: string | null;
  /** It came later, so that it follows the fields of the other files in the API. */
  readonly isLater?: true;
  readonly isTerm?: true;
  /** A term that is shown, but whose change alone makes no other offer. */
  readonly isNotCompared?: true;
  /** The list of its changes in a diff. */
  readonly changes?: { readonly list: ChangeList; readonly heading: string };

  /** Heads the field on pages and in emails. A field without a label is not shown separately. */
  readonly label?: string;
  /** Another field that is shown and compared together with this one. */
  readonly with?: keyof OfferedProduct;
  /** Without the unit: `550.00 GBP`, `84`. */
  readonly plain?: (offer: OfferedProduct) => string | number;
  /** Follows the plain value. */
  readonly unit?: string;
  /** For people: `£550.00`, `1 Gbit/s on a 10 Gbit/s bearer`. By default the plain value and its unit. */
  readonly words?: (offer: OfferedProduct) => string;
  /** For a narrow column; by default the words. */
  readonly brief?: (offer: OfferedProduct) => string;
  /** Instead of the label where there is room: `Monthly price (excl. VAT)`. */
  readonly heading?: string;
  /** Follows the value on a line of terms, where the label is missing: `£250.00 set-up`. */
  readonly onLine?: string;
  /** Whether its changes are shown in per cent. */
  readonly isMoney?: true;
}

/** A field of a row in the CSV files and in stored contents. */
interface StoredField<Row, Value> {
  readonly column: string;
  /** Whether it is part of the row's key. */
  readonly isKey?: true;
  /** It is the name of the file's folder, and no column. */
  readonly inFolder?: true;
  /** The value of an empty cell or a missing column. Without it the column is required. */
  readonly absent?: Value;
  /** A field that must be parsed before. */
  readonly reads?: keyof Row & string;
  /** @param row the cells parsed so far, without bad ones */
  parse(text: string, row: Partial<Row>): Value | BadCell;
  /** Compares the value with the rest of its row, which lacks bad cells. */
  check?(value: Value, row: Partial<Row>): BadCell | null;
  /** As a CSV cell; unchanged by default. */
  print?(value: Value, row: Row): string | number;
  /** In the API's unit; unchanged by default. */
  publish?(value: Value, row: Row): unknown;
}

export type OfferField<Row, Value> = StoredField<Row, Value> & Partial<PublishedField>;

/** By the property of the row. */
export type OfferFields<Row> = { readonly [K in keyof Row]: OfferField<Row, Row[K]> };

/** The words for a null. */
const NOT_STATED = 'not stated';

export const basisInWords: Readonly<Record<PriceBasis, string>> = {
  firm: 'firm',
  subjectToSurvey: 'subject to survey',
  indicative: 'indicative',
};

/** Says that no charges can be added, where the basis alone does not. */
function withoutCharges(basis: string, offer: OfferedProduct): string {
  const isSaid = offer.extraChargesPossible || offer.basis === 'firm';
  return isSaid ? basis : `${basis}, no extra charges`;
}

/** 0.1 as `100 Mbit/s`, 10 as `10 Gbit/s`. */
export function bandwidthInWords(gigabits: number): string {
  return gigabits < 1 ? `${Math.round(gigabits * 1_000)} Mbit/s` : `${gigabits} Gbit/s`;
}

/** The fields of a product, in the order of products.csv and of the API. */
export const productFields: OfferFields<ProductRow> = {
  code: { column: 'code', isKey: true, parse: productCode, name: 'productCode' },
  name: { column: 'name', parse: productName, name: 'name', exportedAs: 'productName' },
  bandwidthProvisionedMbps: {
    column: 'bandwidth_provisioned_gbps',
    parse: bandwidth,
    check(mbps, { bandwidthCapacityMbps: capacity = Infinity }) {
      if (mbps <= capacity) return null;
      return new BadCell(
        `It is more than the capacity, ${capacity / 1_000} Gbit/s.`,
        'Swap the two values, or correct one.',
      );
    },
    print: (mbps) => mbps / 1_000,
    publish: (mbps) => mbps / 1_000,
    name: 'bandwidthProvisioned',
    label: 'Bandwidth',
    with: 'bandwidthCapacity',
    plain: (offer) => `${offer.bandwidthProvisioned}/${offer.bandwidthCapacity}`,
    unit: 'Gbit/s',
    words: ({ bandwidthProvisioned, bandwidthCapacity }) =>
      `${bandwidthInWords(bandwidthProvisioned)} on a ${bandwidthInWords(bandwidthCapacity)} bearer`,
    brief: (offer) => bandwidthInWords(offer.bandwidthProvisioned),
  },
  bandwidthCapacityMbps: {
    column: 'bandwidth_capacity_gbps',
    parse: bandwidth,
    print: (mbps) => mbps / 1_000,
    publish: (mbps) => mbps / 1_000,
    name: 'bandwidthCapacity',
    legacyName: 'bandwidthCapactity',
    exportedAs: null,
  },
  termMonths: {
    column: 'term_months',
    parse: termMonths,
    name: 'term',
    label: 'Term',
    plain: (offer) => offer.term,
    unit: 'months',
    words: ({ term }) => counted(term, 'month'),
  },
  soldFrom: {
    column: 'sold_from',
    absent: null,
    parse: (text) => calendarDay(text, 'The first day of sale'),
  },
  soldUntil: {
    column: 'sold_until',
    absent: null,
    parse: (text) => calendarDay(text, 'The last day of sale'),
    check: (last, { soldFrom }) => notBefore(last, soldFrom, 'sold_from'),
  },
  service: {
    column: 'service',
    absent: null,
    parse: (text) => (text === '' ? null : serviceName(text)),
    name: 'service',
    exportedAs: null,
    isLater: true,
  },
  needsInterconnect: {
    column: 'needs_interconnect',
    absent: false,
    parse: yesOrNo,
    print: (isNeeded) => (isNeeded ? 'yes' : 'no'),
    name: 'needsInterconnect',
    exportedAs: null,
    isLater: true,
  },
};

/** The fields of a price, in the order of prices.csv and of the API. */
export const priceFields: OfferFields<PriceRow> = {
  productCode: { column: 'product', isKey: true, parse: productCode },
  zone: { column: 'zone', isKey: true, parse: pricedZone },
  priceList: { column: 'price_list', isKey: true, parse: priceListName },
  amountMinor: {
    column: 'price',
    reads: 'currency',
    parse: (text, { currency }) => priceIn(text, currency),
    print: (amount, { currency }) => printAmount(amount, currency),
    publish: (amount, { currency }) => majorUnits(amount, currency),
    name: 'price',
    isTerm: true,
    isMoney: true,
    changes: { list: 'prices', heading: 'Prices' },
    label: 'Price',
    with: 'currency',
    plain: ({ price, currency }) => printPrice(price, currency),
    words: ({ price, currency }) => priceInWords(price, currency),
    heading: 'Monthly price (excl. VAT)',
  },
  currency: { column: 'currency', parse: currencyCode, name: 'currency', isTerm: true },
  leadTimeDays: {
    column: 'lead_time_days',
    parse: leadTimeDays,
    name: 'leadTimeDays',
    isTerm: true,
    changes: { list: 'leadTimes', heading: 'Lead times' },
    label: 'Lead time',
    plain: (offer) => offer.leadTimeDays,
    unit: 'days',
    words: ({ leadTimeDays: days }) => counted(days, 'day'),
  },
  setupMinor: {
    column: 'setup_price',
    absent: null,
    reads: 'currency',
    parse: (text, { currency }) => priceIn(text, currency),
    print: (amount, { currency }) => (amount === null ? '' : printAmount(amount, currency)),
    publish: (amount, { currency }) => (amount === null ? null : majorUnits(amount, currency)),
    name: 'setupPrice',
    isTerm: true,
    isMoney: true,
    changes: { list: 'setupPrices', heading: 'Set-up prices' },
    label: 'Set-up price',
    with: 'currency',
    plain: ({ setupPrice, currency }) =>
      setupPrice === null ? NOT_STATED : printPrice(setupPrice, currency),
    words({ setupPrice, currency }) {
      if (setupPrice === null) return NOT_STATED;
      return setupPrice === 0 ? 'free' : priceInWords(setupPrice, currency);
    },
    heading: 'Set-up price (excl. VAT)',
    onLine: 'set-up',
  },
  basis: {
    column: 'basis',
    absent: 'firm',
    parse: priceBasis,
    name: 'basis',
    isTerm: true,
    changes: { list: 'bases', heading: 'Bases' },
    label: 'Basis',
    with: 'extraChargesPossible',
    plain: (offer) => withoutCharges(offer.basis, offer),
    words: (offer) => withoutCharges(basisInWords[offer.basis], offer),
    brief: ({ basis }) => basisInWords[basis],
  },
  extraCharges: {
    column: 'extra_charges',
    absent: null,
    reads: 'basis',
    parse: yesOrNo,
    check(possible, { basis }) {
      if (!possible || basis !== 'firm') return null;
      return new BadCell(
        'The price is firm, so no charges can be added to it.',
        'Write no, or write subjectToSurvey or indicative as the basis.',
      );
    },
    print: (possible) => (possible === null ? '' : possible ? 'yes' : 'no'),
    publish: (possible, { basis }) => possible ?? basis !== 'firm',
    name: 'extraChargesPossible',
    isTerm: true,
    isNotCompared: true,
  },
  validFrom: {
    column: 'valid_from',
    isKey: true,
    absent: null,
    parse: (text) => calendarDay(text, 'The first day of a price'),
  },
  validUntil: {
    column: 'valid_until',
    isKey: true,
    absent: null,
    parse: (text) => calendarDay(text, 'The last day of a price'),
    check: (last, { validFrom }) => notBefore(last, validFrom, 'valid_from'),
  },
};
