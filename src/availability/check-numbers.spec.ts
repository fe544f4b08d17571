import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  CheckNumbers,
  firstNumberAt,
  hourOfNumber,
  numbersBetween,
  rangesOf,
} from './check-numbers.js';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

describe('the numbers of checks', () => {
  it('are in the order of the hours, and consecutive within an hour', () => {
    const numbers = new CheckNumbers();
    const [a, b, later, last] = [NOON, NOON + HOUR - 1, NOON + HOUR, NOON + 2 * HOUR].map(
      (instant) => numbers.next(instant),
    ) as [number, number, number, number];
    expect(b).toBe(a + 1);
    expect([a < later, later < last]).toEqual([true, true]);
    expect([a, b, later].map((number) => hourOfNumber(number).getTime() - NOON)).toEqual([
      0,
      0,
      HOUR,
    ]);
  });

  it('start at a random count in each process and after a restart', () => {
    const numbers = new CheckNumbers();
    const first = numbers.next(NOON);
    const other = new CheckNumbers().next(NOON);
    numbers.restart();
    const restarted = numbers.next(NOON);
    expect(new Set([first, other, restarted]).size).toBe(3);
    expect(restarted).not.toBe(first + 1);
  });

  it('have at most 50 bits until 2079', () => {
    expect(firstNumberAt(Date.UTC(2079, 0, 1))).toBeLessThan(2 ** 50 - 2 ** 31);
    expect(firstNumberAt(Date.UTC(2020, 0, 1))).toBe(0);
  });

  it('of a span include those of every instant in it', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.integer({ min: 1, max: 1e9 }), fc.nat(), (from, length, at) => {
        const start = NOON + from;
        const { first, beyond } = numbersBetween(start, start + length);
        const number = new CheckNumbers().next(start + (at % length));
        expect(number >= first && number < beyond).toBe(true);
      }),
    );
  });
});

describe('the ranges of numbers', () => {
  const hour = firstNumberAt(NOON);
  const next = firstNumberAt(NOON + HOUR);

  it.each([
    [[], []],
    [[7], [[7, 7]]],
    [
      [7, 8, 9, 11, 12, 3],
      [
        [7, 9],
        [11, 12],
        [3, 3],
      ],
    ],
    [
      [hour + 1, next - 1, next, next + 1],
      [
        [hour + 1, hour + 1],
        [next - 1, next - 1],
        [next, next + 1],
      ],
    ],
  ])('of %j are %j: they end with the hour', (numbers, ranges) => {
    expect(rangesOf(numbers)).toEqual(ranges);
  });
});
