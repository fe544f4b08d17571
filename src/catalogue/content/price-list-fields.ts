import { MOST_SITES } from '../../platform/access/counting.js';
import { namesProduct, productPattern } from './band-fields.js';
import { BadCell, priceListName, STANDARD } from './cells.js';
import type { OfferFields } from './offer-fields.js';

/** A row of price_lists.csv: a price list that is derived from another one. */
export interface PriceListRow {
  readonly priceList: string;
  readonly basedOn: string;
  /** Added to the monthly price: -12 is 12 % less. Up to three decimals. */
  readonly percent: number;
  /** Major units, with up to four decimals; null rounds to the minor unit. */
  readonly roundTo: number | null;
}

const LEAST_PERCENT = -100;
const MOST_PERCENT = 1_000;
const LARGEST_STEP = 1_000_000;

/** The fields of a derived price list, in the order of price_lists.csv. */
export const priceListFields: OfferFields<PriceListRow> = {
  priceList: { column: 'price_list', isKey: true, parse: derivedListName },
  basedOn: { column: 'based_on', parse: priceListName },
  percent: { column: 'percent', parse: (text) => percentage(text) },
  roundTo: { column: 'round_to', absent: null, parse: roundingStep },
};

function derivedListName(text: string): string | BadCell {
  if (text !== '' && text !== STANDARD) return priceListName(text);
  return new BadCell(
    `The price list ${STANDARD} is not derived: it has the prices that other lists lack.`,
    'Name another price list, or remove the row.',
  );
}

export function percentage(
  text: string,
  example = '-12 for 12 % less than the list that it is based on',
): number | BadCell {
  const value = /^[+-]?\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  // `-0` would print as `0`, and be another value.
  if (value >= LEAST_PERCENT && value <= MOST_PERCENT) return value === 0 ? 0 : value;
  const plain = text.replaceAll(/[\s%]/g, '').replace(/^[−–]/, '-').replace(',', '.');
  return new BadCell(
    `A percentage is a number from ${LEAST_PERCENT} to ${MOST_PERCENT}, with up to 3 decimals.`,
    /^[+-]?\d{1,3}(\.\d{1,3})?$/.test(plain) ? `Write ${plain}.` : `Write e.g. ${example}.`,
  );
}

export function roundingStep(text: string): number | BadCell {
  const value = /^\d{1,7}(\.\d{1,4})?$/.test(text) ? Number(text) : NaN;
  if (value > 0 && value <= LARGEST_STEP) return value;
  return new BadCell(
    `A rounding step is a number of major units, more than 0, with up to 4 decimals.`,
    'Write e.g. 0.50 or 1, or leave it empty to round to the minor unit.',
  );
}

/** A row of volume.csv: a discount on the monthly prices of a quote's lines. */
export interface VolumeRow {
  /** `*` is every price list without rows. */
  readonly priceList: string;
  /** Product codes: one, those with a prefix (`ETH-*`), or all (`*`). */
  readonly products: string;
  /** The least lines of one service in a quote. */
  readonly fromLines: number;
  /** The discount on the monthly price, more than 0; up to three decimals. */
  readonly percent: number;
}

const EVERY = '*';

/** In the order of volume.csv. */
export const volumeFields: OfferFields<VolumeRow> = {
  priceList: {
    column: 'price_list',
    isKey: true,
    parse: (text) => (text === EVERY ? EVERY : priceListName(text)),
  },
  products: { column: 'products', isKey: true, parse: productPattern },
  fromLines: { column: 'from_lines', isKey: true, parse: lineCount },
  percent: { column: 'percent', parse: discount },
};

function lineCount(text: string): number | BadCell {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (value >= 2 && value <= MOST_SITES) return value;
  return new BadCell(
    `Lines are a whole number, 2 to ${MOST_SITES}: the most sites of a quote.`,
    'Write e.g. 10.',
  );
}

function discount(text: string): number | BadCell {
  // `-5` is 5 % less, as in price_lists.csv.
  const value = /^-?\d{1,2}(\.\d{1,3})?$/.test(text) ? Math.abs(Number(text)) : NaN;
  if (value > 0) return value;
  const plain = text.replaceAll(/[-−–+\s%]/g, '').replace(',', '.');
  return new BadCell(
    'A discount is a number of per cent, more than 0 and less than 100, with up to 3 decimals.',
    /^\d{1,2}(\.\d{1,3})?$/.test(plain) && Number(plain) > 0
      ? `Write ${plain}.`
      : 'Write e.g. 5 or -5 for 5 % less.',
  );
}

/** The discounts for the lines of one quote. */
interface VolumeDiscount {
  readonly percent: number;
  readonly from: number;
}

export class VolumeDiscounts {
  private readonly byList: ReadonlyMap<string, readonly VolumeRow[]>;

  constructor(rows: readonly VolumeRow[]) {
    this.byList = Map.groupBy(rows, ({ priceList }) => priceList);
  }

  /** @param places that have a product of the same service @returns the largest that applies; 0 without one */
  percentFor(priceList: string, productCode: string, places: number): number {
    return this.discountFor(priceList, productCode, places).percent;
  }

  /** The largest discount that applies, and the fewest places that reach it. */
  discountFor(priceList: string, productCode: string, places: number): VolumeDiscount {
    const rows = this.byList.get(priceList) ?? this.byList.get(EVERY) ?? [];
    let best: VolumeDiscount = { percent: 0, from: 0 };
    for (const { fromLines: from, products, percent } of rows) {
      if (from > places || !namesProduct(products, productCode)) continue;
      const isBetter = percent > best.percent || (percent === best.percent && from < best.from);
      if (isBetter) best = { percent, from };
    }
    return best;
  }
}

/** Rows that never decide: others of their list give as much for as few lines. In the order of the rows. */
export function idleDiscounts(rows: readonly VolumeRow[]): VolumeRow[] {
  const covers = (a: string, b: string) =>
    namesProduct(a, b.replace(/\*$/, '')) && (a.endsWith(EVERY) || a === b);
  return rows.filter((row) =>
    rows.some(
      (other) =>
        other !== row &&
        other.priceList === row.priceList &&
        covers(other.products, row.products) &&
        other.fromLines <= row.fromLines &&
        (other.percent > row.percent ||
          (other.percent === row.percent &&
            (other.fromLines < row.fromLines || other.products !== row.products))),
    ),
  );
}
