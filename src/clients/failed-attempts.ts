import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../config.js';
import { CountWindow } from '../common/count-window.js';
import { networkOf } from '../common/network-of.js';
import { RateLimited } from '../common/problem.js';
import { Tallies } from '../common/tallies.js';

/**
 * Bounds the failed tokens and sign-ins that come from one address in a minute. Only failures count
 * and only they are refused, so that whoever shares the address with an attacker is not locked out.
 */
@Injectable()
export class FailedAttempts {
  private readonly counts = new CountWindow(60);

  constructor(
    private readonly config: Config,
    private readonly tallies: Tallies,
  ) {}

  /**
   * To be called before an attempt whose check costs something, unless it `isKnown` to be good.
   * @throws {RateLimited} where the address has used up its failures
   */
  refuseExhausted(request: Request, isKnown: () => boolean): void {
    const most = this.config.failuresPerMinute;
    const { count, reset } = this.counts.look(networkOf(request.ip));
    if (this.config.rateLimits && count >= most && !isKnown()) {
      this.tallies.countLimited('failures');
      throw new RateLimited(`The limit is ${most} failed attempts a minute.`, reset, {
        policy: `"failures";q=${most};w=60`,
        state: `"failures";r=0;t=${reset}`,
      });
    }
  }

  count(request: Request, reason: string): void {
    this.tallies.countRefused(reason);
    this.counts.add(networkOf(request.ip));
  }
}
