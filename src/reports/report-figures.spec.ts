import { expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { nearestRank } from '../platform/kernel/sorted.js';
import { addAmounts, amountsByCurrency, rankOfCounts } from './report-figures.js';

it('finds the same rank among counted numbers as among all', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.constantFrom(0, 0.1, 0.5, 0.9, 1), (numbers, part) => {
      const counts = new Map<number, number>();
      for (const one of numbers) counts.set(one, (counts.get(one) ?? 0) + 1);
      const sorted = numbers.toSorted((a, b) => a - b);
      expect(rankOfCounts(counts, part)).toBe(nearestRank(sorted, part));
    }),
  );
});

test('amounts are added by currency, and printed in its major units', () => {
  const sums = new Map([['GBP', 55_000]]);
  addAmounts(
    sums,
    new Map([
      ['JPY', 5_000],
      ['GBP', 150],
    ]),
  );
  addAmounts(sums, new Map([['EUR', 0]]));
  expect(amountsByCurrency(sums)).toEqual([
    { currency: 'GBP', amount: 551.5 },
    { currency: 'JPY', amount: 5_000 },
  ]);
});
