/**
 * Other than one check for a GET and one order for a POST: a check for each of the body's
 * `postcodes`, or nothing.
 */
export type Counting = 'postcodes' | 'nothing';

export const COUNTING = 'counting';

/** Postcodes that can be checked at once. */
export const MOST_POSTCODES = 100;

/** How many checks a body of postcodes is, before it is known whether it is valid. */
export function checksIn(body: unknown): number {
  const { postcodes } = (body ?? {}) as { readonly postcodes?: unknown };
  const count = Array.isArray(postcodes) ? postcodes.length : 1;
  return Math.min(Math.max(count, 1), MOST_POSTCODES);
}
