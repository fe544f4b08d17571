import { describe, expect, it } from '@jest/globals';
import type { CatalogueFile } from '../catalogue-files.js';
import { diffCatalogues } from '../diff.js';
import { contentOf, givenFiles } from '../../../../test/support/catalogue-files.given.js';
import type { CatalogueContent } from '../catalogue.js';
import { brokenRails } from './guard-rails.js';

type Rows = Partial<Record<CatalogueFile, string[]>>;

const NOW = Date.parse('2026-11-30T12:00:00Z');

const base = {
  products: ['A,Gig,1,10,12', 'B,Ten,10,10,12'],
  prices: ['A,Z,,100,GBP,10', 'B,Z,,200,GBP,10'],
  coverage: ['AA', 'AB', 'AD', 'AE', 'AF', 'AG', 'AH', 'AJ', 'AL', 'AN'].map(
    (end) => `N1 1${end},Z`,
  ),
};

function railsOf(after: Rows) {
  const [a, b] = [base, { ...base, ...after }].map((rows) => contentOf(givenFiles(rows)));
  return brokenRails(a!, b!, diffCatalogues(a!, b!, null), NOW);
}

it.each<[string, Rows, string[]]>([
  ['nothing changes', {}, []],
  ['a tenth of the units is lost', { coverage: base.coverage.slice(1) }, []],
  ['more than a tenth is lost', { coverage: base.coverage.slice(2) }, ['coverage-lost']],
  ['a price rises by 30 %', { prices: ['A,Z,,130,GBP,10', base.prices[1]!] }, []],
  ['a price rises by more', { prices: ['A,Z,,130.01,GBP,10', base.prices[1]!] }, ['price-moved']],
  ['a price falls by more', { prices: ['A,Z,,69.99,GBP,10', base.prices[1]!] }, ['price-moved']],
  ['a currency changes', { prices: ['A,Z,,100,EUR,10', base.prices[1]!] }, ['price-moved']],
  [
    'a set-up price is stated for the first time',
    { prices: ['A,Z,,100,GBP,10,90', base.prices[1]!] },
    [],
  ],
  ['a product has no price left', { prices: [base.prices[0]!] }, ['product-lost']],
  [
    'a product is only priced where nothing is covered',
    { prices: [base.prices[0]!, 'B,Y,,200,GBP,10'] },
    ['product-lost'],
  ],
  ['a zone has no price', { coverage: [...base.coverage, 'N1 1AP,Y'] }, ['zone-without-prices']],
])('where %s, these rails break', (_, after, expected) => {
  expect(railsOf(after).map(({ rail }) => rail)).toEqual(expected);
});

it.each<[from: string, to: string, broken: boolean]>([
  ['100', '130', false],
  ['100', '130.01', true],
  ['100', '69', true],
  ['0', '1', true],
  ['0', '0', false],
  ['100', '', false],
])('a set-up price that moves from "%s" to "%s" breaks a rail: %j', (from, to, broken) => {
  const [a, b] = [from, to].map((setup) =>
    contentOf(givenFiles({ ...base, prices: [`A,Z,,100,GBP,10,${setup}`, base.prices[1]!] })),
  );
  expect(brokenRails(a!, b!, diffCatalogues(a!, b!, null), NOW)).toEqual(
    broken ? [expect.objectContaining({ rail: 'setup-price-moved' })] : [],
  );
});

it('can be switched off, except for a price in another currency', () => {
  const after = { coverage: [], prices: ['A,Z,,100000,GBP,10'] };
  expect(railsOf(after).map(({ rail }) => rail)).toEqual([
    'coverage-lost',
    'price-moved',
    'product-lost',
  ]);
});

it('reports the loss of each level, and the biggest price change', () => {
  const after = { coverage: base.coverage.slice(5), prices: ['A,Z,,150,GBP,1', 'B,Z,,100,GBP,1'] };
  expect(railsOf(after).map(({ detail }) => detail)).toEqual([
    '5 of 10 covered postcodes (50.0 %) would be lost; the limit is 10 %.',
    '2 prices move by more than 30 %, most of all A in Z (standard): +50.0 %.',
  ]);
});

