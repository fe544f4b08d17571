import { parsePlace, parsePostcode, PostcodeRefusal } from '../../platform/kernel/postcode.js';
import { decimalsOf, printAmount } from '../../platform/kernel/money.js';
import { EVERY, productPattern } from './band-fields.js';
import {
  BadCell,
  calendarDay,
  currencyCode,
  leadTimeDays,
  type PriceBasis,
  premisesName,
  priceBasis,
  priceIn,
  priceListName,
  productCode,
  productName,
  STANDARD,
  uprnNumber,
  zoneName,
} from './cells.js';
import { EXCLUDED } from './coverage-index.js';
import type { OfferFields } from './offer-fields.js';
import { percentage, roundingStep } from './price-list-fields.js';

/** The row of a supplier.csv: a third-party network, and until when its cost book holds. */
export interface SupplierRow {
  readonly supplier: string;
  /** For staff. */
  readonly label: string;
  /** The last day in London; from the next day on, its prices are indicative. */
  readonly validUntil: string;
}

/** A row of a costs.csv: what the operator pays for a product in a zone. Never leaves the operator's staff. */
export interface CostRow {
  readonly supplier: string;
  readonly productCode: string;
  /** Of the supplier's coverage.csv; of the operator's if it has none. */
  readonly zone: string;
  /** A month, in minor units. */
  readonly costMinor: number;
  /** One-off, in minor units; 0 is free; null is not stated. */
  readonly setupMinor: number | null;
  readonly currency: string;
  readonly leadTimeDays: number;
  readonly basis: PriceBasis;
}

/** A row of margins.csv: how a sell price follows from a cost. */
export interface MarginRow {
  /** `*` is every supplier. */
  readonly supplier: string;
  /** Product codes: one, those with a prefix (`ETH-*`), or all (`*`). */
  readonly products: string;
  readonly priceList: string;
  /** Added to the cost. Up to three decimals. */
  readonly percent: number;
  /** The least margin a month, in major units; null for none. */
  readonly minimum: number | null;
  /** Major units, with up to four decimals; null rounds up to the minor unit. */
  readonly roundTo: number | null;
  /** A price with a margin below this percentage of the cost needs approval; null for none. */
  readonly floorPercent: number | null;
}

/** A row of a supplier's coverage.csv. */
export interface SupplierPlaceRow {
  readonly supplier: string;
  /** Canonical: `EC2A 2BS`. */
  readonly place: string;
  readonly zone: string;
}

/** A row of a supplier's premises.csv. */
export interface SupplierPremisesRow {
  readonly supplier: string;
  readonly uprn: number;
  readonly postcode: string;
  readonly name: string;
  readonly zone: string;
}

const LONGEST_MINIMUM = 1_000_000;

/** The code of a supplier, which is the name of its folder. */
export function supplierCode(text: string): string | BadCell {
  if (/^[a-z0-9][a-z0-9-]{0,11}$/.test(text)) return text;
  const written = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return new BadCell(
    'The code of a supplier is 1 to 12 lower-case letters, digits and hyphens.',
    `Write ${written === '' ? 'e.g. pxc' : written.slice(0, 12)}.`,
  );
}

const ofFolder = { column: 'supplier', isKey: true, inFolder: true, parse: supplierCode } as const;

/** In the order of supplier.csv. */
export const supplierFields: OfferFields<SupplierRow> = {
  supplier: { column: 'supplier', isKey: true, parse: supplierCode },
  label: { column: 'label', parse: productName },
  validUntil: {
    column: 'valid_until',
    parse: (text) => calendarDay(text, 'The last day of a cost book'),
  },
};

/** In the order of costs.csv. */
export const costFields: OfferFields<CostRow> = {
  supplier: ofFolder,
  productCode: { column: 'product', isKey: true, parse: productCode },
  zone: { column: 'zone', isKey: true, parse: zoneName },
  costMinor: {
    column: 'cost',
    reads: 'currency',
    parse: (text, { currency }) => priceIn(text, currency),
    print: (amount, { currency }) => printAmount(amount, currency),
  },
  setupMinor: {
    column: 'setup_cost',
    absent: null,
    reads: 'currency',
    parse: (text, { currency }) => priceIn(text, currency),
    print: (amount, { currency }) => (amount === null ? '' : printAmount(amount, currency)),
  },
  currency: { column: 'currency', parse: currencyCode },
  leadTimeDays: { column: 'lead_time_days', parse: leadTimeDays },
  basis: { column: 'basis', absent: 'firm', parse: priceBasis },
};

/** In the order of margins.csv. */
export const marginFields: OfferFields<MarginRow> = {
  supplier: {
    column: 'supplier',
    isKey: true,
    parse: (text) => (text === EVERY ? text : supplierCode(text)),
  },
  products: { column: 'products', isKey: true, parse: productPattern },
  priceList: { column: 'price_list', isKey: true, absent: STANDARD, parse: priceListName },
  percent: { column: 'percent', parse: ofCost },
  minimum: {
    column: 'minimum',
    absent: null,
    parse(text) {
      const value = /^\d{1,7}(\.\d{1,4})?$/.test(text) ? Number(text) : NaN;
      if (value <= LONGEST_MINIMUM) return value;
      return new BadCell(
        'The least margin is a number of major units a month, from 0, with up to 4 decimals.',
        'Write e.g. 25, or leave it empty if there is none.',
      );
    },
  },
  roundTo: { column: 'round_to', absent: null, parse: roundingStep },
  floorPercent: {
    column: 'floor_percent',
    absent: null,
    parse: ofCost,
    check(floor, { percent = Infinity }) {
      if (floor === null || floor <= percent) return null;
      return new BadCell(
        `The floor is above the margin of this row, ${percent} %.`,
        'Lower it, or raise percent.',
      );
    },
  },
};

/** In the order of a supplier's coverage.csv. */
export const supplierPlaceFields: OfferFields<SupplierPlaceRow> = {
  supplier: ofFolder,
  place: {
    column: 'place',
    isKey: true,
    parse(text) {
      const place = parsePlace(text);
      return place instanceof PostcodeRefusal ? badPlace(place) : place.name;
    },
  },
  zone: { column: 'zone', parse: zoneOrNone },
};

/** In the order of a supplier's premises.csv. */
export const supplierPremisesFields: OfferFields<SupplierPremisesRow> = {
  supplier: ofFolder,
  uprn: { column: 'uprn', isKey: true, parse: uprnNumber },
  postcode: {
    column: 'postcode',
    parse(text) {
      const postcode = parsePostcode(text);
      return postcode instanceof PostcodeRefusal ? badPlace(postcode) : postcode.unit;
    },
  },
  name: { column: 'name', absent: '', parse: premisesName },
  zone: { column: 'zone', parse: zoneOrNone },
};

function ofCost(text: string): number | BadCell {
  return percentage(text, '25 for the cost and a quarter');
}

function zoneOrNone(text: string): string | BadCell {
  return text === EXCLUDED ? text : zoneName(text);
}

function badPlace({ detail, suggestion }: PostcodeRefusal): BadCell {
  return new BadCell(
    detail.replace(/: .*$/, '.').replace(/ Did you mean .*$/, ''),
    suggestion === undefined ? 'Write e.g. EC2A 2BS.' : `Did you mean "${suggestion}"?`,
  );
}

/** Major units of a rule in minor units of a currency. */
export function minorOf(major: number, currency: string): number {
  return Math.ceil(major * 10 ** decimalsOf(currency) - 1e-6);
}
