import { expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { nearestRank } from '../platform/kernel/sorted.js';
import {
  addAmounts,
  amountsByCurrency,
  mondayOf,
  rangeOf,
  rankOfCounts,
  ratio,
} from './report-figures.js';

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

const now = new Date('2026-06-30T23:30:00Z'); // 1 July in London

test('a period has both of its days, in London', () => {
  const { days, start, end } = rangeOf({ from: '2026-03-28', to: '2026-03-29' }, now);
  expect(days).toEqual(['2026-03-28', '2026-03-29']);
  const instants = [start, end].map((one) => new Date(one).toISOString());
  // The clocks change on the second day.
  expect(instants).toEqual(['2026-03-28T00:00:00.000Z', '2026-03-29T23:00:00.000Z']);
  const usual = rangeOf({}, now).days;
  expect([usual.length, usual[0], usual.at(-1)]).toEqual([28, '2026-06-04', '2026-07-01']);
});

test.each([
  ['2026-01-02', '2026-01-01', false],
  ['2026-01-01', '2026-01-01', true],
  ['2025-01-01', '2026-02-04', true],
  ['2025-01-01', '2026-02-05', false],
])('a period from %s to %s has 1 to 400 days: %s', (from, to, isValid) => {
  if (isValid) expect(rangeOf({ from, to }, now).days.at(-1)).toBe(to);
  else expect(() => rangeOf({ from, to }, now)).toThrow();
});

test('a week starts on its Monday', () => {
  const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-08', '2026-03-09'];
  expect(days.map(mondayOf)).toEqual([
    ...['2026-02-23', '2026-03-02', '2026-03-02', '2026-03-02', '2026-03-09'],
  ]);
});

test('a share has four decimals, and none of nothing', () => {
  expect([ratio(1, 3), ratio(2, 3), ratio(0, 3), ratio(0, 0)]).toEqual([0.3333, 0.6667, 0, null]);
});
