import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../access/caller.js';
import { COUNTING, type Counting, checksIn } from '../access/counting.js';
import { setHeaders } from '../http/tracked-response.js';
import { RateLimited } from '../problems/problem.js';
import { type Allowance, allowanceHeaders, RateLimitsService } from './rate-limits.service.js';

/** Limits the requests of each API client, by minute and at a time. Staff have no limits. */
@Injectable()
export class RateLimitsGuard implements CanActivate {
  constructor(private readonly limits: RateLimitsService) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const caller = request.user as Caller | undefined;
    if (caller?.kind !== 'client') return true;
    const response = context.switchToHttp().getResponse<Response>();
    response.inFlight = this.limits.enter(caller);
    const counting = Reflect.getMetadata(COUNTING, context.getHandler()) as Counting | undefined;
    if (counting === 'nothing') return true;
    if (counting === 'postcodes') {
      return allow(this.limits.takeChecks(caller, checksIn(request.body)), response);
    }
    if (request.method !== 'POST') {
      return allow(this.limits.takeCheck(caller), response);
    }
    const allowance = this.limits.takeOrder(caller);
    return allowance instanceof Promise
      ? allowance.then((counted) => allow(counted, response))
      : allow(allowance, response);
  }
}

function allow(allowance: Allowance | null, response: Response): true {
  if (!allowance) return true;
  const { policy, state, exceeded, limit, reset } = allowance;
  if (exceeded) throw new RateLimited(`The limit is ${limit}.`, reset, { policy, state });
  setHeaders(response, allowanceHeaders(allowance));
  return true;
}
