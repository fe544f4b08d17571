import { DAY, HOUR, MINUTE } from '../../kernel/time.js';

const LONDON = 'Europe/London';

const clockTime = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  timeZone: LONDON,
});
const dayTime = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: LONDON,
});
const dayYear = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: LONDON,
});
const whole = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: LONDON,
  timeZoneName: 'short',
});

/** "Saturday 21 November 2026 at 09:30 GMT". */
export function longTime(at: Date): string {
  // Whether a comma follows the weekday differs from one release of ICU to the next.
  return whole.format(at).replace(/^(\w+),/, '$1');
}

/** "09:30" today, "Fri 20 Nov, 09:30" within half a year, "3 Jan 2026" beyond; London's time. */
export function shortTime(at: Date, now: Date): string {
  if (dayYear.format(at) === dayYear.format(now)) return clockTime.format(at);
  if (Math.abs(now.getTime() - at.getTime()) > 180 * DAY) return dayYear.format(at);
  return `${dayTime.format(at).replace(',', '')}, ${clockTime.format(at)}`;
}

export function dayOnly(at: Date): string {
  return dayTime.format(at).replace(',', '');
}

/** "09:30" within 24 hours, "Fri 20 Nov" beyond. */
export function briefTime(at: Date, now: Date): string {
  return Math.abs(now.getTime() - at.getTime()) < DAY ? shortTime(at, now) : dayOnly(at);
}

/** "5 min ago", "in 2 h 10 min"; null where it is a day or more away. */
export function ago(at: Date, now: Date): string | null {
  const distance = at.getTime() - now.getTime();
  if (Math.abs(distance) >= DAY) return null;
  if (Math.abs(distance) < MINUTE) return distance > 0 ? 'in less than a minute' : 'just now';
  const span = duration(Math.abs(distance));
  return distance > 0 ? `in ${span}` : `${span} ago`;
}

/** Milliseconds as "2 d 3 h", "1 h 20 min" or "5 min"; the two largest parts, rounded down. */
export function duration(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY);
  const hours = Math.floor((milliseconds % DAY) / HOUR);
  const minutes = Math.floor((milliseconds % HOUR) / MINUTE);
  const parts =
    days > 0
      ? [days && `${days} d`, hours && `${hours} h`]
      : [hours && `${hours} h`, minutes && `${minutes} min`];
  return parts.filter(Boolean).join(' ') || 'less than a minute';
}

/** What `<input type="datetime-local">` holds for an instant, in London's time: `2026-11-21T09:30`. */
export function toLocalInput(at: Date): string {
  return localParts.format(at).replace(' ', 'T');
}

const localParts = new Intl.DateTimeFormat('sv-SE', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: LONDON,
});

/** The instant that a `datetime-local` field names in London; null where it names none. */
export function fromLocalInput(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text)) return null;
  const asUtc = new Date(`${text.slice(0, 16)}Z`);
  if (Number.isNaN(asUtc.getTime())) return null;
  // London is at most an hour ahead of UTC: one of the two is right, unless the clocks skip it.
  for (const offset of [0, HOUR]) {
    const candidate = new Date(asUtc.getTime() - offset);
    if (toLocalInput(candidate) === text.slice(0, 16)) return candidate;
  }
  return null;
}
