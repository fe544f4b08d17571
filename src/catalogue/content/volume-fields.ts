import { MOST_SITES } from '../../platform/access/counting.js';
import { majorUnits } from '../../platform/kernel/money.js';
import { namesProduct, productPattern } from './band-fields.js';
import { BadCell, priceListName } from './cells.js';
import { percentOf } from './effective-prices.js';
import type { Offer, OfferFields } from './offer-fields.js';

/** A row of volume.csv: a discount on the monthly prices of a quote's lines. */
export interface VolumeRow {
  /** `*` is every price list without rows. */
  readonly priceList: string;
  /** Product codes: one, those with a prefix (`ETH-*`), or all (`*`). */
  readonly products: string;
  /** The least lines of one service in a quote. */
  readonly fromLines: number;
  /** What is taken off; up to three decimals. */
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
  const value = /^\d{1,2}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (value > 0) return value;
  const plain = text.replaceAll(/[-−–+\s%]/g, '').replace(',', '.');
  return new BadCell(
    'A discount is a number of per cent, more than 0 and less than 100, with up to 3 decimals.',
    /^\d{1,2}(\.\d{1,3})?$/.test(plain) && Number(plain) > 0
      ? `Write ${plain}.`
      : 'Write e.g. 5 for 5 % less.',
  );
}

/** The discounts for the lines of one quote. */
export class VolumeDiscounts {
  private readonly byList: ReadonlyMap<string, readonly VolumeRow[]>;

  constructor(rows: readonly VolumeRow[]) {
    this.byList = Map.groupBy(rows, ({ priceList }) => priceList);
  }

  /** @param lines that have a product of the same service @returns the largest that applies; 0 without one */
  percentFor(priceList: string, productCode: string, lines: number): number {
    const rows = this.byList.get(priceList) ?? this.byList.get(EVERY) ?? [];
    const percents = rows
      .filter(
        ({ fromLines, products }) => fromLines <= lines && namesProduct(products, productCode),
      )
      .map(({ percent }) => percent);
    return Math.max(0, ...percents);
  }
}

/** The offer with less to pay each month; set-up stays. Rounded half up to the minor unit. */
export function discounted<T extends Pick<Offer, 'amountMinor' | 'price' | 'currency'>>(
  offer: T,
  percent: number,
): T {
  const { amountMinor: before, currency } = offer;
  const amountMinor = percentOf(before, -percent, null, currency);
  return { ...offer, amountMinor, price: majorUnits(amountMinor, currency) };
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
