import { expect, jest } from '@jest/globals';
import { CountWindow } from '../../src/platform/limits/count-window.js';

const aMinute = '(?:60|5\\d)';

/** `Retry-After` in a minute that has just started. On PostgreSQL, its clock measures the minute for orders. */
export const afterAMinute: unknown = expect.stringMatching(new RegExp(`^${aMinute}$`));

/** `RateLimit` with this many requests left in such a minute. */
export function leftOf(limit: string, left: number): unknown {
  return expect.stringMatching(new RegExp(`^"${limit}";r=${left};t=${aMinute}$`));
}

/** Until mocks are restored, no limit that an instance counts in memory starts another window. */
export function stopWindows(): void {
  jest.spyOn(CountWindow, 'now').mockReturnValue(CountWindow.now());
}
