/** Times for the next action, within working hours. */
import { DAY, HOUR, MINUTE } from '../../platform/kernel/time.js';
import { addWorkingTime, type Calendar } from '../../platform/kernel/working-hours.js';
import { fromLocalInput, toLocalInput } from '../../platform/kernel/time-words.js';

export interface CalendarNow {
  readonly now: Date;
  readonly calendar: Calendar;
}

/** When work starts on the first working day from the day of `at` on. */
export function startOfWork(at: Date, calendar: Calendar): Date {
  const midnight = fromLocalInput(`${toLocalInput(at).slice(0, 10)}T00:00`) ?? at;
  return new Date(addWorkingTime(midnight, 1, calendar).getTime() - 1);
}

/** An hour after work starts, on the first working day from `days` days after now on. */
export function morningIn(days: number, { now, calendar }: CalendarNow): Date {
  return new Date(startOfWork(new Date(now.getTime() + days * DAY), calendar).getTime() + HOUR);
}

/** Rounded up to 5 minutes. */
export function inWorkingHours(hours: number, { now, calendar }: CalendarNow): Date {
  const at = addWorkingTime(now, hours * HOUR, calendar).getTime();
  return new Date(Math.ceil(at / (5 * MINUTE)) * 5 * MINUTE);
}
