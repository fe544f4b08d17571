import type { IncomingMessage } from 'node:http';
import { countHeader } from '../platform/http/request-id.js';

/** The `Authorization` header of a request that has exactly one. */
export function singleAuthorization(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  return countHeader(request.rawHeaders, 'authorization') === 1 ? authorization : undefined;
}
