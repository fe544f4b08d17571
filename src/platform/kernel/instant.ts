import { isInCalendar } from './time.js';

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
