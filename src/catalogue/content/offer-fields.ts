import {
  BadCell,
  bandwidth,
  currencyCode,
  leadTimeDays,
  priceIn,
  pricedZone,
  priceListName,
  productCode,
  productName,
  termMonths,
} from './cells.js';
import { majorUnits, priceInWords, printAmount, printPrice } from './money.js';

/** A row of products.csv. */
export interface ProductRow {
  readonly code: string;
  readonly name: string;
  readonly bandwidthProvisionedMbps: number;
  readonly bandwidthCapacityMbps: number;
  readonly termMonths: number;
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
}

/** A product with its terms at a place, in the units of the interface. */
export interface OfferedProduct {
  readonly productCode: string;
  readonly name: string;
  /** Gbit/s. */
  readonly bandwidthProvisioned: number;
  /** Gbit/s. */
  readonly bandwidthCapacity: number;
  /** Months. */
  readonly term: number;
  /** A month, excluding VAT, in major units: 549.99. */
  readonly price: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Calendar days. */
  readonly leadTimeDays: number;
}

/** What a client decides by, and an order keeps: a price hold, a replay and the order page compare it. */
export type AgreedTerms = Pick<OfferedProduct, 'price' | 'currency' | 'leadTimeDays'>;

/** An offered product, and where its price comes from. */
export interface Offer extends OfferedProduct {
  readonly zone: string;
  /** `standard` where the client's own price list has no price for it. */
  readonly priceList: string;
  /** The price in minor units: 54999. */
  readonly amountMinor: number;
}

/** The lists of changed prices in a comparison of two catalogue versions. */
export type ChangeList = 'prices' | 'leadTimes';

/** A field that an API client sees; the name is the interface's. */
export interface PublishedField {
  readonly name: keyof OfferedProduct;
  /** A second name, with which an older version of the interface had it. */
  readonly legacyName?: string;
  /** Names the column in the export of orders, where it is not `name`; null leaves the field out. */
  readonly exportedAs?: string | null;
  readonly isTerm?: true;
  /** Which changes between two catalogue versions are listed together, and under which heading. */
  readonly changes?: { readonly list: ChangeList; readonly heading: string };

  /** Heads the field on pages and in letters. A field without one is not shown by itself. */
  readonly label?: string;
  /** Another field without which this one says little: shown and compared with it. */
  readonly with?: keyof OfferedProduct;
  /** Tersely, without the unit: `550.00 GBP`, `84`. */
  readonly plain?: (offer: OfferedProduct) => string | number;
  /** Follows the plain value. */
  readonly unit?: string;
  /** For people: `£550`, `1 Gbit/s on a 10 Gbit/s bearer`. By default the plain value and its unit. */
  readonly words?: (offer: OfferedProduct) => string;
  /** For a narrow column; by default the words. */
  readonly brief?: (offer: OfferedProduct) => string;
  /** Follows the label or the value: `a month, excluding VAT`. */
  readonly note?: string;
  /** Whether it is an amount: its changes are given in percent. */
  readonly isMoney?: true;
}

/** A field of a row, as the CSV files and stored contents have it. */
interface StoredField<Row, Value> {
  readonly column: string;
  /** Whether the field is part of what identifies a row. */
  readonly isKey?: true;
  /** What an empty cell means, and a missing column. Without it the column must be there. */
  readonly absent?: Value;
  /** A field that has to be parsed first. */
  readonly reads?: keyof Row & string;
  /** @param row what was parsed of the row so far; a bad cell is missing in it */
  readonly parse: (text: string, row: Partial<Row>) => Value | BadCell;
  /** What is wrong with the value beside the others of its row; a bad cell is missing in it. */
  readonly check?: (value: Value, row: Partial<Row>) => BadCell | null;
  /** As a CSV cell; by default as it is. */
  readonly print?: (value: Value, row: Row) => string | number;
  /** In the interface's unit; by default as it is. */
  readonly publish?: (value: Value, row: Row) => unknown;
}

export type OfferField<Row, Value> = StoredField<Row, Value> & Partial<PublishedField>;

/** By the property of the row. */
export type OfferFields<Row> = { readonly [K in keyof Row]: OfferField<Row, Row[K]> };

/** 0.1 as `100 Mbit/s`, 10 as `10 Gbit/s`. */
function bandwidthInWords(gigabits: number): string {
  return gigabits < 1 ? `${Math.round(gigabits * 1_000)} Mbit/s` : `${gigabits} Gbit/s`;
}

/** The fields of a product, in the order of the columns of products.csv and of the interface. */
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
        'Exchange the two, or correct one.',
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
    words: ({ term }) => (term === 1 ? '1 month' : `${term} months`),
  },
};

/** The fields of a price, in the order of the columns of prices.csv and of the interface. */
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
    note: 'a month, excluding VAT',
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
    words: ({ leadTimeDays: days }) => (days === 1 ? '1 day' : `${days} days`),
  },
};