const listing = (...premises: string[]) => contentOf(givenFiles({ ...base, premises }));
const lossesOf = (before: CatalogueContent, after: CatalogueContent) =>
  brokenRails(before, after, diffCatalogues(before, after, null), NOW);

it('reports no loss when premises are excluded that were not listed before', () => {
  expect(lossesOf(listing(), listing('1,N1 1AA,Dark House,-'))).toEqual([]);
  const [listed, more] = [['1,N1 1AA,,Z'], ['2,N1 1AA,,-', '3,N1 1AA,,-']];
  expect(lossesOf(listing(...listed), listing(...listed, ...more))).toEqual([]);
});

it('reports the loss of premises that were listed and sold before', () => {
  const rows = (excluded: number) =>
    Array.from({ length: 10 }, (_, i) => `${i + 1},N1 1AA,,${i < excluded ? '-' : 'Z'}`);
  expect(lossesOf(listing(...rows(0)), listing(...rows(1)))).toEqual([]);
  expect(lossesOf(listing(...rows(1)), listing(...rows(4)))).toEqual([
    {
      rail: 'coverage-lost',
      detail: '3 of 9 listed premises (33.3 %) would be lost; the limit is 10 %.',
    },
  ]);
});

it('counts premises of postponed zones, also where nothing else is covered', () => {
  const only = { ...base, coverage: [], premises: ['1,N1 1AA,,Z', '2,N1 1AA,,Z'] };
  const [before, after] = [[], ['Z,,,2027-01-15,']].map((zones) =>
    contentOf(givenFiles({ ...only, zones })),
  );
  expect(lossesOf(before!, after!)).toEqual([
    {
      rail: 'sales-postponed',
      detail:
        'Z would not sell, because of a ready date or an end date: 2 of 2 covered places (100.0 %); the limit is 10 %.',
    },
  ]);
});

it('also checks the first catalogue', () => {
  const first = contentOf(givenFiles({ ...base, coverage: ['N1,Y'] }));
  expect(brokenRails(null, first, null, NOW)).toEqual([
    { rail: 'zone-without-prices', detail: 'Y has coverage but no price.' },
  ]);
});

it.each([
  ['is postponed from now on', '', '2026-12-01', ['sales-postponed']],
  ['is planned already, and is postponed', '2026-12-01', '2027-01-15', ['sales-postponed']],
  ['is brought forward', '2026-12-01', '', []],
  ['sells since its ready date, and is postponed', '2026-11-30', '2026-12-01', ['sales-postponed']],
  ['has a ready date of today', '', '2026-11-30', []],
])('reports a zone that %s', (_, from, to, rails) => {
  const [a, b] = [from, to].map((day) =>
    contentOf(givenFiles({ ...base, zones: [`Z,,,${day},`] })),
  );
  const broken = brokenRails(a!, b!, diffCatalogues(a!, b!, null), NOW);
  expect(broken.map(({ rail }) => rail)).toEqual(rails);
});

it('reports no postponement of a zone whose places another zone sells from now on', () => {
  const moved = base.coverage.map((row) => row.replace(',Z', ',Y'));
  const prices = [...base.prices, 'A,Y,,100,GBP,10', 'B,Y,,200,GBP,10'];
  expect(railsOf({ coverage: moved, prices, zones: ['Z,,,2027-01-15,'] })).toEqual([]);
});

it('counts the places of postponed zones', () => {
  const after = { zones: ['Z,,,2027-01-15,'] };
  expect(railsOf(after)).toEqual([
    {
      rail: 'sales-postponed',
      detail:
        'Z would not sell, because of a ready date or an end date: 10 of 10 covered places (100.0 %); the limit is 10 %.',
    },
  ]);
});

it('compares the prices of derived lists, too', () => {
  const lists = (percent: number) => ({ priceLists: [`gold,standard,${percent},`] });
  const [a, b] = [lists(-10), lists(-50)].map((rows) =>
    contentOf(givenFiles({ ...base, ...rows })),
  );
  expect(brokenRails(a!, b!, diffCatalogues(a!, b!, null), NOW)).toEqual([
    { rail: 'price-moved', detail: expect.stringContaining('2 prices move by more than 30 %') },
  ]);
});

