const INSTANT = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** An instant as RFC 3339 writes it, with its offset: without one nobody knows which is meant. */
export function parseInstant(text: unknown): Date | undefined {
  if (typeof text !== 'string' || !INSTANT.test(text)) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** For a DTO: the instant as a Date; anything else stays what it is, for a validator to refuse. */
export function toInstant({ value }: { value: unknown }): unknown {
  return parseInstant(value) ?? value;
}
