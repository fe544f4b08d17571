import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { Config } from '../config.js';

/** What is left after a request was counted. */
export interface Allowance {
  /** `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-10. */
  readonly policy: string;
  readonly state: string;
  readonly exceeded: boolean;
  /** What is limited, and how many of it there may be in a minute. */
  readonly what: string;
  readonly perMinute: number;
  /** Seconds until the count begins again. */
  readonly reset: number;
}

/** The library's counter in memory counts at once, but says so by a promise. Here it says so at once. */
class Counter extends RateLimiterMemory {
  private readonly policy: string;

  constructor(
    private readonly what: 'look-ups' | 'orders',
    private readonly perMinute: number,
  ) {
    super({ points: perMinute, duration: 60 });
    this.policy = `"${what}";q=${perMinute};w=60`;
  }

  take(key: string): Allowance {
    const { what, perMinute, policy } = this;
    const storage = (this as unknown as Storing)._memoryStorage;
    const { consumedPoints, msBeforeNext } = storage.incrby(this.getKey(key), 1, this.duration);
    const reset = Math.max(1, Math.ceil(msBeforeNext / 1_000));
    const left = Math.max(0, perMinute - consumedPoints);
    const state = `"${what}";r=${left};t=${reset}`;
    return { policy, state, exceeded: consumedPoints > perMinute, what, perMinute, reset };
  }
}

/** What RateLimiterMemory keeps its counts in; a test fails when a release changes it. */
interface Storing {
  readonly _memoryStorage: {
    incrby(key: string, points: number, seconds: number): RateLimiterRes;
  };
}

/** Counts what each API client asks for in a minute. */
@Injectable()
export class RateLimits {
  private readonly lookups: Counter;
  private readonly orders: Counter;

  constructor(private readonly config: Config) {
    this.lookups = new Counter('look-ups', config.lookupsPerMinute);
    this.orders = new Counter('orders', config.ordersPerMinute);
  }

  /** Counts one request; null where there are no limits. */
  take(kind: 'lookups' | 'orders', clientId: string): Allowance | null {
    return this.config.rateLimits ? this[kind].take(clientId) : null;
  }
}
