/**
 * Whether the client has what would be sent (RFC 9110 §13.1.2). Express's `request.fresh` says no if the request also has
 * `Cache-Control: no-cache`, which fetch adds to every `If-None-Match`.
 * @param known the header `If-None-Match`
 * @param etag of what would be sent
 */
export function hasAlready(known: string | undefined, etag: string): boolean {
  if (known === undefined) return false;
  if (known.trim() === '*') return true;
  // Weak comparison (RFC 9110 §8.8.3.2). None of our own tags contains a comma.
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return known.split(',').some((tag) => opaque(tag) === opaque(etag));
}
