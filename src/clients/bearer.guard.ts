import { ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { callerOf, type Caller, isAllowed } from '../platform/access/caller.js';
import { MalformedRequest } from '../platform/problems/problem.js';
import { ACCESS_RULE, type AccessRule, isSessionRule } from '../platform/access/rules.js';
import type { Scope } from '../platform/access/scopes.js';
import { AccessService } from './access.service.js';
import { countHeader } from '../platform/http/request-id.js';
import { setHeaders } from '../platform/http/tracked-response.js';
import { endHeaders } from '../platform/kernel/client-options.js';
import { FailedAttemptsService } from '../platform/limits/failed-attempts.service.js';
import { ClientNeeded, ScopeInsufficient, TokenInvalid, TokenMissing } from './clients.errors.js';
import { Strategy } from 'passport-http-bearer';

/**
 * RFC 6750 bearer tokens. passport-http-bearer only parses the `Authorization` header here, and only of
 * requests whose header is not recognised yet. It would take a token from the body or the query, too:
 * BearerGuard refuses those before, and two headers. AccessService decides about the token, BearerGuard
 * about scopes and answers. Nothing of passport is used for staff sessions.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly access: AccessService) {
    super();
  }

  /** passport keeps what ends a request in the strategy: each request needs a copy, or one would end another. */
  override authenticate(request: Request, options?: object): void {
    super.authenticate.call(Object.assign(Object.create(this) as this, this), request, options);
  }

  validate(token: string): Promise<Caller> {
    return this.access.callerOf(token);
  }
}

/** Refuses a request unless its route is public or its token has the scope. */
@Injectable()
export class BearerGuard extends AuthGuard() {
  private readonly logger = new Logger(BearerGuard.name);

  /** Takes the strategy itself: passport registers names by process, not by application. */
  constructor(
    private readonly access: AccessService,
    private readonly failures: FailedAttemptsService,
    strategy: BearerStrategy,
  ) {
    super({ defaultStrategy: strategy as unknown as string });
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const rule = Reflect.getMetadata(ACCESS_RULE, context.getHandler()) as AccessRule | undefined;
    if (rule === undefined) throw new Error('A route without an access rule was reached.');
    // The session guard, which runs next, handles pages.
    if (rule === 'public' || isSessionRule(rule)) return true;
    const request = context.switchToHttp().getRequest<Request>();
    refuseMisplacedToken(request);
    const known = this.access.recognise(request.headers.authorization);
    if (!known) return this.authenticate(context, request, rule);
    request.user = known;
    return allow(known, rule, context);
  }

  /** Uses passport once for each header value. */
  private async authenticate(context: ExecutionContext, request: Request, rule: Scope | 'client') {
    // passport takes one space after the scheme only; RFC 9110 allows several.
    request.headers.authorization = request.headers.authorization?.replace(/^(\S+) +/, '$1 ');
    if (request.headers.authorization === undefined) this.failures.countNameless(request);
    else this.failures.refuseExhausted(request, () => this.access.knows(tokenOf(request)));
    await super.canActivate(context);
    const caller = callerOf(request);
    this.access.remember(request.headers.authorization!, caller);
    return allow(caller, rule, context);
  }

  /** Turns passport's result into a problem. */
  override handleRequest<T = Caller>(
    error: unknown,
    caller: T | false | null,
    _info: unknown,
    context: ExecutionContext,
  ): T {
    if (error instanceof TokenInvalid) {
      const reason = String(error.cause);
      this.logger.warn(`A token was refused: ${reason}.`);
      this.failures.count(context.switchToHttp().getRequest<Request>(), reason);
    }
    if (error) throw error as Error;
    if (!caller) throw new TokenMissing();
    return caller;
  }
}

function tokenOf(request: Request): string {
  return request.headers.authorization?.split(' ', 2)[1] ?? '';
}

/** Its answers also announce what ends for the caller. */
function allow(caller: Caller, rule: Scope | 'client', context: ExecutionContext): true {
  if (caller.kind === 'client') {
    setHeaders(context.switchToHttp().getResponse(), endHeaders(caller.compatibility));
  }
  if (isAllowed(caller, rule)) return true;
  throw rule === 'client' ? new ClientNeeded() : new ScopeInsufficient(rule);
}

/** RFC 6750 also allows a token in the query or body, but there it ends up in logs. */
function refuseMisplacedToken(request: Request): void {
  if (countHeader(request.rawHeaders, 'authorization') > 1) {
    throw new MalformedRequest('Send one Authorization header.');
  }
  const body: unknown = request.body;
  const inBody = typeof body === 'object' && body !== null && 'access_token' in body;
  if (inBody || (request.url.includes('?') && 'access_token' in request.query)) {
    throw new MalformedRequest('Send the token in the Authorization header only.');
  }
}
