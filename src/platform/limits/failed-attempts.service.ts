import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../config/config.js';
import { clientAddress } from '../http/client-address.js';
import { CountWindow } from './count-window.js';
import { RateLimited } from '../problems/problem.js';
import { Counters } from '../kernel/counters.js';
import ipaddr from 'ipaddr.js';

/** An IPv4 address, or the /64 of an IPv6 address, all of whose addresses have one owner. */
export function networkOf(address: string): string {
  // The client has closed the connection: no one reads the answer.
  if (address === '') return 'closed';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
}

/** Passwords, codes or links that are checked at the same time, waiting ones included. */
const MOST_AT_ONCE = 32;

type AttemptReason = 'sign-in' | 'second-factor' | 'link' | 'provider';

/**
 * Limits the requests of an address before the caller is known: failed tokens and sign-ins, and requests
 * without a token. Only these count and only they are refused, so that an attacker does not lock out
 * other users of the address.
 */
@Injectable()
export class FailedAttemptsService {
  private readonly counts = new CountWindow(60);
  private readonly nameless = new CountWindow(60);
  private readonly namelessNow = new CountWindow(1);
  private readonly running = { 'sign-in': 0, 'second-factor': 0, link: 0, provider: 0 };

  constructor(
    private readonly config: Config,
    private readonly counters: Counters,
  ) {}

  /**
   * Call it before an attempt that is expensive to check, unless it `isKnown` to be good.
   * @throws {RateLimited} where the address has used up its failures
   */
  refuseExhausted(request: Request, isKnown: () => boolean): void {
    const refusal = this.exhausted(request, isKnown);
    if (refusal) throw refusal;
  }

  /**
   * Runs the check of a password, code or link. The attempt counts as failed before the check starts,
   * and until `isRight` accepts its result: otherwise attempts at the same time would pass the limit.
   * @throws {RateLimited} before the check, where the address has used up its failures or too many
   * checks of the kind are running
   */
  async attempt<T>(
    request: Request,
    reason: AttemptReason,
    check: () => Promise<T>,
    isRight: (result: T) => boolean,
  ): Promise<T> {
    const refusal = this.exhausted(request, () => false) ?? this.full(reason);
    if (refusal) throw refusal;
    const network = networkOf(clientAddress(request));
    const added = this.counts.add(network);
    this.running[reason] += 1;
    try {
      const result = await check();
      if (isRight(result)) this.counts.remove(network, added);
      else this.counters.countRefused(reason);
      return result;
    } finally {
      this.running[reason] -= 1;
    }
  }

  private exhausted(request: Request, isKnown: () => boolean): RateLimited | undefined {
    const most = this.config.failuresPerMinute;
    const { count, reset } = this.counts.look(networkOf(clientAddress(request)));
    if (!this.config.rateLimits || count < most || isKnown()) return undefined;
    this.counters.countLimited('failures');
    return new RateLimited(`The limit is ${most} failed attempts a minute.`, reset, {
      policy: `"failures";q=${most};w=60`,
      state: `"failures";r=0;t=${reset}`,
    });
  }

  private full(reason: AttemptReason): RateLimited | undefined {
    if (!this.config.rateLimits || this.running[reason] < MOST_AT_ONCE) return undefined;
    this.counters.countLimited('sign-ins');
    return new RateLimited('Too many sign-ins are being checked at the moment.', 1, {
      policy: `"sign-ins";q=${MOST_AT_ONCE};qu="concurrent-requests"`,
      state: '"sign-ins";r=0;t=1',
    });
  }

  /**
   * Counts a request without a token. An address may send as many as an API client may look up.
   * @throws {RateLimited} where it has sent more
   */
  countNameless(request: Request): void {
    const { rateLimits, lookupBurst, lookupsPerMinute } = this.config;
    if (!rateLimits) return;
    const network = networkOf(clientAddress(request));
    const minute = this.nameless.add(network);
    const second = this.namelessNow.add(network);
    if (minute.count <= lookupsPerMinute && second.count <= lookupBurst) return;
    const isFull = minute.count > lookupsPerMinute;
    const [name, most, unit] = isFull
      ? (['nameless', lookupsPerMinute, 'minute'] as const)
      : (['nameless-burst', lookupBurst, 'second'] as const);
    const { reset } = isFull ? minute : second;
    this.counters.countLimited(name);
    throw new RateLimited(`The limit is ${most} requests without a token a ${unit}.`, reset, {
      policy: `"nameless";q=${lookupsPerMinute};w=60, "nameless-burst";q=${lookupBurst};w=1`,
      state: `"${name}";r=0;t=${reset}`,
    });
  }

  count(request: Request, reason: string): void {
    this.counters.countRefused(reason);
    this.counts.add(networkOf(clientAddress(request)));
  }
}
