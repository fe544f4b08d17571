import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../common/caller.js';
import { Problem } from '../common/problem.js';
import { type Allowance, RateLimits } from './rate-limits.js';

class RateLimited extends Problem {
  constructor({ what, perMinute, reset }: Allowance) {
    super('rate-limited', `The limit is ${perMinute} ${what} a minute.`, {
      headers: { 'Retry-After': String(reset) },
    });
  }
}

/** Bounds what each API client asks for in a minute. Staff are not bounded here. */
@Injectable()
export class RateLimitsGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const caller = request.user as Caller | undefined;
    if (caller?.kind !== 'client') return true;
    const kind = request.method === 'POST' ? 'orders' : 'lookups';
    const allowance = this.limits.take(kind, caller.clientId);
    if (!allowance) return true;
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeader('RateLimit-Policy', allowance.policy);
    response.setHeader('RateLimit', allowance.state);
    if (allowance.exceeded) throw new RateLimited(allowance);
    return true;
  }
}