describe('a list without its own price', () => {
  const gold = (amount: number, terms = '10') => ({
    prices: [...base.prices, `A,Z,gold,${amount},GBP,${terms}`],
  });
  const derived = (percent: number) => ({ priceLists: [`gold,standard,${percent},`] });
  const free = { prices: ['A,Z,,0,GBP,10', base.prices[1]!] };

  it.each<[string, Rows, Rows, string | null]>([
    ['a list is derived', {}, derived(-90), '2 prices move by .* A in Z \\(gold\\): -90.0 %'],
    ['a list is derived at little less', {}, derived(-30), null],
    ['a list is removed', derived(-50), {}, '2 prices move by .* A in Z \\(gold\\): \\+100.0 %'],
    ['a row is added', {}, gold(9), '1 price moves by .* A in Z \\(gold\\): -91.0 %'],
    ['a row with the standard price is added', {}, gold(100), null],
    ['a row is removed', gold(50), {}, '1 price moves by .* A in Z \\(gold\\): \\+100.0 %'],
    ['a row replaces the standard price of nothing', free, gold(9), 'from nothing'],
    [
      'a row is removed, and the standard price moves further',
      gold(50),
      { prices: ['A,Z,,400,GBP,10', base.prices[1]!] },
      '2 prices move by .* A in Z \\(gold\\): \\+700.0 %',
    ],
    ['a row has no standard price', {}, { prices: [...base.prices, 'A,Y,gold,9,GBP,10'] }, null],
  ])('has the standard one before or after, where %s', (_, before, after, expected) => {
    const [a, b] = [before, after].map((rows) => contentOf(givenFiles({ ...base, ...rows })));
    expect(lossesOf(a!, b!)).toEqual(
      expected === null
        ? []
        : [{ rail: 'price-moved', detail: expect.stringMatching(new RegExp(expected)) }],
    );
  });

  it('also has the standard set-up price', () => {
    const stated = ['A,Z,,100,GBP,10,50', base.prices[1]!];
    const [a, b] = [stated, [...stated, 'A,Z,gold,100,GBP,10,90']].map((prices) =>
      contentOf(givenFiles({ ...base, prices })),
    );
    expect(lossesOf(a!, b!)).toEqual([
      { rail: 'setup-price-moved', detail: expect.stringContaining('A in Z (gold): +80.0 %') },
    ]);
    expect(
      lossesOf(
        contentOf(givenFiles({ ...base, prices: base.prices })),
        contentOf(givenFiles({ ...base, ...gold(100, '10,90') })),
      ),
    ).toEqual([]);
  });
});

describe('the days on which a date changes something', () => {
  const [price, other] = base.prices as [string, string];
  const dated = (amount: number, dates: string) => `A,Z,,${amount},GBP,10,,,,${dates}`;
  const promotion = { prices: [price, other, dated(60, '2027-01-01,2027-01-31')] };

  it.each<[string, Rows, Rows, string, RegExp]>([
    ['a price falls', {}, promotion, 'price-moved', /^From 1 January 2027: 1 price moves .* -40/],
    ['an announced fall is removed', promotion, {}, 'price-moved', /^From 1 January 2027: .*66.7/],
    [
      'the last price of a product ends',
      {},
      { prices: [price, 'B,Z,,200,GBP,10,,,,,2026-12-24'] },
      'product-lost',
      /^From 25 December 2026: B is no longer/,
    ],
    [
      'a product is withdrawn',
      {},
      { products: ['A,Gig,1,10,12', 'B,Ten,10,10,12,,2026-12-24'] },
      'product-lost',
      /^From 25 December 2026: B is no longer/,
    ],
    [
      'a zone ends',
      {},
      { zones: ['Z,,,,,2026-12-24'] },
      'sales-postponed',
      /^From 25 December 2026: Z would not sell/,
    ],
    [
      'the last price in a zone ends',
      {},
      { prices: [price, other].map((row) => `${row},,,,,2026-12-24`) },
      'zone-without-prices',
      /^From 25 December 2026: Z has coverage but no price/,
    ],
  ])('are judged where %s', (_, before, after, rail, detail) => {
    const [a, b] = [before, after].map((rows) => contentOf(givenFiles({ ...base, ...rows })));
    const broken = brokenRails(a!, b!, diffCatalogues(a!, b!, null), NOW);
    expect(broken).toContainEqual({ rail, detail: expect.stringMatching(detail) });
  });

  it('break no rail by what the live version has announced already, nor by what is over', () => {
    const live = contentOf(givenFiles({ ...base, ...promotion }));
    const same = contentOf(
      givenFiles({ ...base, prices: [...promotion.prices, dated(10, '2026-01-01,2026-01-31')] }),
    );
    expect(brokenRails(live, same, diffCatalogues(live, same, null), NOW)).toEqual([]);
  });
});

