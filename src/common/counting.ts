import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';

/**
 * Other than one look-up for a GET and one order for a POST: a look-up for each of the body's
 * `postcodes`, or nothing.
 */
export type Counting = 'postcodes' | 'nothing';

export const COUNTING = 'counting';

/** How the route counts towards the client's limits. A POST that only looks is answered 200. */
export const Counts = (counting: Counting) =>
  applyDecorators(SetMetadata(COUNTING, counting), HttpCode(200));

/** Postcodes that can be checked at once. */
export const MOST_POSTCODES = 100;

/** How many look-ups a body of postcodes is, before it is known whether it is valid. */
export function lookupsIn(body: unknown): number {
  const { postcodes } = (body ?? {}) as { readonly postcodes?: unknown };
  const count = Array.isArray(postcodes) ? postcodes.length : 1;
  return Math.min(Math.max(count, 1), MOST_POSTCODES);
}
