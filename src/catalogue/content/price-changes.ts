import { addDays } from '../../platform/kernel/time.js';
import { STANDARD } from './cells.js';
import { BEGINNING, changeDays, datesInWords, daysInWords, isDated, onDay } from './dates.js';
import { effectivePrices, onceForEach, type PricedContent } from './effective-prices.js';
import {
  type ChangeList,
  priceFields,
  type PriceRow,
  type PublishedField,
} from './offer-fields.js';
import { type AnyRow, changedRows, differs, entriesOf, publishPrice } from './offers.js';

/** A price that was added, removed or changed. */
export interface PriceChange {
  readonly productCode: string;
  readonly zone: string;
  readonly priceList: string;
  /** On which it changes, as `datesInWords`. */
  readonly dates: string;
  readonly before: PriceRow | null;
  readonly after: PriceRow | null;
  /** The change in per cent of the amount before; null if one of them is missing, 0, or in another currency. */
  readonly percent: number | null;
}

/** By the field that changed, biggest changes first. `prices` ends with the added and removed ones. */
export type PriceChanges = Readonly<Record<ChangeList, readonly PriceChange[]>>;

/** A price field whose changes are listed. */
interface ListedField {
  readonly property: string;
  readonly field: PublishedField;
  readonly list: ChangeList;
  readonly heading: string;
  readonly column: string;
}

export function listedFields(): ListedField[] {
  return entriesOf(priceFields).flatMap(([property, field]) =>
    field.changes
      ? { property, column: field.column, field: field as PublishedField, ...field.changes }
      : [],
  );
}

/** Before and after; null where nothing is sold. */
type PricePair = readonly [before: PriceRow | null, after: PriceRow | null];

/** Compares prices in canonical order; the same ones once. */
export const diffPrices = onceForEach((before: readonly PriceRow[], after: readonly PriceRow[]) =>
  priceChanges(changedRows(priceFields, before, after)),
);

/**
 * The changes as `diffPrices` lists them, and those of lists that have a price on one side only: on the other side,
 * their clients have the standard price, which may be the same. Both sides are of one day.
 */
export function diffForClients(
  before: readonly PriceRow[],
  after: readonly PriceRow[],
): Pick<PriceChanges, 'prices' | 'setupPrices'> {
  const { prices, setupPrices } = diffPrices(before, after);
  const oneSided = prices.filter((one) => one.priceList !== STANDARD && !(one.before && one.after));
  if (oneSided.length === 0) return { prices, setupPrices };
  const [old, fresh] = [before, after].map(standardPrices);
  const pairs = oneSided.flatMap(({ before: was, after: is, priceList }): PricePair[] => {
    const other = was ? fresh!(was) : old!(is!);
    if (!other) return [];
    return [was ? [was, { ...other, priceList }] : [{ ...other, priceList }, is]];
  });
  const movesOf = (amount: 'amountMinor' | 'setupMinor') =>
    pairs.map(([was, is]) => priceChange(was, is, amount));
  return {
    prices: [...prices, ...movesOf('amountMinor')],
    setupPrices: [...setupPrices, ...movesOf('setupMinor')],
  };
}

/** Finds the standard price of the same product and zone. Without a text for each row: there can be 500,000. */
function standardPrices(rows: readonly PriceRow[]) {
  const standard = rows.filter(({ priceList }) => priceList === STANDARD);
  const byProduct = Map.groupBy(standard, ({ productCode }) => productCode);
  const known = new Map<string, ReadonlyMap<string, PriceRow>>();
  return ({ productCode, zone }: PriceRow) => {
    let byZone = known.get(productCode);
    if (!byZone) {
      byZone = new Map(byProduct.get(productCode)?.map((row) => [row.zone, row]));
      known.set(productCode, byZone);
    }
    return byZone.get(zone);
  };
}

/** What changes for clients, and on which days: rows that are only split by dates are no change. */
export function diffPricesByDay(before: PricedContent, after: PricedContent): PriceChanges {
  const all = [...before.prices, ...after.prices];
  const dated = new Set(all.flatMap((row) => (isDated(row) ? soldAs(row) : [])));
  const [old, fresh] = [before, after].map(({ prices, priceLists }) => {
    const undated = dated.size === 0 ? prices : prices.filter((row) => !dated.has(soldAs(row)));
    return effectivePrices({ prices: undated, priceLists });
  });
  if (dated.size === 0) return diffPrices(old!, fresh!);
  const pairs: PricePair[] = [...changedRows(priceFields, old!, fresh!)];
  const [was, is] = [before, after].map(({ prices, priceLists }) => {
    const groups = Map.groupBy(prices, soldAs);
    return (key: string) => ({ prices: groups.get(key) ?? [], priceLists });
  });
  for (const key of dated) pairs.push(...changesByDay(was!(key), is!(key)));
  return priceChanges(pairs);
}

function soldAs({ productCode, zone }: PriceRow): string {
  return `${productCode} ${zone}`;
}

