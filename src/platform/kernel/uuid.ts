/** Lower case, for use in other patterns. */
export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const whole = new RegExp(`^${UUID}$`, 'i');

/** Any version, either case. PostgreSQL rejects other texts as ids. */
export function isUuid(text: string): boolean {
  return whole.test(text);
}

/** The condition of a row that a person names, in either case. */
export function byIdOrReference(named: string): { id: string } | { reference: string } {
  return isUuid(named) ? { id: named.toLowerCase() } : { reference: named.toUpperCase() };
}
