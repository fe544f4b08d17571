import { Injectable } from '@nestjs/common';
import type { ClientCaller, ClientLimits, StaffCaller } from '../access/caller.js';
import { type Allowance, type WindowCount, CountWindow, type OrderQuota } from './count-window.js';
import { SECOND } from '../kernel/time.js';
import { RateLimited } from '../problems/problem.js';
import { Counters } from '../kernel/counters.js';
import { Config } from '../config/config.js';
import { SharedCountsService } from './shared-counts.service.js';
import { performance } from 'node:perf_hooks';

/** Downloads of the coverage, an hour. */
const MOST_DOWNLOADS = 4;
const MOST_CHANGES = 60;

interface RunningWork {
  number: number;
  /** Up to this time, as `WorkTime.now()`, its work is counted. */
  since: number;
}

/**
 * Counts by key the time for which the event loop was busy while requests were being answered. Time that
 * several requests of a key share counts once. What other callers do in that time counts too.
 */
export class WorkTime {
  private readonly counts = new CountWindow(60);
  private readonly running = new Map<string, RunningWork>();

  /** Milliseconds for which the event loop has been busy since the process started. */
  static now(): number {
    return performance.eventLoopUtilization().active;
  }

  /** @returns ends it; further calls do nothing */
  begin(key: string): () => void {
    this.change(key, 1);
    let isRunning = true;
    return () => {
      if (isRunning) this.change(key, -1);
      isRunning = false;
    };
  }

  /** The milliseconds of the running minute. */
  look(key: string): WindowCount {
    return this.counts.look(key);
  }

  private change(key: string, by: 1 | -1): void {
    const now = WorkTime.now();
    const { number, since } = this.running.get(key) ?? { number: 0, since: now };
    if (number > 0) this.counts.add(key, now - since);
    if (number + by > 0) this.running.set(key, { number: number + by, since: now });
    else this.running.delete(key);
  }
}

/** The end of a sentence about a limit. */
const leftOf = (number: number, remaining: number) =>
  `. This request counts as ${number}; ${remaining} ${remaining === 1 ? 'is' : 'are'} left`;

export interface LimitLeft {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly reset: number;
}

/** All limits of an API client, and the headers for its checks. */
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

/** The limits of a client's checks. A share is what this instance allows. */
interface CheckLimits {
  readonly most: number;
  readonly share: number;
  readonly burst: number;
  readonly burstShare: number;
  readonly policy: string;
}

/** The number of running requests of a caller. */
export interface InFlight {
  running: number;
}

/**
 * Limits each API client. Every instance counts checks, and other requests that read, against its
 * share of the limit. With PostgreSQL, all instances share one count of orders. Staff have
 * limits for concurrent requests and for work.
 */
@Injectable()
export class RateLimitsService {
  private readonly minute = new CountWindow(60);
  private readonly second = new CountWindow(1);
  private readonly hour = new CountWindow(3_600);
  private readonly orders = new CountWindow(60);
  private readonly inFlight = new Map<string, InFlight>();
  private readonly work = new WorkTime();
  private readonly checks = new WeakMap<ClientLimits, CheckLimits>();

  constructor(
    private readonly config: Config,
    private readonly shared: SharedCountsService,
    private readonly counters: Counters,
  ) {}

  /** Counts one check; null where there are no limits. */
  takeCheck({ quota, limits }: ClientCaller, now = CountWindow.now()): Allowance | null {
    if (!this.config.rateLimits) return null;
    const { most, share, burst, burstShare, policy } = this.checkLimitsOf(limits);
    const { count, reset } = this.minute.add(quota, 1, now);
    if (count > share) {
      const left = { policy, remaining: 0, reset };
      return this.exceeded('look-ups', `${most} look-ups a minute`, left);
    }
    if (this.second.add(quota, 1, now).count > burstShare) {
      const left = { policy, remaining: 0, reset: 1 };
      return this.exceeded('burst', `${burst} look-ups a second`, left);
    }
    const state = `"look-ups";r=${share - count};t=${reset}`;
    return { policy, state, exceeded: false, limit: '', reset };
  }

  /**
   * Counts `number` checks, or none if fewer are left. They take at most half of the burst: otherwise a
   * large batch would pass only while the client sends nothing else. Of several instances, one accepts any
   * batch within the limit while half of its share is left: the batch can be larger than a share.
   */
  takeChecks(client: ClientCaller, number: number): Allowance | null {
    const left = this.lookAtChecks(client);
    if (!left) return null;
    const { most, share, burst, burstShare, minute, second, policy } = left;
    const needed = share < most ? Math.min(number, Math.ceil(share / 2)) : number;
    if (number > most || minute.count + needed > share) {
      const remaining = Math.max(0, share - minute.count);
      const left = { policy, remaining, reset: minute.reset };
      return this.exceeded(
        'look-ups',
        `${most} look-ups a minute${leftOf(number, remaining)}`,
        left,
      );
    }
    const atOnce = Math.min(number, Math.ceil(burstShare / 2));
    if (second.count + atOnce > burstShare) {
      const remaining = Math.max(0, burstShare - second.count);
      const left = { policy, remaining, reset: 1 };
      return this.exceeded('burst', `${burst} look-ups a second${leftOf(atOnce, remaining)}`, left);
    }
    const { count, reset } = this.minute.add(client.quota, number);
    this.second.add(client.quota, atOnce);
    const state = stateOf('look-ups', Math.max(0, share - count), reset);
    return { policy, state, exceeded: false, limit: '', reset };
  }

