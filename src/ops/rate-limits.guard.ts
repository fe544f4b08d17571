import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Caller } from '../common/caller.js';
import { Problem } from '../common/problem.js';
import { Config } from '../config.js';

class RateLimited extends Problem {
  constructor(what: string, limit: number, retryAfterSeconds: number) {
    super('rate-limited', `The limit is ${limit} ${what} a minute.`, {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    });
  }
}

interface Limit {
  readonly what: 'look-ups' | 'orders';
  readonly perMinute: number;
  readonly limiter: RateLimiterMemory;
}

/** Bounds what each API client asks for in a minute. Staff are not bounded here. */
@Injectable()
export class RateLimitsGuard implements CanActivate {
  private readonly lookups: Limit;
  private readonly orders: Limit;

  constructor(private readonly config: Config) {
    this.lookups = limit('look-ups', config.lookupsPerMinute);
    this.orders = limit('orders', config.ordersPerMinute);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const caller = request.user as Caller | undefined;
    if (!this.config.rateLimits || caller?.kind !== 'client') return true;
    const response = context.switchToHttp().getResponse<Response>();
    await consume(
      request.method === 'POST' ? this.orders : this.lookups,
      caller.clientId,
      response,
    );
    return true;
  }
}

function limit(what: Limit['what'], perMinute: number): Limit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return { what, perMinute, limiter };
}

/** `RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers-10. */
async function consume(limit: Limit, clientId: string, response: Response): Promise<void> {
  const name = `"${limit.what}"`;
  response.setHeader('RateLimit-Policy', `${name};q=${limit.perMinute};w=60`);
  const state = await limit.limiter.consume(clientId).catch((refused: unknown) => {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  });
  const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1_000));
  response.setHeader('RateLimit', `${name};r=${state.remainingPoints};t=${seconds}`);
  if (state.consumedPoints > limit.perMinute) {
    throw new RateLimited(limit.what, limit.perMinute, seconds);
  }
}
