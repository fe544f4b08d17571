import { expect, it } from '@jest/globals';
import { contentOf, givenFiles } from '../../../test/support/catalogue-files.given.js';
import { diffCatalogues } from './diff.js';
import { summaryOf } from './price-changes.js';

const priced = (...amounts: number[]) =>
  contentOf(
    givenFiles({
      products: amounts.map((_, i) => `P-${i},Product ${i},1,1,12`),
      prices: amounts.flatMap((amount, i) => (amount === 0 ? [] : `P-${i},UK,,${amount},GBP,60`)),
      coverage: ['EC,UK'],
    }),
  );
const between = (before: number[], after: number[]) =>
  summaryOf(diffCatalogues(priced(...before), priced(...after), null).prices);

it.each([
  [
    'nothing',
    [100],
    [100],
    { count: 0, added: 0, removed: 0, least: null, median: null, most: null },
  ],
  [
    'an odd number of changes',
    [100, 100, 100],
    [103, 110, 95],
    { count: 3, added: 0, removed: 0, least: -5, median: 3, most: 10 },
  ],
  [
    'an even number of changes',
    [100, 100],
    [102, 104],
    { count: 2, added: 0, removed: 0, least: 2, median: 3, most: 4 },
  ],
  [
    'new and removed prices',
    [100, 0],
    [0, 50],
    { count: 2, added: 1, removed: 1, least: null, median: null, most: null },
  ],
])('summarises %s', (_, before, after, summary) => {
  expect(between(before, after)).toEqual(summary);
});
