import { expect } from '@jest/globals';
import { startAttempt } from './entrances.js';

const aMinute = '(?:60|5\\d)';

/** `Retry-After` in a minute that has just started, by the real clock. */
export const afterAMinute: unknown = expect.stringMatching(new RegExp(`^${aMinute}$`));

/** `RateLimit` with this many requests left in such a minute. */
export function leftOf(limit: string, left: number): unknown {
  return expect.stringMatching(new RegExp(`^"${limit}";r=${left};t=${aMinute}$`));
}

/** The answers to requests within one second; retries on a busy machine. */
export async function withinASecond<T>(ask: () => Promise<T>): Promise<T> {
  const forgetAttempt = startAttempt();
  for (;;) {
    const begun = performance.now();
    const answers = await ask();
    if (performance.now() - begun < 1_000) return answers;
    forgetAttempt();
  }
}
