import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  CheckNumbers,
  firstNumberAt,
  hourOfNumber,
  numbersBetween,
  rangesOf,
  CheckCodes,
} from './check-numbers.js';
import { randomBytes } from 'node:crypto';

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

const codes = new CheckCodes(Buffer.alloc(32, 'a fixed secret'));

describe('the code of a check', () => {
  it('has 10 characters of Crockford’s base 32 and gives its number back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 - 1 }), (number) => {
        const code = codes.codeOf(number);
        expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/);
        expect(codes.numberOf(code)).toBe(number);
      }),
    );
  });

  it('stays the same in each release: clients keep the ids of their checks', () => {
    expect([0, 1, 2 ** 49 + 12_345, 2 ** 50 - 1].map((number) => codes.codeOf(number))).toEqual([
      'H9RWVF1NTC',
      '10VGDR3YQF',
      'WE9168SVT7',
      'DACAD7S58D',
    ]);
  });

  it('hides its number: every character differs in most neighbours', () => {
    const first = 2 ** 49 + 12_345;
    const all = Array.from({ length: 3_200 }, (_, i) => codes.codeOf(first + i));
    for (let place = 0; place < 10; place += 1) {
      const counts = new Map<string, number>();
      for (const code of all) counts.set(code[place]!, (counts.get(code[place]!) ?? 0) + 1);
      // 100 of each are expected, with a standard deviation of 10.
      expect(counts.size).toBe(32);
      expect(Math.max(...counts.values())).toBeLessThan(160);
    }
    const step = (i: number) => codes.numberOf(all[i]!)! - first;
    expect([...all].sort().map((code) => all.indexOf(code))).not.toEqual(
      all.map((_, i) => step(i)),
    );
  });

  it('differs in another database', () => {
    const other = new CheckCodes(randomBytes(32));
    const numbers = Array.from({ length: 100 }, (_, i) => 2 ** 49 + i);
    expect(numbers.filter((number) => other.codeOf(number) === codes.codeOf(number))).toEqual([]);
  });

  it.each(['', 'KR3FVJ7P2', 'KR3FVJ7P2MM', 'KR3FVJ7P2U', 'kr3fvj7p2m'])('rejects %j', (text) => {
    expect(codes.numberOf(text)).toBeNull();
  });
});
