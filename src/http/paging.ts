import { UUID } from '../kernel/uuid.js';
import { ValidationFailed } from '../problems/problem.js';

/** The end of a page of a list: the instant and the id of its last row. */
export interface Cursor {
  readonly at: Date;
  readonly id: string;
}

const printed = new RegExp(`^(\\d{1,15}) (${UUID})$`);

export function printCursor({ at, id }: Cursor): string {
  return Buffer.from(`${at.getTime()} ${id}`).toString('base64url');
}

/** @throws {ValidationFailed} where the text is not a cursor of this service */
export function readCursor(text: string): Cursor {
  const [, time, id] = printed.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (time && id) return { at: new Date(Number(time)), id };
  throw new ValidationFailed([
    {
      pointer: '/cursor',
      code: 'invalid-cursor',
      detail: 'This is not a cursor of this list; begin again without one.',
    },
  ]);
}

/**
 * Makes a page of `rows`, which the caller has read up to one more than `limit`, and the cursor of the
 * next page.
 */
export function page<T, U>(
  rows: readonly T[],
  limit: number,
  cursorOf: (row: T) => Cursor,
  print: (row: T) => U,
): { items: U[]; nextCursor: string | null } {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const nextCursor = rows.length > limit && last ? printCursor(cursorOf(last)) : null;
  return { items: kept.map(print), nextCursor };
}
