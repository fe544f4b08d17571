/** RFC 3339 with its zone. */
const instant = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** An RFC 3339 time as a Date; anything else stays what it is, for a validator to refuse. */
export function toInstant({ value }: { value: unknown }): unknown {
  if (typeof value !== 'string' || !instant.test(value)) return value;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : date;
}
