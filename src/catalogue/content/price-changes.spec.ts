import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { contentOf, givenFiles } from '../../../test/support/catalogue-files.given.js';
import { addDays } from '../../platform/kernel/time.js';
import type { CatalogueContent } from './catalogue.js';
import { diffAsJson, diffInWords } from './change-lists.js';
import { isWithin, onDay } from './dates.js';
import { diffCatalogues, isNoChange } from './diff.js';
import { adjustPrices, type PriceAdjustment } from './edits/adjust-prices.js';
import { effectivePrices } from './effective-prices.js';
import type { PriceRow } from './offer-fields.js';
import {
  diffPrices,
  diffPricesByDay,
  type PriceChange,
  summariesByDay,
  summaryOf,
} from './price-changes.js';

const price = (cells: string, zone = 'LONDON') => `INT-1G-12,${zone},${cells},GBP,84,,,`;
const dated = (cells: string, first: string, last: string) => `${price(cells)},${first},${last}`;

const given = (prices: string[]) =>
  contentOf(givenFiles({ prices, priceLists: ['gold,standard,-10,', 'best,gold,-1,'] }));

const adjusted = (before: CatalogueContent, wanted: Partial<PriceAdjustment>) => {
  const all = { priceList: null, product: null, zone: null, roundTo: null, floor: null };
  const every = { ...all, setupPercent: null, from: null, until: null, percent: 0 };
  return adjustPrices(before, { ...every, ...wanted }) as CatalogueContent;
};

it('counts the prices of a promotion as changed on its days, and none as added or removed', () => {
  const before = given([price('standard,100'), price('standard,200', 'LEEDS')]);
  const after = adjusted(before, { percent: -20, from: '2027-10-01', until: '2027-10-31' });
  const diff = diffCatalogues(before, after, null);
  expect(diffInWords(diff, 1)).toBe(
    `Prices: 6 changed.
  1 to 31 October 2027, then back: 6 changed, -20.0 %
  INT-1G-12 in LEEDS (best) 2027-10-01 to 2027-10-31: 178.20 GBP → 142.56 GBP, -20.0 %
  … and 5 more
`,
  );
  expect(diffAsJson(diff, true).lists.find(({ name }) => name === 'prices')).toMatchObject({
    kinds: [{ change: 'changed', count: 6 }],
    periods: [{ days: '1 to 31 October 2027, then back', count: 6, added: 0, removed: 0 }],
  });
});

test.each<[what: string, before: string[], after: string[], expected: [string, number][]]>([
  [
    'a product that is sold on some days only is added on these',
    [],
    [dated('own,100', '2027-01-01', '2027-01-31')],
    [['1 to 31 January 2027, then back', 1]],
  ],
  [
    'a second change that starts on the next day does not go back',
    [price('own,100')],
    [
      price('own,100'),
      dated('own,90', '2027-01-01', '2027-01-31'),
      dated('own,95', '2027-02-01', '2027-02-28'),
    ],
    [
      ['1 to 31 January 2027', 1],
      ['1 to 28 February 2027, then back', 1],
    ],
  ],
  [
    'a change that only some of its prices follow does not go back',
    [price('own,100'), price('own,200', 'YORK')],
    [
      ...[price('own,100'), price('own,200', 'YORK')],
      ...['LONDON', 'YORK'].map((zone) => `${price('own,90', zone)},2027-01-01,2027-01-31`),
      dated('own,95', '2027-02-01', '2027-02-28'),
    ],
    [
      ['1 to 31 January 2027', 2],
      ['1 to 28 February 2027, then back', 1],
    ],
  ],
  [
    'a change without dates beside one with dates applies at once',
    [price('own,100'), price('own,200', 'YORK')],
    [...[price('own,100'), price('own,210', 'YORK')], dated('own,95', '2027-02-01', '2027-02-28')],
    [
      ['at once', 1],
      ['1 to 28 February 2027, then back', 1],
    ],
  ],
  ['changes without dates need no days', [price('own,100')], [price('own,110')], [['', 1]]],
  [
    'a rise beside a promotion that is live changes both, each on its days',
    [price('own,100'), dated('own,90', '', '2026-12-31')],
    [price('own,110'), dated('own,95', '', '2026-12-31')],
    [
      ['until 31 December 2026', 1],
      ['from 1 January 2027', 1],
    ],
  ],
  [
    'rows that are only split are no change',
    [price('own,100')],
    [price('own,100'), dated('own,100', '2027-01-01', '2027-01-31')],
    [],
  ],
])('%s', (_, before, after, expected) => {
  const other = price('standard,1', 'LEEDS');
  const diff = diffCatalogues(given([other, ...before]), given([other, ...after]), null);
  expect(summariesByDay(diff.prices).map(({ days, count }) => [days, count])).toEqual(expected);
  expect(isNoChange(diff)).toBe(expected.length === 0);
});

it('summarises changes on many days together', () => {
  const rows = Array.from({ length: 20 }, (_, i) => addDays('2027-01-01', 2 * i));
  const after = [price('own,1'), ...rows.map((day) => dated('own,2', day, day))];
  const diff = diffCatalogues(given([price('own,1')]), given(after), null);
  const summaries = summariesByDay(diff.prices);
  expect([summaries.length, summaries.at(-1)]).toMatchObject([
    12,
    { days: 'on later days', count: 9 },
  ]);
});

