const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Staff pages load only their own files, and have no inline scripts or styles. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** In lower case. */
export const replaceableHeaders: ReadonlySet<string> = new Set([
  'cache-control',
  'content-security-policy',
  'referrer-policy',
]);

/** The headers of every response, alternating names and values: only what says so is cached. HSTS needs TLS. */
export function securityHeaders(publicUrl: string): readonly string[] {
  const headers = [
    ...['Content-Security-Policy', NOTHING],
    ...['X-Content-Type-Options', 'nosniff'],
    ...['Referrer-Policy', 'no-referrer'],
    ...['Cross-Origin-Opener-Policy', 'same-origin'],
    ...['Cross-Origin-Resource-Policy', 'same-origin'],
    ...['Cache-Control', 'no-store'],
  ];
  if (publicUrl.startsWith('https:')) {
    // Other services may share the domain: the operator's proxy can add `includeSubDomains`.
    headers.push('Strict-Transport-Security', 'max-age=63072000');
  }
  return headers;
}
