/** Of an answer that is read by a program, or by a person who was sent there by a problem. */
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Of the pages of Swagger UI, which sets styles on elements and draws small pictures. */
export const DOCUMENTATION_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Of the staff's pages: what they load is their own, nothing is written inline. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A page may say more; every other answer carries these as they are. */
export const replaceableHeaders: ReadonlySet<string> = new Set([
  'content-security-policy',
  'referrer-policy',
]);

/** The headers of every answer, name and value in turn. HSTS means something over TLS only. */
export function securityHeaders(publicUrl: string): readonly string[] {
  const headers = [
    ...['Content-Security-Policy', NOTHING],
    ...['X-Content-Type-Options', 'nosniff'],
    ...['Referrer-Policy', 'no-referrer'],
    ...['Cross-Origin-Opener-Policy', 'same-origin'],
    ...['Cross-Origin-Resource-Policy', 'same-origin'],
  ];
  if (publicUrl.startsWith('https:')) {
    headers.push('Strict-Transport-Security', 'max-age=63072000; includeSubDomains');
  }
  return headers;
}
