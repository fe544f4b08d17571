import type { Request, Response } from 'express';
import { clientAddress } from '../../platform/http/client-address.js';
import { SeeOther } from '../../platform/http/written.js';
import type { Config } from '../../platform/config/config.js';
import { readCookie, setCookie } from '../sessions/session-cookie.js';
import type { SignInOutcome, Visitor } from '../sign-in/sign-in.service.js';

/** The request's session cookie, browser and address. */
export function visitorOf(request: Request, { publicUrl }: Config): Visitor {
  return {
    cookie: readCookie(request.headers.cookie, publicUrl),
    userAgent: request.headers['user-agent'] ?? '',
    address: clientAddress(request),
  };
}

/** Whether the password or code was right; the sign-in may need another step. */
export function hasSignedIn({ kind }: SignInOutcome): boolean {
  return kind === 'in';
}

/** Sets the session cookie, and redirects to the next step or page. */
export function goOn(
  response: Response,
  outcome: SignInOutcome,
  next: string,
  { publicUrl }: Config,
): SeeOther {
  if (outcome.kind !== 'in') throw new Error('The sign-in did not succeed.');
  response.append('Set-Cookie', setCookie(publicUrl, outcome.cookie));
  if (outcome.stage === 'open') return new SeeOther(next);
  const page = outcome.stage === 'enrolment' ? 'enrolment' : 'code';
  return new SeeOther(`/staff/sign-in/${page}${nextQuery(next)}`);
}

export function nextQuery(next: string): string {
  return next === '/staff' ? '' : `?next=${encodeURIComponent(next)}`;
}

/** The status and the text after a failed attempt. */
export function refusalOf(
  outcome: SignInOutcome,
  response: Response,
  wrong = 'Email or password is incorrect.',
): [status: number, text: string] {
  if (outcome.kind !== 'wait') {
    response.setHeader('WWW-Authenticate', 'Cookie realm="staff"');
    return [401, wrong];
  }
  const { seconds } = outcome;
  response.setHeader('Retry-After', String(seconds));
  const time = seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return [429, `There were too many attempts. Try again in ${time}.`];
}

/** The ways to sign in that are configured. */
export function offeredBy({ staffPasswords, oidcIssuer }: Config) {
  return { passwords: staffPasswords, provider: oidcIssuer !== null };
}
