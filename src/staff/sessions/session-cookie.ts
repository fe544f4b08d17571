import { createHash, randomBytes } from 'node:crypto';
import type { SessionTime } from '../../platform/access/caller.js';
import type { StaffSession } from './staff-session.entity.js';

/** Milliseconds after the last request at which a session ends. */
export const IDLE = 30 * 60_000;
/** Milliseconds after the sign-in at which it ends in any case. */
export const ABSOLUTE = 12 * 60 * 60_000;
/** The same for a sign-in that still needs its second factor. */
export const UNFINISHED = 10 * 60_000;

type SessionTimes = Pick<StaffSession, 'stage' | 'createdAt' | 'lastSeenAt'>;

export function isLive({ stage, createdAt, lastSeenAt }: SessionTimes, now: Date): boolean {
  const most = stage === 'open' ? ABSOLUTE : UNFINISHED;
  return now.getTime() - createdAt.getTime() < most && now.getTime() - lastSeenAt.getTime() < IDLE;
}

/** For a session of a member who is signed in. */
export function timeOf(
  { createdAt, lastSeenAt }: Pick<SessionTimes, 'createdAt' | 'lastSeenAt'>,
  now: Date,
): SessionTime {
  const atMost = Math.floor((createdAt.getTime() + ABSOLUTE - now.getTime()) / 1_000);
  const idle = Math.floor((lastSeenAt.getTime() + IDLE - now.getTime()) / 1_000);
  return { left: Math.min(idle, atMost), atMost };
}

/** A secret of 256 bits, and the hash to store. */
export function newSecret(): { readonly secret: string; readonly hash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

/** SHA-256: a random secret of 256 bits needs no slow hash. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Over plain HTTP, in development, browsers accept neither `Secure` nor the prefix. */
const isPlain = (publicUrl: string) => !publicUrl.startsWith('https:');

export function cookieName(publicUrl: string, name = 'staff'): string {
  return isPlain(publicUrl) ? name : `__Host-${name}`;
}

/** The `Set-Cookie` header (RFC 6265bis), until the browser closes or for `seconds`. */
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

/** The `Set-Cookie` header that deletes the cookie. */
export function clearCookie(publicUrl: string, name = 'staff'): string {
  return setCookie(publicUrl, '', { name, seconds: 0 });
}

/** The value of the cookie in a `Cookie` header; undefined unless there is exactly one. */
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

/** The page after the sign-in: only a path below `/staff` of this service. */
export function nextPage(wanted: string | null | undefined): string {
  const home = '/staff';
  if (!wanted?.startsWith('/staff') || !URL.canParse(wanted, 'http://here')) return home;
  const { origin, pathname, search } = new URL(wanted, 'http://here');
  const isOurs = origin === 'http://here' && /^\/staff(?:\/|$)/.test(pathname);
  // Not the sign-in page itself.
  return isOurs && !/^\/staff\/sign-/.test(pathname) ? pathname + search : home;
}

/**
 * Whether a request comes from a page of this service.
 * @see https://www.w3.org/TR/fetch-metadata/ browsers without it send `Origin`
 */
export function isSameOrigin(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  publicUrl: string,
): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin === new URL(publicUrl).origin;
}
