import { ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { callerOf, type Caller } from '../common/caller.js';
import { MalformedRequest } from '../common/problem.js';
import { ACCESS_RULE, type AccessRule } from '../common/scopes.js';
import { BearerStrategy } from './bearer.strategy.js';
import { ScopeInsufficient, TokenInvalid, TokenMissing } from './clients.errors.js';

/** Closed by default: lets a request pass when its route is public or its token has the scope. */
@Injectable()
export class BearerGuard extends AuthGuard() {
  private readonly logger = new Logger(BearerGuard.name);

  /** The strategy itself, not its name: passport knows names by process, not by application. */
  constructor(strategy: BearerStrategy) {
    super({ defaultStrategy: strategy as unknown as string });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = Reflect.getMetadata(ACCESS_RULE, context.getHandler()) as AccessRule | undefined;
    if (rule === 'public') return true;
    if (rule === undefined) throw new Error('A route without an access rule was reached.');
    const request = context.switchToHttp().getRequest<Request>();
    refuseMisplacedToken(request);
    await super.canActivate(context);
    if (!callerOf(request).scopes.has(rule)) throw new ScopeInsufficient(rule);
    return true;
  }

  /** Turns what passport reports into a problem. `challenge` is its WWW-Authenticate, or a status. */
  override handleRequest<T = Caller>(error: unknown, caller: T | false | null): T {
    if (error instanceof TokenInvalid) {
      this.logger.warn(`A token was refused: ${String(error.cause)}.`);
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
