import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** Internals of RateLimiterMemory; a test detects changes. */
interface MemoryLimiterInternals {
  readonly _memoryStorage: {
    incrby(key: string, points: number, seconds: number): RateLimiterRes;
    get(key: string): RateLimiterRes | null;
  };
}

export interface WindowCount {
  /** Including this one. */
  readonly count: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly reset: number;
}

/** A count that `remove` can take back. */
interface AddedCount extends WindowCount {
  /** When the window ends, as `performance.now()`: the limiter measures it with a timer, too. */
  readonly until: number;
}

/** A synchronous view of RateLimiterMemory, whose own API has only promises. */
export class CountWindow {
  private readonly storage: MemoryLimiterInternals['_memoryStorage'];

  constructor(private readonly seconds: number) {
    const limiter = new RateLimiterMemory({ points: 1, duration: seconds });
    this.storage = (limiter as unknown as MemoryLimiterInternals)._memoryStorage;
  }

  add(key: string, by = 1): AddedCount {
    const { consumedPoints, msBeforeNext } = this.storage.incrby(key, by, this.seconds);
    const until = performance.now() + msBeforeNext;
    return { count: consumedPoints, reset: secondsOf(msBeforeNext), until };
  }

  /** Takes one back that `add` counted, unless its window has ended. */
  remove(key: string, { until }: AddedCount): void {
    if (performance.now() < until) this.storage.incrby(key, -1, this.seconds);
  }

  /** As `add`, without counting. */
  look(key: string): WindowCount {
    const known = this.storage.get(key);
    return { count: known?.consumedPoints ?? 0, reset: secondsOf(known?.msBeforeNext ?? 0) };
  }
}

export function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}
