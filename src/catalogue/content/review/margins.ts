import { majorUnits, priceInWords } from '../../../platform/kernel/money.js';
import { nearestRank } from '../../../platform/kernel/sorted.js';
import type { CatalogueContent } from '../catalogue.js';
import { effectiveOf, KnownPairs, MarginRules, supplierZone } from '../cost-books.js';
import type { CostRow } from '../cost-fields.js';
import { supplierOf } from '../coverage-codec.js';
import { derivedLists, effectivePrices } from '../effective-prices.js';
import type { PriceRow } from '../offer-fields.js';
import { counted } from '../../../platform/kernel/counts.js';

/** What a supplier's price is of: a part of a zone, and a price list. */
export type SoldBySupplier = Pick<PriceRow, 'productCode' | 'zone' | 'priceList'>;

export interface SupplierCost extends Pick<CostRow, 'costMinor' | 'currency'> {
  /** The least price that needs no approval, in minor units; null if there is no floor. */
  readonly floorMinor: number | null;
}

/** Finds what a price of a supplier costs. */
export class CostBook {
  private readonly rules: MarginRules;
  /** By zone, then by product. */
  private readonly byZone: ReadonlyMap<string, ReadonlyMap<string, CostRow>>;

  constructor({ margins, costs }: Pick<CatalogueContent, 'margins' | 'costs'>) {
    this.rules = new MarginRules(margins);
    const zones = new KnownPairs(supplierZone);
    const byZone = Map.groupBy(costs, ({ supplier, zone }) => zones.of(supplier, zone));
    this.byZone = new Map(
      [...byZone].map(([zone, rows]) => [zone, new Map(rows.map((row) => [row.productCode, row]))]),
    );
  }

  of({ productCode, zone, priceList }: SoldBySupplier): SupplierCost | null {
    const cost = this.byZone.get(zone)?.get(productCode);
    if (!cost) return null;
    const { costMinor, currency } = cost;
    return { costMinor, currency, floorMinor: this.rules.floorOf(cost, priceList) };
  }
}

/** A margin a month, in minor units and in per cent of the cost (null of nothing). */
export interface Margin {
  readonly marginMinor: number;
  readonly percent: number | null;
}

export function marginOf(amountMinor: number, costMinor: number): Margin {
  const marginMinor = amountMinor - costMinor;
  return { marginMinor, percent: costMinor === 0 ? null : (marginMinor / costMinor) * 100 };
}

/** `cost £100.00, margin £25.00 (25.0 %)`, a month. */
export function marginInWords(amountMinor: number, costMinor: number, currency: string): string {
  const { marginMinor, percent } = marginOf(amountMinor, costMinor);
  const [paid, margin] = [costMinor, marginMinor].map((minor) =>
    priceInWords(majorUnits(minor, currency), currency).replace('-', '−'),
  );
  return `cost ${paid}, margin ${margin}${percent === null ? '' : ` (${marginPercentInWords(percent)})`}`;
}

/** `−16.7 %`; without a sign where it rounds to zero. */
export function marginPercentInWords(percent: number): string {
  const text = percent.toFixed(1);
  return `${text === '-0.0' ? '0.0' : text.replace('-', '−')} %`;
}

/** Margins of all prices of a supplier, in per cent of the costs; free products have none. */
export interface SupplierMargins {
  readonly supplier: string;
  readonly prices: number;
  readonly least: number | null;
  readonly median: number | null;
  readonly most: number | null;
  readonly belowFloor: number;
}

export function supplierMargins(content: CatalogueContent): SupplierMargins[] {
  if (content.suppliers.length === 0) return [];
  const sold = soldBySuppliers(content).map(({ supplier, price: { amountMinor }, cost }) => {
    const { percent } = marginOf(amountMinor, cost.costMinor);
    return { supplier, percent, isBelow: amountMinor < (cost.floorMinor ?? 0) };
  });
  return [...Map.groupBy(sold, ({ supplier }) => supplier)].map(([supplier, own]) => {
    const percents = own.flatMap(({ percent }) => percent ?? []).sort((a, b) => a - b);
    return {
      supplier,
      prices: own.length,
      least: percents[0] ?? null,
      median: nearestRank(percents, 0.5),
      most: percents.at(-1) ?? null,
      belowFloor: own.filter(({ isBelow }) => isBelow).length,
    };
  });
}

/** Prices of suppliers, also on lists that derive from others, and what they cost. @param counts which of them */
function soldBySuppliers(
  content: CatalogueContent,
  counts: (price: PriceRow) => boolean = () => true,
) {
  const book = new CostBook(content);
  return effectivePrices(effectiveOf(content)).flatMap((price) => {
    const supplier = supplierOf(price.zone);
    const cost = supplier !== null && counts(price) ? book.of(price) : null;
    return supplier === null || !cost ? [] : [{ supplier, price, cost }];
  });
}

/** Prices below the floor of their margin, in a sentence for all and in one for those who may see margins. */
export interface BelowFloor {
  readonly detail: string;
  readonly withMargins: string;
}

/** Prices of suppliers that are new below the floor of their margin; null if there are none. */
export function belowFloor(
  before: CatalogueContent | null,
  after: CatalogueContent,
): BelowFloor | null {
  if (after.margins.every(({ floorPercent }) => floorPercent === null)) return null;
  const known = new Set(before ? lowPrices(before).map(({ said }) => said) : []);
  const low = lowPrices(after)
    .filter(({ said }) => !known.has(said))
    .sort((a, b) => a.share - b.share);
  const [first] = low;
  if (!first) return null;
  const many = counted(low.length, 'price is', 'prices are');
  const below = `${many} below the floor of the margin`;
  return {
    detail: `${below}, such as ${first.price}.`,
    withMargins: `${below}, most of all ${first.said}.`,
  };
}

/** The prices of suppliers below the floor. */
function lowPrices(content: CatalogueContent) {
  // The price of a rule is at its floor or above: margins.csv has no floor above the margin.
  const derived = derivedLists(content.priceLists);
  if (derived.size === 0) return [];
  const rules = new MarginRules(content.margins);
  const isDerived = ({ priceList }: PriceRow) => derived.has(priceList);
  return soldBySuppliers(content, isDerived).flatMap(({ supplier, price: row, cost }) => {
    const { productCode, zone, priceList, amountMinor, currency } = row;
    const { costMinor, floorMinor: floor } = cost;
    if (floor === null || amountMinor >= floor) return [];
    const price = `${productCode} in ${zone} (${priceList})`;
    const amount = priceInWords(majorUnits(amountMinor, currency), currency);
    // Rounded down: a margin below the floor never reads as the floor.
    const percent = Math.floor(marginOf(amountMinor, costMinor).percent! * 10) / 10;
    const floorPercent = rules.floorPercentOf({ supplier, productCode }, priceList);
    const margin = `margin ${marginPercentInWords(percent)}, floor ${floorPercent} %`;
    return { share: amountMinor / floor, price, said: `${price} at ${amount}: ${margin}` };
  });
}
