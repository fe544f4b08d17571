/** By default a GET counts as one check and a POST as one order. `postcodes`: one check for each. */
export type Counting = 'postcodes' | 'nothing';

export const COUNTING = 'counting';

/** Postcodes that can be checked at once. */
export const MOST_POSTCODES = 100;

/** The number of checks in a body that is not validated yet. */
export function checksIn(body: unknown): number {
  const { postcodes } = (body ?? {}) as { readonly postcodes?: unknown };
  const count = Array.isArray(postcodes) ? postcodes.length : 1;
  return Math.min(Math.max(count, 1), MOST_POSTCODES);
}
