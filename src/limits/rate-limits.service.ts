import { Injectable } from '@nestjs/common';
import type { ClientCaller, ClientLimits } from '../access/caller.js';
import { type WindowCount, CountWindow } from './count-window.js';
import { RateLimited } from '../problems/problem.js';
import { Counters } from '../tracing/counters.js';
import { Config } from '../config/config.js';
import { SharedCountsService } from './shared-counts.service.js';

/** What is left after a request was counted. */
export interface Allowance {
  /** `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-10. */
  readonly policy: string;
  readonly state: string;
  readonly exceeded: boolean;
  /** What is limited, as in "The limit is …". */
  readonly limit: string;
  /** Seconds until the count starts again. */
  readonly reset: number;
}

/** A limit, and what is left of it on this instance. */
export interface LimitLeft {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the count starts again. */
  readonly reset: number;
}

/** All limits of an API client, and the headers that report its checks. */
export interface LimitsLeft {
  readonly policy: string;
  readonly state: string;
  /** A minute. */
  readonly checks: LimitLeft;
  /** A second. */
  readonly burst: LimitLeft;
  /** A minute. */
  readonly orders: LimitLeft;
  readonly inFlight: { readonly limit: number; readonly running: number };
}

/** The limits of a client's checks; a share is the part that this instance allows. */
interface CheckLimits {
  readonly most: number;
  readonly share: number;
  readonly burst: number;
  readonly burstShare: number;
  readonly policy: string;
}

/** How many requests of an API client are being answered. */
export interface InFlight {
  running: number;
}

/**
 * Limits each API client. Every instance counts checks, and other requests that read, against its share
 * of the limit. Instances that share a PostgreSQL count orders together.
 */
@Injectable()
export class RateLimitsService {
  private readonly minute = new CountWindow(60);
  private readonly second = new CountWindow(1);
  private readonly orders = new CountWindow(60);
  private readonly inFlight = new Map<string, InFlight>();
  private readonly checks = new WeakMap<ClientLimits, CheckLimits>();

  constructor(
    private readonly config: Config,
    private readonly shared: SharedCountsService,
    private readonly counters: Counters,
  ) {}

  /** Counts one check; null where there are no limits. */
  takeCheck({ quota, limits }: ClientCaller): Allowance | null {
    if (!this.config.rateLimits) return null;
    const { most, share, burst, burstShare, policy } = this.checkLimitsOf(limits);
    const { count, reset } = this.minute.add(quota);
    if (count > share) {
      return this.exceeded('look-ups', `${most} look-ups a minute`, {
        policy,
        remaining: 0,
        reset,
      });
    }
    if (this.second.add(quota).count > burstShare) {
      return this.exceeded('burst', `${burst} look-ups a second`, {
        policy,
        remaining: 0,
        reset: 1,
      });
    }
    const state = `"look-ups";r=${share - count};t=${reset}`;
    return { policy, state, exceeded: false, limit: '', reset };
  }

  /**
   * Counts `number` checks at once, or none of them where fewer are left. They take at most half of
   * the second's burst: otherwise a large batch would pass only while the client sends nothing else.
   */
  takeChecks(client: ClientCaller, number: number): Allowance | null {
    const left = this.lookAtChecks(client);
    if (!left) return null;
    const { most, share, burst, burstShare, minute, second, policy } = left;
    const together = `; this asks for ${number} at once`;
    if (minute.count + number > share) {
      const left = { policy, remaining: share - minute.count, reset: minute.reset };
      return this.exceeded('look-ups', `${most} look-ups a minute${together}`, left);
    }
    const atOnce = Math.min(number, Math.ceil(burstShare / 2));
    if (second.count + atOnce > burstShare) {
      const left = { policy, remaining: Math.max(0, burstShare - second.count), reset: 1 };
      return this.exceeded('burst', `${burst} look-ups a second${together}`, left);
    }
    const { count, reset } = this.minute.add(client.quota, number);
    this.second.add(client.quota, atOnce);
    const state = stateOf('look-ups', share - count, reset);
    return { policy, state, exceeded: false, limit: '', reset };
  }

