import { addDays, DAY } from '../../kernel/time.js';

/** The days that a report is about, as a form names them. */

export interface Period {
  /** The first and the last day, London: `2026-11-21`. */
  readonly from: string;
  readonly to: string;
}

/** As many days as a report takes. */
export const MOST_DAYS = 400;
export const DEFAULT_DAYS = 28;

export interface ChosenPeriod {
  /** What the reports are asked for; the default where what was typed is none. */
  readonly period: Period;
  readonly typed: Period;
  readonly faults: ReadonlyMap<'from' | 'to', string>;
}

/** @param today in London */
export function choosePeriod(from: string, to: string, today: string): ChosenPeriod {
  const typed = { from, to };
  const faults = new Map<'from' | 'to', string>();
  if (from && !isDay(from)) faults.set('from', 'From must be a day, such as 2026-11-01.');
  if (to && !isDay(to)) faults.set('to', 'To must be a day, such as 2026-11-28.');
  const fallback = lastDays(DEFAULT_DAYS, today);
  if (faults.size > 0) return { period: fallback, typed, faults };
  const last = to || (from && from > today ? from : today);
  const period = { from: from || addDays(last, 1 - DEFAULT_DAYS), to: last };
  const days = daysOf(period);
  if (days < 1) faults.set('from', 'From must be before To, or the same day.');
  if (days > MOST_DAYS) faults.set('from', `From and To can be ${MOST_DAYS} days apart at most.`);
  return faults.size > 0 ? { period: fallback, typed, faults } : { period, typed: period, faults };
}

export function lastDays(count: number, today: string): Period {
  return { from: addDays(today, 1 - count), to: today };
}

export function daysOf({ from, to }: Period): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1;
}

/** `from=…&to=…`, for the address of a page. */
export function periodQuery({ from, to }: Period): string {
  return new URLSearchParams({ from, to }).toString();
}

const shortDay = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const longDay = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** `2026-11-21` as "21 Nov". */
export function dayLabel(day: string): string {
  return shortDay.format(Date.parse(day));
}

/** "Sat 21 Nov 2026". */
export function dayName(day: string): string {
  return longDay.format(Date.parse(day)).replace(',', '');
}

/** `2026-02-31` has the form, but is none. */
export function isDay(text: string): boolean {
  return (
    /^[1-9]\d{3}-\d\d-\d\d$/.test(text) &&
    new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true
  );
}
