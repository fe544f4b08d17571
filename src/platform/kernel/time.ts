const INSTANT = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Reads RFC 3339 with an offset. */
export function parseInstant(text: unknown): Date | undefined {
  if (typeof text !== 'string' || !INSTANT.test(text)) return undefined;
  if (!isInCalendar(text.slice(0, 10))) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** For a DTO: leaves an invalid value unchanged, so that a validator refuses it. */
export function toInstant({ value }: { value: unknown }): unknown {
  return parseInstant(value) ?? value;
}

/** Milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** For a timer, which takes no negative time. @param until as `performance.now()` */
export function millisecondsTo(until: number): number {
  return Math.max(0, until - performance.now());
}

/** The day `count` days after a day such as `2026-11-21`. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY).toISOString().slice(0, 10);
}

/** Whether a text is a day of the calendar such as `2026-11-21`: `2026-02-31` is not. */
export function isDay(text: string): boolean {
  return /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && isInCalendar(text);
}

/** Whether the calendar has a day such as `2026-11-21`. `Date` reads 30 February as 2 March. */
export function isInCalendar(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;
}
