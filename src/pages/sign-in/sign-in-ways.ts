import type { Request, Response } from 'express';
import { SeeOther } from '../../http/written-html.js';
import type { Config } from '../../config/config.js';
import { readCookie, setCookie } from '../../staff/sessions/session-cookie.js';
import type { SignInOutcome, Visitor } from '../../staff/sign-in/sign-in.service.js';

/** Who asks, as far as it is known before the sign-in. */
export function visitorOf(request: Request, { publicUrl }: Config): Visitor {
  return {
    cookie: readCookie(request.headers.cookie, publicUrl),
    userAgent: request.headers['user-agent'] ?? '',
    address: request.ip ?? '',
  };
}

/** Hands the cookie over, and leads to whatever comes next. */
export function goOn(
  response: Response,
  outcome: SignInOutcome,
  next: string,
  { publicUrl }: Config,
): SeeOther {
  if (outcome.kind !== 'in') throw new Error('Nobody has signed in.');
  response.append('Set-Cookie', setCookie(publicUrl, outcome.cookie));
  if (outcome.stage === 'open') return new SeeOther(next);
  const page = outcome.stage === 'enrolment' ? 'enrolment' : 'code';
  return new SeeOther(
    `/staff/sign-in/${page}${next === '/staff' ? '' : `?next=${encodeURIComponent(next)}`}`,
  );
}

/** What a person is told of an attempt that failed, and the status. */
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

/** The ways in that there are here. */
export function offeredBy({ staffPasswords, oidcIssuer, oidcName }: Config) {
  return { passwords: staffPasswords, provider: oidcIssuer === null ? null : oidcName };
}
