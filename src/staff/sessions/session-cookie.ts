import { createHash, randomBytes } from 'node:crypto';

/** Milliseconds since the last request after which a session has ended. */
export const IDLE = 30 * 60_000;
/** Milliseconds since the sign-in after which it has, whatever happens. */
export const ABSOLUTE = 12 * 60 * 60_000;
/** The same for a sign-in of which the second factor is still missing. */
export const UNFINISHED = 10 * 60_000;

/** The parts of a session that tell whether it has ended. */
interface SessionTimes {
  readonly stage: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
}

export function isLive({ stage, createdAt, lastSeenAt }: SessionTimes, now: Date): boolean {
  const most = stage === 'open' ? ABSOLUTE : UNFINISHED;
  return now.getTime() - createdAt.getTime() < most && now.getTime() - lastSeenAt.getTime() < IDLE;
}

/** A secret of 256 bits, and what is stored of it. */
export function newSecret(): { readonly secret: string; readonly hash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

/** SHA-256 is enough: a secret of 256 bits cannot be guessed, so that it needs no slow hash. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Over plain HTTP, which is for trying out, browsers take neither `Secure` nor the prefix. */
const isPlain = (publicUrl: string) => !publicUrl.startsWith('https:');

export function cookieName(publicUrl: string, name = 'staff'): string {
  return isPlain(publicUrl) ? name : `__Host-${name}`;
}

/**
 * The `Set-Cookie` (RFC 6265bis) that has the browser keep the value until it is closed, or for so
 * many seconds.
 */
export function setCookie(
  publicUrl: string,
  value: string,
  { name = 'staff', seconds }: { readonly name?: string; readonly seconds?: number } = {},
): string {
  return [
    `${cookieName(publicUrl, name)}=${value}`,
    'Path=/',
    ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
    'HttpOnly',
    ...(isPlain(publicUrl) ? [] : ['Secure']),
    'SameSite=Lax',
  ].join('; ');
}

/** The one that has it forget the value. */
export function clearCookie(publicUrl: string, name = 'staff'): string {
  return setCookie(publicUrl, '', { name, seconds: 0 });
}

/** The value of the cookie among those of a `Cookie` header; undefined where there is not one. */
export function readCookie(
  header: string | undefined,
  publicUrl: string,
  name = 'staff',
): string | undefined {
  const start = `${cookieName(publicUrl, name)}=`;
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start));
  return found.length === 1 ? found[0]!.slice(start.length) : undefined;
}

/** The page to go to after the sign-in: a path below `/staff` of this service, and no other. */
export function nextPage(wanted: string | null | undefined): string {
  const home = '/staff';
  if (!wanted?.startsWith('/staff') || !URL.canParse(wanted, 'http://here')) return home;
  const { origin, pathname, search } = new URL(wanted, 'http://here');
  const isOurs = origin === 'http://here' && /^\/staff(?:\/|$)/.test(pathname);
  // Whoever has just signed in has no use for the pages of the sign-in itself.
  return isOurs && !/^\/staff\/sign-/.test(pathname) ? pathname + search : home;
}

/**
 * Whether a browser says that a request comes from a page of this service (Fetch Metadata,
 * https://www.w3.org/TR/fetch-metadata/); browsers that do not say so send its origin.
 */
export function isSameOrigin(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  publicUrl: string,
): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin === new URL(publicUrl).origin;
}
