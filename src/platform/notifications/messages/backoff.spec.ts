import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DELIVERY_PERIOD, readRetryAfter, retryDelay } from './backoff.js';

const random = fc.double({ min: 0, max: 1, noNaN: true });

describe('retryDelay', () => {
  it.each([
    [1, 5],
    [2, 15],
    [3, 60],
    [4, 300],
    [5, 900],
    [6, 3_600],
    [7, 10_800],
    [8, 21_600],
    [30, 21_600],
  ])('after failure %i: %i s in the middle', (attempts, seconds) => {
    expect(retryDelay({ attempts, unreachable: false }, 0.5)).toBe(seconds * 1_000);
  });

  it('has at most 20 % jitter', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), random, (attempts, at) => {
        const middle = retryDelay({ attempts, unreachable: false }, 0.5);
        const delay = retryDelay({ attempts, unreachable: false }, at);
        expect(delay).toBeGreaterThanOrEqual(middle * 0.8 - 1);
        expect(delay).toBeLessThanOrEqual(middle * 1.2 + 1);
      }),
    );
  });

  it('retries an unreachable receiver at least every six minutes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), random, (attempts, at) => {
        expect(retryDelay({ attempts, unreachable: true }, at)).toBeLessThanOrEqual(360_000);
      }),
    );
  });

  it.each([
    ['longer than the delay', 120_000, 120_000],
    ['shorter than the delay', 1_000, 5_000],
    ['absurd', 365 * 86_400_000, 86_400_000],
  ])('obeys a Retry-After that is %s', (_what, retryAfter, expected) => {
    expect(retryDelay({ attempts: 1, unreachable: false, retryAfter }, 0.5)).toBe(expected);
  });

  it('makes about 27 attempts before a message is dead', () => {
    let [passed, attempts] = [0, 0];
    while (passed <= DELIVERY_PERIOD)
      passed += retryDelay({ attempts: ++attempts, unreachable: false }, 0.5);
    expect(attempts).toBe(27);
  });
});

describe('readRetryAfter', () => {
  const now = new Date('2026-11-21T12:00:00Z');

  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['2026-11-21', undefined],
    [undefined, undefined],
  ])('%s: %s', (header, expected) => expect(readRetryAfter(header, now)).toBe(expected));
});
