import { expect } from '@jest/globals';
import { startAttempt } from './entrances.js';

const aMinute = '(?:60|5\\d)';

/** `Retry-After` of a minute that has just begun: it goes by the real clock, which goes on meanwhile. */
export const afterAMinute: unknown = expect.stringMatching(new RegExp(`^${aMinute}$`));

/** `RateLimit` where so many are left of such a minute. */
export function leftOf(limit: string, left: number): unknown {
  return expect.stringMatching(new RegExp(`^"${limit}";r=${left};t=${aMinute}$`));
}

/** What is answered where all of it is asked within one second: a busy machine may have to try again. */
export async function withinASecond<T>(ask: () => Promise<T>): Promise<T> {
  const forgetAttempt = startAttempt();
  for (;;) {
    const begun = performance.now();
    const answers = await ask();
    if (performance.now() - begun < 1_000) return answers;
    forgetAttempt();
  }
}
