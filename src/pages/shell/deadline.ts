/** Deadlines in the words of the pages: as remaining working time. */
import { type Calendar, workingTimeBetween } from '../../kernel/working-hours.js';
import { DAY, HOUR, MINUTE } from '../../kernel/time.js';

/** Calendar days that are looked through; what is further away is so in any case. */
const HORIZON = 14 * DAY;

/** "due in 1 h 20 min", "late by 2 d": working time between `now` and `due`. */
export function deadlineWords(due: Date, now: Date, calendar: Calendar): string {
  const late = due <= now;
  const [from, to] = late ? [due, now] : [now, due];
  const far = to.getTime() - from.getTime() > HORIZON;
  const end = far ? new Date(from.getTime() + HORIZON) : to;
  const span = workingSpan(workingTimeBetween(from, end, calendar), calendar, far);
  if (far) return late ? `late by more than ${span}` : `due in more than ${span}`;
  return late ? `late by ${span}` : `due in ${span}`;
}

/** Milliseconds of working time as "2 d", "1 d 3 h", "1 h 20 min" or "5 min", rounded down. */
function workingSpan(milliseconds: number, calendar: Calendar, roughly: boolean): string {
  const day = workingDay(calendar);
  const days = Math.floor(milliseconds / day);
  const rest = milliseconds - days * day;
  const hours = Math.floor(rest / HOUR);
  const minutes = Math.floor((rest % HOUR) / MINUTE);
  if (roughly || days > 2) return `${Math.max(days, 1)} d`;
  const parts =
    days > 0
      ? [`${days} d`, hours && `${hours} h`]
      : [hours && `${hours} h`, minutes && `${minutes} min`];
  return parts.filter(Boolean).join(' ') || 'less than a minute';
}

/** The usual length of a day with work. */
function workingDay({ week }: Calendar): number {
  const lengths = week
    .map((intervals) => intervals.reduce((sum, { from, to }) => sum + (to - from) * MINUTE, 0))
    .filter((length) => length > 0);
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
}
