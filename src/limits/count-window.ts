import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** Internals of RateLimiterMemory; a test fails when a release changes them. */
interface MemoryLimiterInternals {
  readonly _memoryStorage: {
    incrby(key: string, points: number, seconds: number): RateLimiterRes;
    get(key: string): RateLimiterRes | null;
  };
}

export interface WindowCount {
  /** This one included. */
  readonly count: number;
  /** Whole seconds until the count starts again, at least 1. */
  readonly reset: number;
}

/** A synchronous view of RateLimiterMemory, whose own API has only promises. */
export class CountWindow {
  private readonly storage: MemoryLimiterInternals['_memoryStorage'];

  constructor(private readonly seconds: number) {
    const limiter = new RateLimiterMemory({ points: 1, duration: seconds });
    this.storage = (limiter as unknown as MemoryLimiterInternals)._memoryStorage;
  }

  add(key: string, by = 1): WindowCount {
    const { consumedPoints, msBeforeNext } = this.storage.incrby(key, by, this.seconds);
    return { count: consumedPoints, reset: secondsOf(msBeforeNext) };
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
