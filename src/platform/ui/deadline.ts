/** Deadlines in words, as remaining working time. */
import { type Calendar, workingTimeBetween } from '../kernel/working-hours.js';
import { DAY, MINUTE } from '../kernel/time.js';
import { duration, isKnown } from './times.js';

/** Working time is counted over at most two weeks, which bounds the effort. */
const HORIZON = 14 * DAY;

/** "due in 1 h 20 min", "late by 2 d": the working time between `now` and `due`. */
export function deadlineWords(due: Date, now: Date, calendar: Calendar): string {
  if (!isKnown(due)) return 'due at an unknown time';
  const late = due <= now;
  const [from, to] = late ? [due, now] : [now, due];
  const far = to.getTime() - from.getTime() > HORIZON;
  const end = far ? new Date(from.getTime() + HORIZON) : to;
  const span = workingTimeBetween(from, end, calendar);
  const day = workingDay(calendar);
  const days = Math.floor(span / day);
  const words = far || days > 2 ? `${Math.max(days, 1)} d` : duration(span, day);
  return `${late ? 'late by' : 'due in'} ${far ? 'more than ' : ''}${words}`;
}

/** Milliseconds of an average working day. */
function workingDay({ week }: Calendar): number {
  const lengths = week
    .map((intervals) => intervals.reduce((sum, { from, to }) => sum + (to - from) * MINUTE, 0))
    .filter((length) => length > 0);
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
}
