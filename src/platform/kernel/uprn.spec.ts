import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { parseUprn, UPRN_BOUND } from './uprn.js';

describe('parseUprn', () => {
  test.each([
    ['1', 1],
    ['000000000001', 1],
    ['100023336956', 100_023_336_956],
    ['4294967295', 2 ** 32 - 1],
    ['4294967296', 2 ** 32],
    ['999999999999', 999_999_999_999],
  ])('reads %s', (text, uprn) => {
    expect(parseUprn(text)).toBe(uprn);
  });

  test.each([
    '',
    '0',
    '000000000000',
    '1234567890123',
    '-1',
    '1.5',
    '1e3',
    ' 1',
    '1 2',
    'X1',
    '１',
  ])('refuses %j', (text) => {
    expect(parseUprn(text)).toBeNull();
  });

  it('ignores leading zeros, and reads what it prints', () => {
    const uprns = fc.integer({ min: 1, max: 999_999_999_999 });
    fc.assert(
      fc.property(uprns, fc.nat(12), (uprn, length) => {
        expect(parseUprn(String(uprn).padStart(length, '0'))).toBe(uprn);
        expect(uprn).toBeLessThan(UPRN_BOUND);
      }),
    );
  });
});
