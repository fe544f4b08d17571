import { addDays } from '../../platform/kernel/time.js';
import type { SupplierRow } from './cost-fields.js';
import { supplierOf } from './coverage-codec.js';
import type { PriceRow, ProductRow } from './offer-fields.js';
import type { ZoneRow } from './zone-fields.js';

/** Sorts before every day: the time before the first change. */
export const BEGINNING = '';
/** Nothing changes after it. */
export const LAST_DAY = '9999-12-31';

interface DatedRows {
  readonly products: readonly ProductRow[];
  readonly prices: readonly PriceRow[];
  readonly zones: readonly ZoneRow[];
  readonly suppliers: readonly SupplierRow[];
}

/** Both days are included; null is open. */
export function isWithin(day: string, first: string | null, last: string | null): boolean {
  return (first === null || first <= day) && (last === null || day <= last);
}

export function isSoldOn({ soldFrom, soldUntil }: ProductRow, day: string): boolean {
  return isWithin(day, soldFrom, soldUntil);
}

export function isDated({ validFrom, validUntil }: PriceRow): boolean {
  return validFrom !== null || validUntil !== null;
}

/** `2027-01-01 to 2027-01-31`, `from 2027-01-01`, `until 2027-01-31`; empty without dates. */
export function datesInWords(row: Pick<PriceRow, 'validFrom' | 'validUntil'>): string {
  const { validFrom: first, validUntil: last } = row;
  if (first !== null && last !== null) return `${first} to ${last}`;
  return first !== null ? `from ${first}` : last !== null ? `until ${last}` : '';
}

/** The days in London on which the dates of rows change something, ascending. */
export function changeDays({ products, prices, zones, suppliers }: DatedRows): string[] {
  const days = new Set<string>();
  const add = (first: string | null, last: string | null) => {
    if (first !== null) days.add(first);
    if (last !== null && last < LAST_DAY) days.add(addDays(last, 1));
  };
  for (const { soldFrom, soldUntil } of products) add(soldFrom, soldUntil);
  for (const { validFrom, validUntil } of prices) add(validFrom, validUntil);
  for (const { readyDate, endDate } of zones) add(readyDate, endDate);
  for (const { validUntil } of suppliers) add(null, validUntil);
  return [...days].sort();
}

function keyOf({ productCode, zone, priceList }: PriceRow): string {
  return `${productCode} ${zone} ${priceList}`;
}

/**
 * The rows that apply on a day: a dated row takes precedence over the undated one of its key. Those of a cost book
 * that has expired are indicative.
 */
export function pricesOn(
  prices: readonly PriceRow[],
  day: string,
  suppliers: readonly SupplierRow[],
): readonly PriceRow[] {
  const expired = new Set(
    suppliers.flatMap(({ supplier, validUntil }) => (validUntil < day ? supplier : [])),
  );
  const now = prices.some(isDated) ? rowsOn(prices, day) : prices;
  if (expired.size === 0) return now;
  return now.map((row) =>
    row.basis !== 'indicative' && expired.has(supplierOf(row.zone) ?? '')
      ? { ...row, basis: 'indicative' }
      : row,
  );
}

function rowsOn(prices: readonly PriceRow[], day: string): readonly PriceRow[] {
  const applies = (row: PriceRow) => isWithin(day, row.validFrom, row.validUntil);
  const dated = new Set(prices.filter((row) => isDated(row) && applies(row)).map(keyOf));
  return prices.filter((row) => (isDated(row) ? applies(row) : !dated.has(keyOf(row))));
}

/** The products on sale on a day, and their prices without dates: the content itself, where no row has any. */
export function onDay<T extends DatedRows>(content: T, day: string): T {
  const away = new Set(content.products.flatMap((row) => (isSoldOn(row, day) ? [] : row.code)));
  const now = pricesOn(content.prices, day, content.suppliers);
  if (away.size === 0 && now === content.prices) return content;
  const products = content.products.filter(({ code }) => !away.has(code));
  const prices = now
    .filter(({ productCode }) => !away.has(productCode))
    .map((row) => (isDated(row) ? { ...row, validFrom: null, validUntil: null } : row));
  return { ...content, products, prices };
}

/** Two rows of one key that both apply on some day. @param prices in canonical order: earlier first days come first */
export function* overlappingPrices(prices: readonly PriceRow[]): Generator<[PriceRow, PriceRow]> {
  for (const rows of Map.groupBy(prices.filter(isDated), keyOf).values()) {
    const [first, ...others] = rows;
    let longest = first!;
    for (const row of others) {
      if ((row.validFrom ?? BEGINNING) <= endOf(longest)) yield [longest, row];
      if (endOf(row) > endOf(longest)) longest = row;
    }
  }
}

function endOf({ validUntil }: PriceRow): string {
  return validUntil ?? LAST_DAY;
}

// `toLocaleDateString` makes a format for each day, which takes 70 times as long; an import writes thousands of days.
const inWords = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** `2026-12-01` as `1 December 2026`. */
export function dayInWords(day: string): string {
  return inWords.format(new Date(`${day}T00:00:00Z`));
}

/** `1 to 31 October 2027`, `from 1 December 2026`, `until 31 December 2026`; empty without days. */
export function daysInWords(first: string | null, last: string | null): string {
  if (first === null) return last === null ? '' : `until ${dayInWords(last)}`;
  if (last === null) return `from ${dayInWords(first)}`;
  const days = inWords.formatRange(new Date(`${first}T00:00:00Z`), new Date(`${last}T00:00:00Z`));
  return days.replace(/\s–\s/, ' to ');
}
