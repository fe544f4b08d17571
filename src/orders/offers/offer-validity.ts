import { addDays, MINUTE } from '../../platform/kernel/time.js';
import { type Calendar, londonDay, startOfLondonDay } from '../../platform/kernel/working-hours.js';

/** Calendar days for which an offer is valid, if its author names no day. */
export const USUAL_VALIDITY = 30;
/** The last day that an author can name, counted from today. */
export const LONGEST_VALIDITY = 365;

/** The day in London that many days after an instant, as `2026-12-25`. */
export function dayAfter(now: Date, days: number): string {
  return addDays(londonDay(now), days);
}

/**
 * The last instant of an offer: 23:59 in London on its last day, or on the next working day where that day
 * is none.
 * @param day as `2026-12-25`
 */
export function endOfValidity(day: string, { week, holidays }: Calendar): Date {
  let last = day;
  // The longest run without work is shorter than this, unless every day is a holiday.
  for (let n = 0; n < LONGEST_VALIDITY && !isWorkingDay(last); n += 1) last = addDays(last, 1);
  return new Date(startOfLondonDay(addDays(last, 1)).getTime() - MINUTE);

  function isWorkingDay(one: string): boolean {
    const weekday = new Date(`${one}T00:00:00Z`).getUTCDay();
    return (week[weekday]?.length ?? 0) > 0 && !holidays.has(one);
  }
}