it.each([
  [{ before: 100, after: 90 }, {}, null],
  [{ before: 100, after: 89 }, {}, /^11 of 100 postcodes with a price by distance \(11\.0 %\)/],
  // Two postcodes are covered now.
  [{ before: 100, after: 88 }, { coverage: [...base.coverage, 'N1 1AP,Z', 'N1 1AQ,Z'] }, null],
  [{ before: 0, after: 0 }, {}, null],
])('where the prices by distance go %j, with %j', (byDistance, rows, expected) => {
  const [a, b] = [base, { ...base, ...rows }].map((one) => contentOf(givenFiles(one)));
  const [rail] = brokenRails(a!, b!, diffCatalogues(a!, b!, null, byDistance), NOW);
  if (expected === null) expect(rail).toBeUndefined();
  else
    expect(rail).toMatchObject({ rail: 'coverage-lost', detail: expect.stringMatching(expected) });
});

it.each([
  ['950', '1235', null],
  ['950', '1235.01', '1 build band moves by more than 30 %, such as * to 100 m: set-up 950.00'],
  ['950', '664.99', '1 build band moves'],
  ['0', '1', '1 build band moves'],
  ['', '950', null],
  ['950', '', null],
])('where a band goes from "%s" to "%s"', (before, after, expected) => {
  const [a, b] = [before, after].map((setup) =>
    contentOf(givenFiles({ ...base, buildBands: [`*,100,${setup},14,indicative,*`] })),
  );
  const rails = brokenRails(a!, b!, diffCatalogues(a!, b!, null), NOW);
  expect(rails.map(({ rail }) => rail)).toEqual(expected === null ? [] : ['build-price-moved']);
  if (expected !== null) expect(rails[0]!.detail).toContain(expected);
});

describe('volume discounts', () => {
  const rows = (...volume: string[]) => ({ ...base, volume });

  it.each<[string, string[], string[], string | null]>([
    [
      'are given',
      [],
      ['*,*,2,95'],
      '1 volume discount moves .* \\* from 2 lines \\(\\*\\): 0 % off before, 95 % after',
    ],
    ['are given at the limit', [], ['*,*,2,30'], null],
    [
      'are taken away',
      ['gold,A,2,25'],
      [],
      '1 volume .* A from 2 lines \\(gold\\): 25 % off before, 0 % after',
    ],
    ['rise', ['*,*,2,5'], ['*,*,2,40'], '1 volume discount moves'],
    ['rise a little', ['*,*,2,5'], ['*,*,2,30'], null],
    ['start at fewer lines', ['*,*,9,40'], ['*,*,5,40'], '1 volume .* from 5 lines'],
    ['are given twice', ['*,*,2,40'], ['*,*,2,40', '*,B,2,40'], null],
    [
      'are split by product',
      ['*,*,2,40'],
      ['*,A,2,40', '*,B,2,40'],
      '1 volume .* \\* from 2 lines',
    ],
    [
      'of a list replace those of all lists',
      ['*,*,2,40'],
      ['*,*,2,40', 'gold,A,2,40'],
      '1 volume .* \\* from 2 lines \\(gold\\): 40 % off before, 0 % after',
    ],
  ])('break a rail where they %s, by the price of a line', (_, before, after, expected) => {
    const [a, b] = [before, after].map((volume) => contentOf(givenFiles(rows(...volume))));
    const broken = lossesOf(a!, b!);
    expect(broken.map(({ rail }) => rail)).toEqual(expected === null ? [] : ['discount-moved']);
    if (expected !== null) expect(broken[0]!.detail).toMatch(new RegExp(expected));
  });
});
