import { expect, it } from '@jest/globals';
import { diffCatalogues } from './diff.js';
import { contentOf, givenFiles } from '../../../test/support/catalogue-files.given.js';
import { brokenRails, type RailSettings } from './guard-rails.js';

type Rows = Partial<Record<'products' | 'prices' | 'coverage', string[]>>;

const settings: RailSettings = {
  coverageLostPercent: 10,
  priceMovedPercent: 30,
  productLost: true,
  zoneWithoutPrices: true,
};
const none: RailSettings = {
  coverageLostPercent: 100,
  priceMovedPercent: 1_000_000,
  productLost: false,
  zoneWithoutPrices: false,
};

const base: Required<Rows> = {
  products: ['A,Gig,1,10,12', 'B,Ten,10,10,12'],
  prices: ['A,Z,,100,GBP,10', 'B,Z,,200,GBP,10'],
  coverage: ['AA', 'AB', 'AD', 'AE', 'AF', 'AG', 'AH', 'AJ', 'AL', 'AN'].map(
    (end) => `N1 1${end},Z`,
  ),
};

function railsOf(after: Rows, with_ = settings) {
  const [a, b] = [base, { ...base, ...after }].map((rows) => contentOf(givenFiles(rows)));
  return brokenRails(a!, b!, diffCatalogues(a!, b!, null), with_);
}

it.each<[string, Rows, string[]]>([
  ['nothing changes', {}, []],
  ['a tenth of the units is lost', { coverage: base.coverage.slice(1) }, []],
  ['more than a tenth is lost', { coverage: base.coverage.slice(2) }, ['coverage-lost']],
  ['a price rises by 30 %', { prices: ['A,Z,,130,GBP,10', base.prices[1]!] }, []],
  ['a price rises by more', { prices: ['A,Z,,130.01,GBP,10', base.prices[1]!] }, ['price-moved']],
  ['a price falls by more', { prices: ['A,Z,,69.99,GBP,10', base.prices[1]!] }, ['price-moved']],
  ['a currency changes', { prices: ['A,Z,,100,EUR,10', base.prices[1]!] }, ['price-moved']],
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

it('can be switched off, but for a price in another currency, which no percentage describes', () => {
  const after = { coverage: [], prices: ['A,Z,,100000,GBP,10'] };
  expect(railsOf(after).map(({ rail }) => rail)).toEqual([
    'coverage-lost',
    'price-moved',
    'product-lost',
  ]);
  expect(railsOf(after, none)).toEqual([]);
});

it('says how much is lost of which level, and the biggest move', () => {
  const after = { coverage: base.coverage.slice(5), prices: ['A,Z,,150,GBP,1', 'B,Z,,100,GBP,1'] };
  expect(railsOf(after).map(({ detail }) => detail)).toEqual([
    '5 of 10 covered postcodes (50.0 %) would be lost; the limit is 10 %.',
    '2 prices move by more than 30 %, most of all A in Z (standard): +50.0 %.',
  ]);
});

it('looks at a first catalogue too', () => {
  const first = contentOf(givenFiles({ ...base, coverage: ['N1,Y'] }));
  expect(brokenRails(null, first, null, settings)).toEqual([
    { rail: 'zone-without-prices', detail: 'Y has coverage but no price.' },
  ]);
});
