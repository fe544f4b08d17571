import { addDays, DAY } from './time.js';
import { londonDay } from './working-hours.js';

/**
 * Bank holidays of England and Wales, with substitute days instead of the original ones.
 *
 * Source: https://www.gov.uk/bank-holidays (`england-and-wales` of
 * https://www.gov.uk/bank-holidays.json), by the Banking and Financial Dealings Act 1971, schedule 1.
 * To extend it, add the published year and set `lastYearCovered`.
 */
const ENGLAND_AND_WALES = `
2025-01-01 2025-04-18 2025-04-21 2025-05-05 2025-05-26 2025-08-25 2025-12-25 2025-12-26
2026-01-01 2026-04-03 2026-04-06 2026-05-04 2026-05-25 2026-08-31 2026-12-25 2026-12-28
2027-01-01 2027-03-26 2027-03-29 2027-05-03 2027-05-31 2027-08-30 2027-12-27 2027-12-28
2028-01-03 2028-04-14 2028-04-17 2028-05-01 2028-05-29 2028-08-28 2028-12-25 2028-12-26`;

/** Days as `2026-12-28`. */
export const bankHolidays: ReadonlySet<string> = new Set(ENGLAND_AND_WALES.trim().split(/\s+/));

/** After this year, bank holidays count as working days. */
export const lastYearCovered = 2028;

/** Whether it is a working day in London, such as `2026-12-29`: Monday to Friday, and no bank holiday. */
export function isWorkingDay(day: string): boolean {
  const weekday = new Date(day).getUTCDay();
  return weekday !== 0 && weekday !== 6 && !bankHolidays.has(day);
}

/** About 270 years: only damaged data has more. */
const MOST_DAYS = 100_000;

/** The working days in London after the day of `start`, up to the day of `end`: 1 from Friday to Monday. */
export function workingDaysBetween(start: Date, end: Date): number {
  const last = londonDay(end);
  let days = 0;
  if (end.getTime() - start.getTime() > MOST_DAYS * DAY) return 0;
  for (let day = addDays(londonDay(start), 1); day <= last; day = addDays(day, 1)) {
    if (isWorkingDay(day)) days += 1;
  }
  return days;
}

/** Days of warning before the data ends. */
const NOTICE_DAYS = 180;

/** A warning if the data ends soon or has ended; otherwise null. */
export function bankHolidayWarning(now: Date): string | null {
  const end = Date.UTC(lastYearCovered + 1, 0, 1);
  const days = Math.ceil((end - now.getTime()) / DAY);
  if (days > NOTICE_DAYS) return null;
  const state = days > 0 ? `run out in ${days} days` : 'have run out';
  return `The bank holidays ${state}: they are known up to ${lastYearCovered}. Deadlines after that ignore them. Update the service.`;
}
