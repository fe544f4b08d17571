import { RateLimited } from '../problems/problem.js';

/** What is left after a request was counted. */
export interface Allowance {
  /** `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-10. */
  readonly policy: string;
  readonly state: string;
  readonly exceeded: boolean;
  /** As in "The limit is …". */
  readonly limit: string;
  /** Seconds until the window ends. */
  readonly reset: number;
}

/** Alternating names and values. */
export function allowanceHeaders(allowance: Allowance | null): string[] {
  if (!allowance) return [];
  return ['RateLimit-Policy', allowance.policy, 'RateLimit', allowance.state];
}

/** @throws {RateLimited} where the limit is exceeded */
export function refuseExceeded({ policy, state, exceeded, limit, reset }: Allowance): void {
  if (exceeded) throw new RateLimited(`The limit is ${limit}.`, reset, { policy, state });
}

export interface WindowCount {
  /** Including this one. */
  readonly count: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly reset: number;
}

/** A count that `remove` can take back. */
interface AddedCount extends WindowCount {
  /** When the window ends, as `performance.now()`. */
  readonly until: number;
}

interface OpenWindow {
  count: number;
  readonly until: number;
}

/** Counts by key, in windows of a fixed length that start with the first count. */
export class CountWindow {
  private readonly length: number;
  private readonly windows = new Map<string, OpenWindow>();
  private sweptAt = CountWindow.now();

  constructor(seconds: number) {
    this.length = seconds * 1_000;
  }

  /** As `performance.now()`. Tests stop it, so that no window ends too soon. */
  static now(): number {
    return performance.now();
  }

  add(key: string, by = 1, now = CountWindow.now()): AddedCount {
    let window = this.windows.get(key);
    if (!window || window.until <= now) {
      if (now - this.sweptAt > this.length) this.sweep(now);
      this.windows.set(key, (window = { count: 0, until: now + this.length }));
    }
    window.count += by;
    return { count: window.count, reset: secondsOf(window.until - now), until: window.until };
  }

  /** Takes one back that `add` counted, unless its window has ended. */
  remove(key: string, { until }: AddedCount): void {
    const window = this.windows.get(key);
    if (window?.until === until) window.count -= 1;
  }

  /** As `add`, without counting. */
  look(key: string, now = CountWindow.now()): WindowCount {
    const window = this.windows.get(key);
    if (!window || window.until <= now) return { count: 0, reset: 1 };
    return { count: window.count, reset: secondsOf(window.until - now) };
  }

  /** Forgets the windows that have ended. */
  private sweep(now: number): void {
    this.sweptAt = now;
    for (const [key, { until }] of this.windows) if (until <= now) this.windows.delete(key);
  }
}

export function secondsOf(milliseconds: number): number {
  // Rounded: a window may have 60,000.000001 ms left.
  return Math.max(1, Math.ceil(Math.round(milliseconds) / 1_000));
}

/** The limit of a client's orders. */
export interface OrderQuota {
  readonly key: string;
  /** Orders a minute. */
  readonly most: number;
}
