import { ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { callerOf, type Caller } from '../common/caller.js';
import { MalformedRequest } from '../common/problem.js';
import { ACCESS_RULE, type AccessRule } from '../common/scopes.js';
import { AccessService } from './access.service.js';
import { FailedAttempts } from './failed-attempts.js';
import { ScopeInsufficient, TokenInvalid, TokenMissing } from './clients.errors.js';

/** Closed by default: lets a request pass when its route is public or its token has the scope. */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  private readonly logger = new Logger(BearerGuard.name);

  constructor(
    private readonly access: AccessService,
    private readonly failures: FailedAttempts,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = Reflect.getMetadata(ACCESS_RULE, context.getHandler()) as AccessRule | undefined;
    if (rule === 'public') return true;
    if (rule === undefined) throw new Error('A route without an access rule was reached.');
    const request = context.switchToHttp().getRequest<Request>();
    refuseMisplacedToken(request);
    if (this.failures.areRecent) this.refuseExhausted(request);
    await super.canActivate(context);
    if (!callerOf(request).scopes.has(rule)) throw new ScopeInsufficient(rule);
    return true;
  }

  /** A token that is in memory costs nothing to check, and is let in from every address. */
  private refuseExhausted(request: Request): void {
    const token = request.headers.authorization?.split(' ', 2)[1];
    if (token !== undefined && !this.access.knows(token)) this.failures.refuseExhausted(request);
  }

  /** Turns what passport reports into a problem. */
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

/** RFC 6750 allows a token in the query and in the body too; there it ends up in logs, so we don't. */
function refuseMisplacedToken(request: Request): void {
  if ((request.headersDistinct.authorization?.length ?? 0) > 1) {
    throw new MalformedRequest('Send one Authorization header.');
  }
  const body: unknown = request.body;
  const inBody = typeof body === 'object' && body !== null && 'access_token' in body;
  if (inBody || (request.url.includes('?') && 'access_token' in request.query)) {
    throw new MalformedRequest('Send the token in the Authorization header only.');
  }
}
