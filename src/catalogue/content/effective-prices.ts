import { didYouMean } from '../../platform/tables/nearest.js';
import { STANDARD } from './cells.js';
import {
  decimalsOf,
  LARGEST_AMOUNT,
  majorUnits,
  printAmount,
} from '../../platform/kernel/money.js';
import { datesInWords, isDated } from './dates.js';
import { type Offer, priceFields, type PriceRow } from './offer-fields.js';
import { sortedRows } from './offers.js';
import { priceListFields, type PriceListRow } from './price-list-fields.js';

/** Derived price lists by name. They form no cycles. */
export type DerivedLists = ReadonlyMap<string, PriceListRow>;

export function derivedLists(rows: readonly PriceListRow[]): DerivedLists {
  return new Map(rows.map((row) => [row.priceList, row]));
}

/** The prices that apply in one zone on one day. */
export class ZonePrices {
  private readonly lists = new Map<string, ReadonlyMap<string, PriceRow>>();

  /**
   * @param rows of prices.csv in this zone, one of each product and list
   * @param stated the lists and products, as `gold INT-1G-12`, with a price that follows no other list
   */
  constructor(
    private readonly rows: readonly PriceRow[],
    private readonly derived: DerivedLists,
    private readonly stated: ReadonlySet<string> = new Set(),
  ) {}

  /**
   * The prices on a list by product: its own row, else the price derived from its base list, else the
   * standard row. A derived price names the list; a standard one names `standard`.
   */
  ofList(priceList: string): ReadonlyMap<string, PriceRow> {
    const known = this.lists.get(priceList);
    if (known) return known;
    const prices = new Map<string, PriceRow>();
    const list = this.derived.get(priceList);
    if (priceList !== STANDARD) {
      for (const [code, price] of this.ofList(list?.basedOn ?? STANDARD)) {
        if (this.stated.has(`${priceList} ${code}`)) continue;
        prices.set(code, list ? derivedPrice(price, list) : price);
      }
    }
    for (const row of this.rows) {
      if (row.priceList === priceList) prices.set(row.productCode, row);
    }
    this.lists.set(priceList, prices);
    return prices;
  }

  /** The list, and those from which its prices derive or are taken, down to `standard`. */
  chainOf(priceList: string): string[] {
    const chain = [priceList];
    for (let last = priceList; last !== STANDARD; chain.push(last)) {
      last = this.derived.get(last)?.basedOn ?? STANDARD;
    }
    return chain;
  }

  /** `standard 465.00 − 12 %, rounded to 0.50`; null if the price is a row of prices.csv. */
  derivationOf(price: PriceRow): string | null {
    const list = this.derived.get(price.priceList);
    if (!list || this.rows.includes(price)) return null;
    const base = this.ofList(list.basedOn).get(price.productCode)!;
    const { percent, roundTo } = list;
    const amount = `${base.priceList} ${printAmount(base.amountMinor, base.currency)}`;
    const step = roundTo === null ? '' : `, rounded to ${decimal(roundTo, base.currency)}`;
    return `${amount} ${percent < 0 ? '−' : '+'} ${Math.abs(percent)} %${step}`;
  }
}

export interface PricedContent {
  readonly prices: readonly PriceRow[];
  readonly priceLists: readonly PriceListRow[];
}

/** Keeps the result for each two objects while they are in use: those of large contents are asked for often. */
export function onceForEach<A extends object, B extends object, T>(compute: (a: A, b: B) => T) {
  const known = new WeakMap<A, WeakMap<B, { readonly result: T }>>();
  return (a: A, b: B): T => {
    const ofFirst = known.get(a) ?? new WeakMap<B, { readonly result: T }>();
    known.set(a, ofFirst);
    const found = ofFirst.get(b) ?? { result: compute(a, b) };
    ofFirst.set(b, found);
    return found.result;
  };
}

/**
 * The rows of prices.csv, and every derived price, in canonical order. Those with dates follow a base row with these
 * dates. Computed once for the same rows.
 */
export function effectivePrices({ prices, priceLists }: PricedContent): readonly PriceRow[] {
  return priceLists.length === 0 ? prices : withDerived(prices, priceLists);
}

const withDerived = onceForEach(deriveAll);

function deriveAll(
  prices: readonly PriceRow[],
  priceLists: readonly PriceListRow[],
): readonly PriceRow[] {
  const derived = derivedLists(priceLists);
  const all = [...prices];
  const own = new Set(prices);
  for (const rows of Map.groupBy(prices, ({ zone }) => zone).values()) {
    const undated = rows.filter((row) => !isDated(row));
    const stated = new Set(undated.map((row) => `${row.priceList} ${row.productCode}`));
    for (const group of Map.groupBy(rows, datesInWords).values()) {
      const here = new ZonePrices(group, derived, stated);
      for (const list of derived.keys()) {
        for (const price of here.ofList(list).values()) if (!own.has(price)) all.push(price);
      }
    }
  }
  return sortedRows(priceFields, all);
}

