import { ValidationFailed } from '../platform/problems/problem.js';
import { londonDay, startOfLondonDay } from '../platform/kernel/working-hours.js';
import type { Span } from '../platform/database/slices.js';
import { addDays, DAY } from '../platform/kernel/time.js';
import { majorUnits } from '../platform/kernel/money.js';
import type { ReportAmount, ReportQuery } from './report-query.dto.js';

export const MOST_DAYS = 400;
export const DEFAULT_DAYS = 28;

export interface ReportRange extends Span {
  /** London days, in order. */
  readonly days: readonly string[];
}

/** @throws {ValidationFailed} for less than 1 day or more than 400 */
export function rangeOf({ from, to }: ReportQuery, now: Date): ReportRange {
  const last = to ?? londonDay(now);
  const first = from ?? addDays(last, 1 - DEFAULT_DAYS);
  const length = (Date.parse(last) - Date.parse(first)) / DAY + 1;
  if (!(length >= 1 && length <= MOST_DAYS)) {
    throw new ValidationFailed([
      {
        pointer: '/from',
        code: 'not-allowed',
        detail: `Must be 1 to ${MOST_DAYS} days to \`to\`.`,
      },
    ]);
  }
  return {
    days: Array.from({ length }, (_, i) => addDays(first, i)),
    start: startOfLondonDay(first).getTime(),
    end: startOfLondonDay(addDays(last, 1)).getTime(),
  };
}

/** The Monday on or before a day. */
export function mondayOf(day: string): string {
  return addDays(day, -((new Date(day).getUTCDay() + 6) % 7));
}

/** Adds sums in minor units, by currency. */
export function addAmounts(to: Map<string, number>, amounts: ReadonlyMap<string, number>): void {
  for (const [currency, minor] of amounts) to.set(currency, (to.get(currency) ?? 0) + minor);
}

/** Sums of minor units in the form of the API, by currency. */
export function amountsByCurrency(amounts: ReadonlyMap<string, number>): ReportAmount[] {
  return [...amounts]
    .filter(([, minor]) => minor !== 0)
    .map(([currency, minor]) => ({ currency, amount: majorUnits(minor, currency) }))
    .sort((a, b) => compare(a.currency, b.currency));
}

/** Rows that are created on first use of their key. */
export function rowsByKey<T>(empty: (key: string) => T) {
  const rows = new Map<string, T>();
  const rowOf = (key: unknown): T => {
    const text = String(key);
    let row = rows.get(text);
    if (row === undefined) rows.set(text, (row = empty(text)));
    return row;
  };
  return { rows, rowOf };
}

/** As `nearestRank`, of numbers that are counted. */
export function rankOfCounts(counts: ReadonlyMap<number, number>, part: number): number | null {
  let left = Math.max(1, Math.ceil(sum([...counts.values()]) * part));
  for (const [value, count] of [...counts].sort(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return value;
  }
  return null;
}

/** Compares codes by their characters, as both databases do. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

/** To four decimals; null if `whole` is 0. */
export function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