it('names twelve periods, and no more', () => {
  const rows = Array.from({ length: 12 }, (_, i) => addDays('2027-01-01', 2 * i));
  const after = [price('own,1'), ...rows.map((day) => dated('own,2', day, day))];
  const summaries = summariesByDay(
    diffCatalogues(given([price('own,1')]), given(after), null).prices,
  );
  expect(summaries.map(({ days }) => days)).toHaveLength(12);
  expect(summaries.at(-1)!.days).toBe('23 January 2027, then back');
});

describe('price changes', () => {
  const rowsOf = (...rows: string[]) =>
    contentOf(givenFiles({ prices: rows.map((row) => `INT-1G-12,${row}`) })).prices;
  const before = rowsOf(
    ...['SMALL,,100,GBP,10,50,', 'LARGE,,100,GBP,10,0,', 'TINY,,100,GBP,10,,', 'GONE,,1,GBP,1,,'],
    ...['FREE,,0,GBP,10,40,', 'DAYS,,100,GBP,10,40,'],
  );
  const after = rowsOf(
    ...['SMALL,,105,GBP,20,55,', 'LARGE,,50,GBP,10,10,', 'TINY,,100.50,GBP,9,9,', 'NEW,,1,GBP,1,,'],
    ...['FREE,,1,GBP,10,20,', 'DAYS,,100,GBP,13,40,'],
  );
  const { prices, setupPrices, leadTimes } = diffPrices(before, after);
  const listed = (changes: readonly PriceChange[]) =>
    changes.map(({ zone, percent }) => `${zone} ${percent}`);

  it('are listed from the largest, new and removed ones last', () => {
    expect(listed(prices)).toEqual([
      ...['LARGE -50', 'SMALL 5', 'TINY 0.5', 'FREE null', 'NEW null', 'GONE null'],
    ]);
  });

  it('of set-up prices are in per cent of these, where there is one to compare', () => {
    expect(listed(setupPrices)).toEqual(['FREE -50', 'SMALL 10', 'LARGE null', 'TINY null']);
  });

  it('of lead times are listed by days, with the change of the price', () => {
    expect(listed(leadTimes)).toEqual(['SMALL 5', 'DAYS 0', 'TINY 0.5']);
  });

  it('have no percentage between currencies', () => {
    const [euros] = rowsOf('SMALL,,105,EUR,20,55,');
    const [pounds] = before.filter(({ zone }) => zone === 'SMALL');
    expect(listed(diffPrices([pounds!], [euros!]).prices)).toEqual(['SMALL null']);
  });
});

test.each([
  [[], null, null, null],
  [[null], null, null, null],
  [[7], 7, 7, 7],
  [[9, -1, 2], -1, 2, 9],
  [[10, 4, null, 2, 1], 1, 3, 10],
])(
  'a summary of changes by %j %% has the least, the median and the most',
  (percents, ...figures) => {
    const changes = percents.map((percent) => ({ percent, before: {}, after: {} }) as PriceChange);
    const { count, added, removed, least, median, most } = summaryOf(changes);
    expect([count, added, removed]).toEqual([percents.length, 0, 0]);
    expect([least, median, most]).toEqual(figures);
  },
);

it('lists on each day what a comparison of that day lists', () => {
  const dayOf = (n: number) => addDays('2027-03-25', n);
  const list = fc.constantFrom('standard', 'gold', 'own');
  const spans = fc.uniqueArray(
    fc.record({
      list,
      slot: fc.integer({ min: 0, max: 4 }),
      amount: fc.integer({ min: 1, max: 3 }),
    }),
    { selector: (row) => `${row.list} ${row.slot}`, maxLength: 8 },
  );
  // Slot 0 is without dates, the others are of three days each.
  const contentFrom = (rows: { list: string; slot: number; amount: number }[]) =>
    given(
      rows.map(({ list: of, slot, amount }) =>
        slot === 0
          ? price(`${of},${amount}00`)
          : dated(`${of},${amount}00`, dayOf(3 * slot - 3), dayOf(3 * slot - 1)),
      ),
    );
  fc.assert(
    fc.property(spans, spans, (old, fresh) => {
      const [before, after] = [contentFrom(old), contentFrom(fresh)];
      const all = diffPricesByDay(before, after).prices;
      for (let n = -1; n <= 12; n++) {
        const day = dayOf(n);
        const plain = ({ productCode, priceList, before: was, after: is }: (typeof all)[number]) =>
          [productCode, priceList, was?.amountMinor, is?.amountMinor].join(' ');
        const applies = ({ validFrom, validUntil }: PriceRow) =>
          isWithin(day, validFrom, validUntil);
        const on = (content: CatalogueContent) => effectivePrices(onDay(content, day));
        expect(
          all
            .filter((one) => applies((one.after ?? one.before)!))
            .map(plain)
            .sort(),
        ).toEqual(diffPrices(on(before), on(after)).prices.map(plain).sort());
      }
    }),
    { numRuns: 60 },
  );
});
