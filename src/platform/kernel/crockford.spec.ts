import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromCrockford, randomCrockford, readCrockford, toCrockford } from './crockford.js';

describe('a random code', () => {
  it('has the requested length', () => {
    expect([0, 1, 6, 10].map((length) => randomCrockford(length).length)).toEqual([0, 1, 6, 10]);
  });

  it('has all 32 characters, and no I, L, O or U', () => {
    const seen = new Set(randomCrockford(10_000));
    expect([...seen].sort().join('')).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
  });

  it('is canonical', () => {
    const code = randomCrockford(1_000);
    expect(readCrockford(code)).toBe(code);
  });
});

describe('a number as a code', () => {
  it.each([
    [0, '00000'],
    [31, '0000Z'],
    [32, '00010'],
    [2 ** 25 - 1, 'ZZZZZ'],
  ])('%i is written as %s and read back', (number, code) => {
    expect([toCrockford(number, 5), fromCrockford(code)]).toEqual([code, number]);
  });
});

describe('a code that a person typed', () => {
  it.each([
    ['KR3FVJ7P2M', 'KR3FVJ7P2M'],
    ['kr3fvj7p2m', 'KR3FVJ7P2M'],
    ['KR3FV-J7P2M', 'KR3FVJ7P2M'],
    [' KR3FV J7P2M\n', 'KR3FVJ7P2M'],
    ['oO', '00'],
    ['iIlL', '1111'],
    ['', ''],
  ])('%j is read as %j', (typed, code) => {
    expect(readCrockford(typed)).toBe(code);
  });

  it('is unchanged by a second reading', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (typed) => {
        const code = readCrockford(typed);
        expect(readCrockford(code)).toBe(code);
      }),
    );
  });
});
