import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sellPrice } from './proposal.js';
import { roundings } from './proposal.dto.js';

describe('the price of a proposal', () => {
  it.each([
    [450, 15, 1, 'GBP', 518],
    [450, 0, 0.01, 'GBP', 450],
    [450.01, 0, 1, 'GBP', 451],
    [0.1, 10, 0.01, 'GBP', 0.11],
    [0.1, 10.01, 0.01, 'GBP', 0.12],
    [465, 15, 0.05, 'GBP', 534.75],
    [0, 1_000, 100, 'GBP', 0],
    [55_000, 12.5, 0.01, 'JPY', 61_875],
    [55_001, 12.5, 0.5, 'JPY', 61_877],
    [21_474_836.47, 1_000, 0.01, 'GBP', 236_223_201.17],
  ])(
    'of %d and %d %%, up to a multiple of %d %s, is %d',
    (price, percent, roundTo, currency, sold) => {
      expect(sellPrice(price, percent, roundTo, currency)).toBe(sold);
    },
  );

  it('is never less than the price with its markup, and less than one step more', () => {
    const cases = fc.record({
      minor: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      hundredths: fc.integer({ min: 0, max: 100_000 }),
      roundTo: fc.constantFrom(...roundings),
    });
    fc.assert(
      fc.property(cases, ({ minor, hundredths, roundTo }) => {
        const sold = BigInt(
          Math.round(sellPrice(minor / 100, hundredths / 100, roundTo, 'GBP') * 100),
        );
        const step = BigInt(Math.round(roundTo * 100));
        const exact = BigInt(minor) * BigInt(10_000 + hundredths);
        expect(sold % step).toBe(0n);
        expect(sold * 10_000n).toBeGreaterThanOrEqual(exact);
        expect((sold - step) * 10_000n).toBeLessThan(exact === 0n ? 1n : exact);
      }),
    );
  });
});