/** The changes of one product in one zone, with the days on which each is the same. */
function changesByDay(before: PricedContent, after: PricedContent): PricePair[] {
  const [was, is] = [before, after].map(({ prices, priceLists }) => {
    const sold = { products: [], zones: [], suppliers: [], prices };
    return {
      days: changeDays(sold),
      on: (day: string) => effectivePrices({ prices: onDay(sold, day).prices, priceLists }),
    };
  });
  const days = [...new Set([BEGINNING, ...was!.days, ...is!.days])].sort();
  const found: PricePair[] = [];
  /** The change on the day before, by price list. */
  let current = new Map<string, { pair: PricePair; from: string }>();
  const end = (next: typeof current, day?: string) => {
    for (const [priceList, change] of current) {
      if (next.get(priceList) === change) continue;
      const { pair, from } = change;
      const dates = {
        validFrom: from === BEGINNING ? null : from,
        validUntil: day === undefined ? null : addDays(day, -1),
      };
      const [old, fresh] = pair.map((row) => row && { ...row, ...dates });
      found.push([old!, fresh!]);
    }
  };
  for (const day of days) {
    const next: typeof current = new Map();
    for (const pair of changedRows(priceFields, was!.on(day), is!.on(day))) {
      const { priceList } = (pair[1] ?? pair[0])!;
      const known = current.get(priceList);
      const isSame = known?.pair.every((row, i) => isSameRow(row, pair[i]!));
      next.set(priceList, isSame ? known! : { pair, from: day });
    }
    end(next, day);
    current = next;
  }
  end(new Map());
  return found;
}

const keysOfPrice = Object.keys(priceFields) as (keyof PriceRow)[];

function isSameRow(a: PriceRow | null, b: PriceRow | null): boolean {
  if (!a || !b) return a === b;
  return keysOfPrice.every((name) => a[name] === b[name]);
}

function priceChanges(pairs: Iterable<PricePair>): PriceChanges {
  const lists = listedFields().map((listed) => ({ ...listed, changes: [] as PriceChange[] }));
  for (const [was, row] of pairs) {
    for (const [i, { property, field, changes }] of lists.entries()) {
      const isListed = was && row ? differs(field, publishPrice(was), publishPrice(row)) : i === 0;
      if (isListed) changes.push(priceChange(was, row, field.isMoney ? property : 'amountMinor'));
    }
  }
  for (const { property, field, changes } of lists) {
    changes.sort((a, b) => moveOf(b, property, field) - moveOf(a, property, field));
  }
  const byList = lists.map(({ list, changes }) => [list, changes]);
  return Object.fromEntries(byList) as PriceChanges;
}

/** The size of a change, to sort by; lowest for added and removed prices. */
function moveOf({ before, after, percent }: PriceChange, property: string, field: PublishedField) {
  if (field.isMoney) return percent === null ? -1 : Math.abs(percent);
  const [a, b] = [before, after].map((row) => Number((row as AnyRow | null)?.[property]));
  return Math.abs(b! - a!) || 0;
}

/** @param amount the property that `percent` is about */
function priceChange(before: PriceRow | null, after: PriceRow | null, amount: string): PriceChange {
  const { productCode, zone, priceList, ...row } = (after ?? before)!;
  const key = { productCode, zone, priceList, dates: datesInWords(row), before, after };
  if (!before || !after || before.currency !== after.currency) return { ...key, percent: null };
  const amounts = [before, after].map((row: object) => (row as AnyRow)[amount]);
  if (amounts.includes(null)) return { ...key, percent: null };
  const [from, to] = amounts.map(Number);
  if (from === to) return { ...key, percent: 0 };
  return { ...key, percent: from === 0 ? null : ((to! - from!) / from!) * 100 };
}

/** The changes of one kind of price in figures. */
export interface PriceSummary {
  readonly count: number;
  readonly added: number;
  readonly removed: number;
  /** Per cent, of prices with an amount before and after; null if there are none. */
  readonly least: number | null;
  readonly median: number | null;
  readonly most: number | null;
}

/** The changes on the same days. */
export interface DatedSummary extends PriceSummary {
  /** `1 to 31 October 2027, then back`; empty where no change has dates. */
  readonly days: string;
}

/** The days of a change without dates, beside changes that have some. */
export const AT_ONCE = 'at once';

/** Further days are summarised together. */
const MOST_DAYS = 12;

/** The changes by the days on which they apply, earliest first. */
export function summariesByDay(changes: readonly PriceChange[]): DatedSummary[] {
  const startOf = ({ before, after }: PriceChange) => (after ?? before)!.validFrom ?? '';
  const starts = new Set(changes.map((change) => `${keyOfChange(change)} ${startOf(change)}`));
  const groups = [...Map.groupBy(changes, ({ dates }) => dates).values()].sort(([a], [b]) =>
    startOf(a!) < startOf(b!) ? -1 : 1,
  );
  const shown = groups.length > MOST_DAYS ? groups.slice(0, MOST_DAYS - 1) : groups;
  const rest = groups.slice(shown.length).flat();
  const found = shown.map((group) => {
    const { validFrom, validUntil } = (group[0]!.after ?? group[0]!.before)!;
    const next = validUntil === null ? null : addDays(validUntil, 1);
    const isBack = next !== null && !group.some((one) => starts.has(`${keyOfChange(one)} ${next}`));
    const days = daysInWords(validFrom, validUntil);
    if (days === '' && groups.length > 1) return { days: AT_ONCE, ...summaryOf(group) };
    return { days: isBack ? `${days}, then back` : days, ...summaryOf(group) };
  });
  return rest.length === 0 ? found : [...found, { days: 'on later days', ...summaryOf(rest) }];
}

function keyOfChange({ productCode, zone, priceList }: PriceChange): string {
  return `${productCode} ${zone} ${priceList}`;
}

export function summaryOf(changes: readonly PriceChange[]): PriceSummary {
  const percents = changes.flatMap(({ percent }) => percent ?? []).sort((a, b) => a - b);
  const middle = Math.floor(percents.length / 2);
  const median = percents.length % 2 === 1 ? percents[middle]! : mean(percents, middle);
  return {
    count: changes.length,
    added: changes.filter(({ before }) => before === null).length,
    removed: changes.filter(({ after }) => after === null).length,
    least: percents[0] ?? null,
    median,
    most: percents.at(-1) ?? null,
  };
}

function mean(sorted: readonly number[], middle: number): number | null {
  return sorted.length === 0 ? null : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
