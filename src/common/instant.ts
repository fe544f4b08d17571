const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** An instant as RFC 3339 writes it, with its offset: without one nobody knows which is meant. */
export function parseInstant(text: unknown): Date | undefined {
  if (typeof text !== 'string' || !INSTANT.test(text)) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