/** The monthly price in per cent of the base; other terms stay. */
function derivedPrice(base: PriceRow, { priceList, percent, roundTo }: PriceListRow): PriceRow {
  const { amountMinor, currency } = base;
  return { ...base, priceList, amountMinor: percentOf(amountMinor, percent, roundTo, currency) };
}

/** Decimals of a percentage and of a rounding step. */
const PERCENT_UNIT = 1_000;
const STEP_UNIT = 10_000;

/**
 * An amount plus `percent`, rounded to the step, and to whole minor units. Exact: no floating point.
 * @param amount minor units @param roundTo major units; null for the minor unit
 */
export function percentOf(
  amount: number,
  percent: number,
  roundTo: number | null,
  currency: string,
  rounded = halfUp,
): number {
  const perMajor = 10n ** BigInt(decimalsOf(currency));
  const unit = BigInt(STEP_UNIT);
  // In minor units, times STEP_UNIT. A step below the minor unit has no effect.
  const stated = BigInt(Math.round((roundTo ?? 0) * STEP_UNIT)) * perMajor;
  const step = stated > unit ? stated : unit;
  const share = BigInt(Math.round((100 + percent) * PERCENT_UNIT));
  const steps = rounded(BigInt(amount) * share * unit, BigInt(100 * PERCENT_UNIT) * step);
  return Number(rounded(steps * step, unit));
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

/** Of two positive numbers. */
function halfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** Of two positive numbers. */
export function roundedUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** With the decimals of the currency, or more if the number has more. */
function decimal(value: number, currency: string): string {
  const decimals = String(value).split('.')[1]?.length ?? 0;
  return value.toFixed(Math.max(decimals, decimalsOf(currency)));
}

interface PriceListFault {
  readonly priceList: string;
  readonly column: string;
  readonly value: string;
  readonly reason: string;
  readonly suggestion: string;
}

/**
 * What is wrong with derived price lists together: unknown bases, cycles, amounts out of range.
 * @param named all lists of price_lists.csv, also those with other faults
 */
export function priceListFaults(content: PricedContent, named: Iterable<string>): PriceListFault[] {
  const { prices, priceLists } = content;
  if (priceLists.length === 0) return [];
  const derived = derivedLists(priceLists);
  const known = new Set([STANDARD, ...named, ...prices.map((row) => row.priceList)]);
  const faults = priceLists.flatMap(({ priceList, basedOn }) => {
    const fault = { priceList, column: priceListFields.basedOn.column, value: basedOn };
    if (!known.has(basedOn)) {
      return {
        ...fault,
        reason: 'There is no price list with this name.',
        suggestion:
          didYouMean(basedOn, known) ?? 'Name standard, or a list of prices.csv or of this file.',
      };
    }
    const cycle = cycleFrom(priceList, derived);
    if (!cycle) return [];
    const path = cycle.join(' → ');
    return {
      ...fault,
      reason: `The price list is based on itself: ${path}.`,
      suggestion: 'Base one of them on standard.',
    };
  });
  return faults.length > 0 ? faults : amountFaults(content, derived);
}

/** `[a, b, a]`; null if `start` is in no cycle. */
function cycleFrom(start: string, derived: DerivedLists): string[] | null {
  const path = [start];
  for (let list = derived.get(start); list; list = derived.get(list.basedOn)) {
    path.push(list.basedOn);
    if (list.basedOn === start) return path;
    // A cycle further on is reported at its own lists.
    if (path.length > derived.size + 1) return null;
  }
  return null;
}

function amountFaults(content: PricedContent, derived: DerivedLists): PriceListFault[] {
  const tooLarge = effectivePrices(content).filter((row) => row.amountMinor > LARGEST_AMOUNT);
  return [...Map.groupBy(tooLarge, ({ priceList }) => priceList)].map(([priceList, [first]]) => {
    const { productCode, zone, currency } = first!;
    const { percent }: PriceListRow = derived.get(priceList)!;
    return {
      priceList,
      column: priceListFields.percent.column,
      value: String(percent),
      reason: `The price of ${productCode} in ${zone} exceeds ${printAmount(LARGEST_AMOUNT, currency)} ${currency}.`,
      suggestion: 'Write a lower percentage.',
    };
  });
}
