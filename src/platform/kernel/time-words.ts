import { DAY, HOUR, MINUTE } from './time.js';

const inLondon = (options: Intl.DateTimeFormatOptions, locale = 'en-GB') =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: 'Europe/London' });

const clockTime = inLondon({ hour: '2-digit', minute: '2-digit' });
const dayTime = inLondon({ weekday: 'short', day: 'numeric', month: 'short' });
const dayMonth = inLondon({ day: 'numeric', month: 'short' });
const dayYear = inLondon({ day: 'numeric', month: 'short', year: 'numeric' });
const whole = inLondon({
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
const localParts = inLondon({ dateStyle: 'short', timeStyle: 'short' }, 'sv-SE');

const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T00:00:00Z');
const UNKNOWN = 'unknown time';

/** Whether the date can be shown. A stored number can be no date: `Intl` and `toISOString` then throw. */
export function isKnown(at: Date): boolean {
  const instant = at.getTime();
  return instant >= EARLIEST && instant <= LATEST;
}

function format(style: Intl.DateTimeFormat, at: Date): string {
  return isKnown(at) ? style.format(at) : UNKNOWN;
}

/** The attribute `datetime`. */
export function machineTime(at: Date): string | undefined {
  return isKnown(at) ? at.toISOString() : undefined;
}

/** "Saturday 21 November 2026 at 09:30 GMT". */
export function longTime(at: Date): string {
  // Some releases of ICU write a comma after the weekday.
  return format(whole, at).replace(/^(\w+),/, '$1');
}

/** "09:30" today, "Fri 20 Nov, 09:30" within half a year, "3 Jan 2026" beyond. */
export function shortTime(at: Date, now: Date): string {
  const day = format(dayYear, at);
  if (day === format(dayYear, now)) return format(clockTime, at);
  if (!isKnown(at) || Math.abs(now.getTime() - at.getTime()) > 180 * DAY) return day;
  return `${dayOnly(at)}, ${format(clockTime, at)}`;
}

/** "31 Dec" within half a year, "31 Dec 2028" beyond. @param day such as `2028-12-31` */
export function shortDay(day: string, now: Date): string {
  const at = new Date(`${day}T12:00:00Z`);
  const isNear = Math.abs(now.getTime() - at.getTime()) <= 180 * DAY;
  return format(isNear ? dayMonth : dayYear, at);
}

export function dayOnly(at: Date): string {
  return format(dayTime, at).replace(',', '');
}

/** "5 min ago", "in 2 h 10 min"; null from a day on. */
export function ago(at: Date, now: Date): string | null {
  const distance = at.getTime() - now.getTime();
  if (!isKnown(at) || Math.abs(distance) >= DAY) return null;
  if (Math.abs(distance) < MINUTE) return distance > 0 ? 'in less than a minute' : 'just now';
  const span = duration(Math.abs(distance));
  return distance > 0 ? `in ${span}` : `${span} ago`;
}

/** "2 d 3 h", "1 h 20 min" or "5 min", rounded down. @param day the milliseconds of a day */
export function duration(milliseconds: number, day = DAY): string {
  const days = Math.floor(milliseconds / day);
  const hours = Math.floor((milliseconds % day) / HOUR);
  const minutes = Math.floor(((milliseconds % day) % HOUR) / MINUTE);
  const smaller = days > 0 ? hours && `${hours} h` : minutes && `${minutes} min`;
  const larger = days > 0 ? `${days} d` : hours && `${hours} h`;
  return [larger, smaller].filter(Boolean).join(' ') || 'less than a minute';
}

/** The value of `<input type="datetime-local">`, in London: `2026-11-21T09:30`. */
export function toLocalInput(at: Date): string {
  return localParts.format(at).replace(' ', 'T');
}

/** Reads the value of a `datetime-local` field, in London; null for an invalid time. */
export function fromLocalInput(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text)) return null;
  const asUtc = new Date(`${text.slice(0, 16)}Z`);
  if (Number.isNaN(asUtc.getTime())) return null;
  // London is at UTC or an hour ahead. A time that the clocks skip is invalid.
  for (const offset of [0, HOUR]) {
    const candidate = new Date(asUtc.getTime() - offset);
    if (toLocalInput(candidate) === text.slice(0, 16)) return candidate;
  }
  return null;
}
