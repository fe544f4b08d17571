import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller, ClientCaller, StaffCaller } from '../access/caller.js';
import {
  COUNTING,
  type Counting,
  checksIn,
  NAMELESS_LOAD,
  STAFF_LOAD,
  type StaffLoad,
} from '../access/counting.js';
import { setHeaders } from '../http/tracked-response.js';
import { FailedAttemptsService } from './failed-attempts.service.js';
import { type Allowance, allowanceHeaders, refuseExceeded } from './allowance.js';
import { RateLimitsService } from './rate-limits.service.js';
import { TurnsService } from './turns.service.js';

/**
 * Limits the rate and the concurrency of each API client, and the concurrency and the work of each staff
 * member. Public pages that compute count as requests without a token.
 */
@Injectable()
export class RateLimitsGuard implements CanActivate {
  constructor(
    private readonly limits: RateLimitsService,
    private readonly failures: FailedAttemptsService,
    private readonly turns: TurnsService,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const caller = request.user as Caller | undefined;
    if (!caller) {
      if (Reflect.hasMetadata(NAMELESS_LOAD, context.getHandler())) {
        this.failures.countNameless(request);
      }
      return true;
    }
    const response = context.switchToHttp().getResponse<Response>();
    if (caller.kind === 'staff') return this.enterStaff(caller, context, request, response);
    response.inFlight = this.limits.enter(caller);
    const counting = Reflect.getMetadata(COUNTING, context.getHandler()) as Counting | undefined;
    if (counting === 'nothing') return true;
    if (counting === 'postcodes') {
      return allow(this.limits.takeChecks(caller, checksIn(request.body)), response);
    }
    if (counting === 'new order') return this.enterOrder(caller, response);
    if (request.method !== 'POST') return allow(this.limits.takeCheck(caller), response);
    const allowance = this.limits.takeOrder(caller);
    return allowance instanceof Promise
      ? allowance.then((counted) => allow(counted, response))
      : allow(allowance, response);
  }

  private enterOrder(caller: ClientCaller, response: Response): true {
    const taken = this.limits.takeNewOrder(caller);
    if (taken === null || 'policy' in taken) return allow(taken, response);
    response.orderQuota = taken;
    return true;
  }

  private async enterStaff(
    caller: StaffCaller,
    context: ExecutionContext,
    { query }: Request,
    response: Response,
  ): Promise<true> {
    const [ofHandler, ofController] = [context.getHandler(), context.getClass()].map(
      (target) => Reflect.getMetadata(STAFF_LOAD, target) as StaffLoad | undefined,
    );
    const { kind, parameter } = ofHandler ?? ofController ?? {};
    if (kind === 'stream') return true;
    const isHeavy = kind === 'heavy' && (parameter === undefined || !!query[parameter]);
    response.inFlight = this.limits.enterStaff(caller, isHeavy);
    await this.turns.next();
    if (!response.destroyed) response.endWork = this.limits.beginWork(caller);
    return true;
  }
}

function allow(allowance: Allowance | null, response: Response): true {
  if (!allowance) return true;
  refuseExceeded(allowance);
  setHeaders(response, allowanceHeaders(allowance));
  return true;
}
