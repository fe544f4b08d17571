import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Redirect } from '../../platform/http/written.js';
import { ACCESS_RULE, type AccessRule, isSessionRule } from '../../platform/access/rules.js';
import { isAtLeast, roleNames, type StaffRole } from '../../platform/access/scopes.js';
import { Config } from '../../platform/config/config.js';
import { isSameOrigin, nextPage, readCookie } from './session-cookie.js';
import { SessionsService } from './sessions.service.js';
import { Problem } from '../../platform/problems/problem.js';

class SessionMissing extends Problem {
  constructor() {
    super(
      'missing-session',
      'You are not signed in, or you were signed out after 30 minutes of inactivity.',
      {
        headers: { 'WWW-Authenticate': 'Cookie realm="staff"' },
      },
    );
  }
}

class RoleInsufficient extends Problem {
  constructor(least: StaffRole) {
    super('insufficient-role', `This page is for ${roleNames[least].toLowerCase()}s.`);
  }
}

class CrossSiteRefused extends Problem {
  constructor() {
    super('cross-site-request');
  }
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Admits signed-in staff to pages, and refuses forms from other sites. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionsService,
    private readonly config: Config,
  ) {}

  /** The member whose session the request belongs to. It does not prolong the session. */
  viewerOf({ headers }: Request): Promise<StaffCaller | undefined> {
    return this.sessions.callerOf(readCookie(headers.cookie, this.config.publicUrl), false);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { publicUrl } = this.config;
    const isPage = /^\/staff(?:\/|$)/i.test(request.path);
    if (isPage && !safe.has(request.method) && !isSameOrigin(request.headers, publicUrl)) {
      throw new CrossSiteRefused();
    }
    const rule = Reflect.getMetadata(ACCESS_RULE, context.getHandler()) as AccessRule;
    if (!isSessionRule(rule)) return true;
    const isUse = !safe.has(request.method) || isNavigation(request);
    const cookie = readCookie(request.headers.cookie, publicUrl);
    const caller = await this.sessions.callerOf(cookie, isUse);
    if (!caller) throw isNavigation(request) ? toSignIn(request) : new SessionMissing();
    request.user = caller;
    if (!isAtLeast(caller.role, rule.session)) throw new RoleInsufficient(rule.session);
    return true;
  }
}

/** Whether a person opens a page. A script receives 401 instead of a redirect. */
function isNavigation({ method, headers }: Request): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined) return mode === 'navigate';
  return !/\bjson\b|event-stream/.test(headers.accept ?? '');
}

function toSignIn({ originalUrl }: Request): Redirect {
  const next = nextPage(originalUrl);
  const query = next === '/staff' ? '' : `?next=${encodeURIComponent(next)}`;
  return new Redirect(`/staff/sign-in${query}`);
}
