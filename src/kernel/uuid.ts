/** The pattern of a UUID in lower case, for use in other patterns. */
export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const whole = new RegExp(`^${UUID}$`, 'i');

/** Whether the text is a UUID of any version, in either case: PostgreSQL rejects any other as an id. */
export function isUuid(text: string): boolean {
  return whole.test(text);
}