  /** What is left, without taking any of it; null where there are no limits. */
  async look(client: ClientCaller): Promise<LimitsLeft | null> {
    const left = this.lookAtChecks(client);
    if (!left) return null;
    const { most, share, burst, burstShare, minute, second, policy } = left;
    const mostOrders = client.limits.ordersPerMinute ?? this.config.ordersPerMinute;
    const orders = this.shared.areNeeded
      ? await this.shared.look(client.quota, mostOrders)
      : this.orders.look(client.quota);
    const remaining = Math.max(0, share - minute.count);
    return {
      policy,
      state: stateOf('look-ups', remaining, minute.reset),
      checks: { limit: most, remaining, reset: minute.reset },
      burst: { limit: burst, remaining: Math.max(0, burstShare - second.count), reset: 1 },
      orders: {
        limit: mostOrders,
        remaining: Math.max(0, mostOrders - orders.count),
        reset: orders.reset,
      },
      inFlight: {
        limit: client.limits.inFlight ?? this.config.inFlight,
        running: this.inFlight.get(client.quota)?.running ?? 0,
      },
    };
  }

  private lookAtChecks({ quota, limits }: ClientCaller) {
    if (!this.config.rateLimits) return null;
    return {
      ...this.checkLimitsOf(limits),
      minute: this.minute.look(quota),
      second: this.second.look(quota),
    };
  }

  /** Counts one order, in the database where other instances count too. */
  takeOrder(client: ClientCaller): Allowance | null | Promise<Allowance> {
    if (!this.config.rateLimits) return null;
    const { quota } = client;
    const most = client.limits.ordersPerMinute ?? this.config.ordersPerMinute;
    if (!this.shared.areNeeded) return this.orderAllowance(most, this.orders.add(quota));
    return this.shared.add(quota, most).then((count) => this.orderAllowance(most, count));
  }

  /** Whether one more check would neither be too many at a time nor exceed the client's limit. */
  hasRoomForCheck(client: ClientCaller): boolean {
    if (!this.config.rateLimits) return true;
    const { quota, limits } = client;
    const { share, burstShare } = this.checkLimitsOf(limits);
    return (
      this.hasRoom(client) &&
      this.minute.look(quota).count < share &&
      this.second.look(quota).count < burstShare
    );
  }

  /** Whether `enter` would let one more request of the client run. */
  hasRoom({ quota, limits }: ClientCaller): boolean {
    const running = this.inFlight.get(quota)?.running ?? 0;
    return running < (limits.inFlight ?? this.config.inFlight) || !this.config.rateLimits;
  }

  /**
   * Lets one more request of the client run; who calls lowers `running` when it has been answered.
   * @throws {RateLimited} where too many run
   */
  enter({ quota, limits }: ClientCaller): InFlight {
    let entry = this.inFlight.get(quota);
    if (!entry) this.inFlight.set(quota, (entry = { running: 0 }));
    const most = limits.inFlight ?? this.config.inFlight;
    if (this.config.rateLimits && entry.running >= most) {
      this.counters.countLimited('in-flight');
      throw new RateLimited(`The limit is ${most} requests at the same time.`, 1, {
        policy: `"in-flight";q=${most};qu="concurrent-requests"`,
        state: '"in-flight";r=0;t=1',
      });
    }
    entry.running += 1;
    return entry;
  }

  private exceeded(
    name: 'look-ups' | 'burst',
    limit: string,
    { policy, remaining, reset }: { policy: string; remaining: number; reset: number },
  ): Allowance {
    this.counters.countLimited(name);
    return { policy, state: stateOf(name, remaining, reset), exceeded: true, limit, reset };
  }

  private orderAllowance(most: number, { count, reset }: WindowCount): Allowance {
    const exceeded = count > most;
    if (exceeded) this.counters.countLimited('orders');
    return {
      policy: `"orders";q=${most};w=60`,
      state: `"orders";r=${Math.max(0, most - count)};t=${reset}`,
      exceeded,
      limit: `${most} orders a minute`,
      reset,
    };
  }

  /** Computed once for each caller in memory. */
  private checkLimitsOf(limits: ClientLimits): CheckLimits {
    const known = this.checks.get(limits);
    if (known) return known;
    const { instances, lookupBurst, lookupsPerMinute } = this.config;
    const most = limits.lookupsPerMinute ?? lookupsPerMinute;
    const burst = limits.lookupBurst ?? lookupBurst;
    const found = {
      most,
      share: Math.ceil(most / instances),
      burst,
      burstShare: Math.ceil(burst / instances),
      policy: `"look-ups";q=${most};w=60, "burst";q=${burst};w=1`,
    };
    this.checks.set(limits, found);
    return found;
  }
}

/** The headers that report what is left after a request was counted, name and value in turn. */
export function allowanceHeaders(allowance: Allowance | null): string[] {
  if (!allowance) return [];
  return ['RateLimit-Policy', allowance.policy, 'RateLimit', allowance.state];
}

function stateOf(limit: string, remaining: number, reset: number): string {
  return `"${limit}";r=${remaining};t=${reset}`;
}
