import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller, StaffCaller } from '../access/caller.js';
import { COUNTING, NAMELESS_LOAD, STAFF_LOAD, type StaffLoad } from '../access/rules.js';
import { type Counting, checksIn } from '../access/counting.js';
import { setHeaders } from '../http/tracked-response.js';
import { FailedAttemptsService } from './failed-attempts.service.js';
import { type Allowance, allowanceHeaders, refuseExceeded } from './count-window.js';
import { RateLimitsService } from './rate-limits.service.js';

/**
 * Node accepts one connection in a turn of the event loop: before each piece of work there are this many
 * turns, but not for longer than these milliseconds.
 */
const TURNS = 64;
const LONGEST_WAIT = 5;

/**
 * Starts heavy work piece by piece, with turns of the event loop in between. In these, the service counts
 * the requests that have arrived, and answers checks. With SQLite, a request holds the event loop until it
 * ends: requests that arrive together would wait in their sockets, where no limit counts them. Beside 60 lists of
 * one member at once, the slowest 1 % of the checks took 45 ms; without the turns, 1,020 ms.
 */
@Injectable()
export class TurnsService {
  private readonly waiting: (() => void)[] = [];

  /** Resolves when the caller may start. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) this.startAfter(TURNS, performance.now());
    });
  }

  private startAfter(turns: number, since: number): void {
    if (turns > 0 && performance.now() - since < LONGEST_WAIT) {
      setImmediate(() => this.startAfter(turns - 1, since));
      return;
    }
    this.waiting.shift()!();
    if (this.waiting.length > 0) this.startAfter(TURNS, performance.now());
  }
}

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
    if (request.method !== 'POST') return allow(this.limits.takeCheck(caller), response);
    const allowance = this.limits.takeChange(caller);
    return allowance instanceof Promise
      ? allowance.then((counted) => allow(counted, response))
      : allow(allowance, response);
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
