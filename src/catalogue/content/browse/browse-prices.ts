import type { Catalogue } from '../catalogue.js';
import { STANDARD } from '../cells.js';
import { BEGINNING } from '../dates.js';
import { priceFields, type PriceRow, type ProductRow } from '../offer-fields.js';
import { keyOfRow } from '../offers.js';

export interface PriceFilter {
  /** The start of a product code, or a part of a name; empty for all. */
  readonly product: string;
  /** Null for all. */
  readonly zone: string | null;
  /** With the prices that its clients get from other lists; null for the prices that every list states or derives. */
  readonly priceList: string | null;
}

export interface BrowsedPrice {
  readonly product: ProductRow;
  /** Its list is that which states or derives it. */
  readonly price: PriceRow;
  /** `standard 465.00 − 12 %`; null for a row of prices.csv. */
  readonly derivation: string | null;
}

/** The prices of a version that a filter leaves, those with dates included, by bandwidth, term, product, zone, list and first day. */
export function browsePrices(catalogue: Catalogue, filter: PriceFilter): BrowsedPrice[] {
  const found: BrowsedPrice[] = [];
  const { zones, priceLists } = priceChoices(catalogue);
  for (const zone of filter.zone === null ? zones : [filter.zone]) {
    const shown = new Set<string>();
    for (const day of [BEGINNING, ...catalogue.changeDaysOf(zone)]) {
      const here = catalogue.pricesIn(zone, day);
      for (const list of filter.priceList === null ? priceLists : [filter.priceList]) {
        for (const price of here.on(list).values()) {
          // Without a chosen list, each price is shown once.
          if (filter.priceList === null && price.priceList !== list) continue;
          const product = catalogue.product(price.productCode);
          if (!product || !matches(product, filter.product)) continue;
          // The same price may apply in several periods.
          const key = `${list} ${keyOfRow(priceFields, price)}`;
          if (shown.has(key)) continue;
          shown.add(key);
          found.push({ product, price, derivation: here.derivationOf(price) });
        }
      }
    }
  }
  return found.sort(inOrder);
}

/** The zones with prices, and all price lists, with `standard` first. */
export function priceChoices({ content }: Catalogue) {
  const zones = [...new Set(content.prices.map(({ zone }) => zone))].sort();
  const named = [...content.prices, ...content.priceLists].map(({ priceList }) => priceList);
  const others = [...new Set(named)].filter((list) => list !== STANDARD).sort();
  return { zones, priceLists: [STANDARD, ...others] };
}

function matches({ code, name }: ProductRow, text: string): boolean {
  return code.startsWith(text.toUpperCase()) || name.toLowerCase().includes(text.toLowerCase());
}

function inOrder(a: BrowsedPrice, b: BrowsedPrice): number {
  return (
    a.product.bandwidthProvisionedMbps - b.product.bandwidthProvisionedMbps ||
    a.product.termMonths - b.product.termMonths ||
    compare(a.product.code, b.product.code) ||
    compare(a.price.zone, b.price.zone) ||
    compare(a.price.priceList, b.price.priceList) ||
    compare(a.price.validFrom ?? BEGINNING, b.price.validFrom ?? BEGINNING)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
