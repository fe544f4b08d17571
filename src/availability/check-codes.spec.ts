import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { CheckCodes } from './check-codes.js';

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
