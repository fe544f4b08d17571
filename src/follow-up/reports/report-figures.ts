/** The days and the numbers of reports. */
import { ValidationFailed } from '../../problems/problem.js';
import { londonDay, londonWeekHour, startOfLondonDay } from '../../kernel/working-hours.js';
import type { Span } from '../../database/slices.js';
import { addDays, DAY } from '../../kernel/time.js';

const MOST_DAYS = 400;
const DEFAULT_DAYS = 28;

/** Days in London, both included, such as `2026-11-21`; the last 28 where nothing is said. */
export interface ReportDays {
  readonly from?: string;
  readonly to?: string;
}

export interface ReportRange extends Span {
  /** London days, in order. */
  readonly days: readonly string[];
}

/** @throws {ValidationFailed} where there are no days, or more than 400 */
export function rangeOf({ from, to }: ReportDays, now: Date): ReportRange {
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

/** How open orders stand against their deadline, from the best to the worst. */
export const ageGroups = [
  'contacted',
  'in time',
  'nearly late',
  'late up to 1 day',
  'late 1-3 days',
  'later',
] as const;

/** The Monday on or before the London day of an instant. */
export function mondayOf(instant: Date): string {
  return addDays(londonDay(instant), -londonWeekHour(instant).weekday);
}

export function byDay(hours: readonly { at: Date; n: number }[]): Map<string, number> {
  const days = new Map<string, number>();
  for (const { at, n } of hours) {
    const day = londonDay(at);
    days.set(day, (days.get(day) ?? 0) + n);
  }
  return days;
}

/** Rows that are made when the first number of their key arrives. */
export function rowsByKey<T>(empty: (key: string) => T) {
  const rows = new Map<string, T>();
  const rowOf = (key: unknown): T => {
    const row = rows.get(String(key)) ?? empty(String(key));
    rows.set(String(key), row);
    return row;
  };
  return { rows, rowOf };
}

/** The value at or below which `part` of the sorted numbers lie. */
export function nearestRank(sorted: readonly number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}

/** The order of codes: that of their characters, on both databases. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

/** To four decimals; null where there is nothing to divide by. */
export function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
