import type { IncomingMessage } from 'node:http';

const NAME = 'authorization';

/** The `Authorization` header of a request that has exactly one, which is the only number allowed. */
export function singleAuthorization(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined || countAuthorization(request.rawHeaders) !== 1) return undefined;
  return authorization;
}

/**
 * How many `Authorization` headers there are among Node's `rawHeaders` (names and values in turn).
 * `headersDistinct` would tell it too, but builds a whole second set of headers to do so.
 */
export function countAuthorization(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === NAME.length && name.toLowerCase() === NAME) count += 1;
  }
  return count;
}