  /**
   * Counts the other checks of a request that was counted as one; null where there are none. A client can always read
   * what it has: the request counts as a minute's checks at most.
   */
  takeRest(client: ClientCaller, checks: number): Allowance | null {
    const most = client.limits.lookupsPerMinute ?? this.config.lookupsPerMinute;
    const rest = Math.min(checks, most) - 1;
    return rest > 0 ? this.takeChecks(client, rest) : null;
  }

  /** What is left, without counting; null where there are no limits. */
  async look(client: ClientCaller): Promise<LimitsLeft | null> {
    const left = this.lookAtChecks(client);
    if (!left) return null;
    const { most, share, burst, burstShare, minute, second, policy } = left;
    const mostOrders = client.limits.ordersPerMinute ?? this.config.ordersPerMinute;
    const orders = this.shared.areNeeded
      ? await this.shared.look(client.quota)
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

  /** Counts a whole download of the coverage, or one of changes. */
  takeDownload({ quota }: ClientCaller, isChanges: boolean): Allowance | null {
    if (!this.config.rateLimits) return null;
    const [name, most] = isChanges
      ? (['changes', MOST_CHANGES] as const)
      : (['downloads', MOST_DOWNLOADS] as const);
    const share = Math.ceil(most / this.config.instances);
    const { count, reset } = this.hour.add(`${name} ${quota}`);
    const exceeded = count > share;
    if (exceeded) this.counters.countLimited(name);
    const limit = `${most} ${isChanges ? 'downloads of changes' : 'whole downloads'} an hour`;
    const left = Math.max(0, share - count);
    return {
      policy: `"${name}";q=${most};w=3600`,
      state: stateOf(name, left, reset),
      exceeded,
      limit,
      reset,
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

  /** Counts a change of an order, in PostgreSQL for all instances. */
  takeChange(client: ClientCaller): Allowance | null | Promise<Allowance> {
    if (!this.config.rateLimits) return null;
    const quota = this.orderQuota(client);
    if (!this.shared.areNeeded) return this.orderAllowance(quota, this.orders.add(quota.key));
    return this.shared.add(quota).then((count) => this.orderAllowance(quota, count));
  }

  private orderQuota({ quota: key, limits }: ClientCaller): OrderQuota {
    return { key, most: limits.ordersPerMinute ?? this.config.ordersPerMinute };
  }

  /** Whether `enter` and `takeCheck` would allow one more check. @param now as `CountWindow.now()` */
  hasRoomForCheck(client: ClientCaller, now: number): boolean {
    if (!this.config.rateLimits) return true;
    const { quota, limits } = client;
    const { share, burstShare } = this.checkLimitsOf(limits);
    return (
      this.hasRoom(client) &&
      this.minute.look(quota, now).count < share &&
      this.second.look(quota, now).count < burstShare
    );
  }

  /** Whether `enter` would allow one more request. */
  hasRoom({ quota, limits }: ClientCaller): boolean {
    const running = this.inFlight.get(quota)?.running ?? 0;
    return running < (limits.inFlight ?? this.config.inFlight) || !this.config.rateLimits;
  }

  /**
   * Counts a running request. The caller decrements `running` when it ends.
   * @throws {RateLimited} where too many run
   */
  enter({ quota, limits }: ClientCaller): InFlight {
    return this.start(quota, 'in-flight', limits.inFlight ?? this.config.inFlight);
  }

  /** As `enter`, for a member of staff, whose work is limited, too. Heavy requests are counted separately. */
  enterStaff({ staffId }: StaffCaller, isHeavy: boolean): InFlight {
    const { staffInFlight, staffHeavyInFlight } = this.config;
    this.refuseOverworked(staffId);
    return isHeavy
      ? this.start(`heavy ${staffId}`, 'heavy-in-flight', staffHeavyInFlight)
      : this.start(staffId, 'in-flight', staffInFlight);
  }

  /** Counts the work of a member's request until the result is called. */
  beginWork({ staffId }: StaffCaller): () => void {
    return this.work.begin(staffId);
  }

  private refuseOverworked(staffId: string): void {
    const most = this.config.staffWorkSeconds;
    const { count, reset } = this.work.look(staffId);
    if (!this.config.rateLimits || count < most * SECOND) return;
    this.counters.countLimited('work');
    throw new RateLimited(`The limit is ${most} seconds of work a minute.`, reset, {
      policy: `"work";q=${most};qu="seconds";w=60`,
      state: `"work";r=0;t=${reset}`,
    });
  }

  private start(key: string, name: 'in-flight' | 'heavy-in-flight', most: number): InFlight {
    let entry = this.inFlight.get(key);
    if (!entry) this.inFlight.set(key, (entry = { running: 0 }));
    if (this.config.rateLimits && entry.running >= most) {
      this.counters.countLimited(name);
      const what = name === 'in-flight' ? 'requests' : 'searches, exports, reports or comparisons';
      throw new RateLimited(`The limit is ${most} concurrent ${what}.`, 1, {
        policy: `"${name}";q=${most};qu="concurrent-requests"`,
        state: `"${name}";r=0;t=1`,
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

  private orderAllowance({ most }: OrderQuota, { count, reset }: WindowCount): Allowance {
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

function stateOf(limit: string, remaining: number, reset: number): string {
  return `"${limit}";r=${remaining};t=${reset}`;
}
