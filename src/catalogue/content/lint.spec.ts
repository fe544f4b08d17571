import { expect, it, test } from '@jest/globals';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { contentOf, givenFiles } from '../../../test/support/catalogue-files.given.js';
import type { CatalogueFile } from './catalogue-files.js';
import type { BookTexts } from './files/book-reader.js';
import { lintCatalogue, lintInWords, newWarnings } from './lint.js';
import { parseCatalogueFiles } from './files/csv-reader.js';

type Rows = Partial<Record<CatalogueFile, string[]>>;

const base = {
  products: ['A-12,1G Internet on a 10G bearer,1,10,12'],
  prices: ['A-12,Z,,100,GBP,10'],
  coverage: ['N1,Z'],
};

function packed(...texts: string[]): Uint32Array {
  return Uint32Array.from(texts, (text) => (parsePostcode(text) as Postcode).packed).sort();
}

function found(rows: Rows, register?: { live: string[]; terminated: string[] }) {
  const known = register && {
    live: packed(...register.live),
    terminated: packed(...register.terminated),
  };
  const warnings = lintCatalogue(contentOf(givenFiles({ ...base, ...rows })), known ?? null);
  return Object.fromEntries(warnings.map(({ rule, examples }) => [rule, examples]));
}

const longer = [...base.products, 'A-36,1G Internet on a 10G bearer,1,10,36'];
const wider = [...base.products, 'B-12,2G Internet on a 10G bearer,2,10,12'];
const other = [...base.products, 'E-12,2G Ethernet on a 10G bearer,2,10,12'];

it.each<[string, Rows, Record<string, string[]>]>([
  ['nothing', {}, {}],
  [
    'a row that says what the place around it says',
    { coverage: ['N1,Z', 'N1 9GU,Z', 'N1 9,Z', 'N1 8AA,-'] },
    {
      'redundant-row': [
        'sector N1 9: Z, like the larger place around it',
        'unit N1 9GU: Z, like the larger place around it',
      ],
    },
  ],
  [
    'a row inside an excluded place',
    { coverage: ['N1,-', 'N1 9GU,Z', 'N,Z'] },
    { 'inside-excluded': ['unit N1 9GU: Z, though the place around it is excluded'] },
  ],
  [
    'a subdistrict in its district',
    { coverage: ['EC2,Z', 'EC2A,Z', 'EC2A 2,Z', 'E1 6,Z'] },
    {
      'redundant-row': [
        'subdistrict EC2A: Z, like the larger place around it',
        'sector EC2A 2: Z, like the larger place around it',
      ],
    },
  ],
  [
    'a firm price where the network needs building',
    { zones: ['Z,,onNetWithBuild,,'] },
    { 'firm-with-build': ['A-12 in Z (standard)'] },
  ],
  ['a firm price where nothing needs building', { zones: ['Z,,offNetWithoutBuild,,'] }, {}],
  [
    'a price that is not firm where the network needs building',
    { zones: ['Z,,offNetWithBuild,,'], prices: ['A-12,Z,,100,GBP,10,,subjectToSurvey'] },
    {},
  ],
  [
    'a row of zones.csv whose zone covers nothing',
    { zones: ['Y,,,,'] },
    { 'zone-without-coverage': ['Y'] },
  ],
  [
    'a longer term that is dearer than a derived price on the same list',
    {
      products: longer,
      prices: [...base.prices, 'A-36,Z,,99,GBP,10', 'A-36,Z,gold,101,GBP,10'],
      priceLists: ['gold,,0,'],
    },
    { 'longer-term-dearer': ['A-36 costs 101.00, A-12 only 100.00 in Z (gold)'] },
  ],
  ['a product without a price', { products: longer }, { 'product-without-price': ['A-36 in Z'] }],
  [
    'a longer term that is dearer',
    { products: longer, prices: [...base.prices, 'A-36,Z,,101,GBP,10'] },
    { 'longer-term-dearer': ['A-36 costs 101.00, A-12 only 100.00 in Z (standard)'] },
  ],
  [
    'a longer term with a dearer set-up',
    { products: longer, prices: ['A-12,Z,,100,GBP,10,50', 'A-36,Z,,90,GBP,10,51'] },
    { 'longer-term-dearer-setup': ['A-36 costs 51.00, A-12 only 50.00 in Z (standard)'] },
  ],
  [
    'a longer term whose shorter one states no set-up price',
    { products: longer, prices: ['A-12,Z,,100,GBP,10,', 'A-36,Z,,90,GBP,10,51'] },
    {},
  ],
  [
    'a set-up price on an indicative price',
    { prices: ['A-12,Z,,100,GBP,10,50,indicative', 'A-12,Z,gold,90,GBP,10,,indicative'] },
    { 'setup-on-indicative': ['A-12 in Z (standard)'] },
  ],
  [
    'a longer term that costs the same',
    { products: longer, prices: [...base.prices, 'A-36,Z,,100,GBP,10'] },
    {},
  ],
  [
    'more bandwidth for less',
    { products: wider, prices: [...base.prices, 'B-12,Z,,99,GBP,10'] },
    { 'more-bandwidth-cheaper': ['A-12 costs 100.00, B-12 only 99.00 in Z (standard)'] },
  ],
  [
    'another service for less',
    { products: other, prices: [...base.prices, 'E-12,Z,,99,GBP,10'] },
    {},
  ],
  [
    'a lead time of 0',
    { prices: ['A-12,Z,,100,GBP,0'] },
    { 'no-lead-time': ['A-12 in Z (standard)'] },
  ],
  [
    'a zone that covers nothing',
    { prices: [...base.prices, 'A-12,Y,,1,GBP,1'] },
    { 'zone-without-coverage': ['Y'] },
  ],
])('finds %s', (_, rows, expected) => {
  expect(found(rows)).toEqual(expected);
});

test('with the register it finds terminated and new postcodes', () => {
  const coverage = ['N1 9GU,Z', 'N1 9GX,Z', 'E1 6AN,-'];
  const register = {
    live: ['N1 9GU', 'N1 9GY', 'N1 8AA', 'E1 6AP'],
    terminated: ['N1 9GX', 'E1 6AN', 'N1 7AA'],
  };
  expect(found({ coverage }, register)).toEqual({
    'terminated-postcode': ['N1 9GX'],
    'new-postcode': ['N1 9GY'],
  });
});

test('rules can be switched off, and long findings are cut', () => {
  const content = contentOf(
    givenFiles({ ...base, prices: ['A-12,Z,,100,GBP,0', 'A-12,Y,,1,GBP,1'] }),
  );
  const rules = lintCatalogue(content, null, ['no-lead-time']).map(({ rule }) => rule);
  expect(rules).toEqual(['zone-without-coverage']);
  const warnings = [{ rule: 'no-lead-time' as const, count: 7, examples: ['a', 'b', 'c'] }];
  expect(lintInWords(warnings, 2)).toBe(
    'no-lead-time (7): a lead time is 0 days.\n  a\n  b\n  … and 5 more\n',
  );
});

it('counts only cost books that did not end soon before as new', () => {
  const margins = ['*,*,,25,,0.50,10'];
  const withBooks = (...ends: string[]) => {
    const books = ends.map((validUntil, i): [string, BookTexts[string]] => [
      `s${i}`,
      {
        suppliers: `supplier,label,valid_until\ns${i},Book ${i},${validUntil}\n`,
        costs:
          'product,zone,cost,setup_cost,currency,lead_time_days,basis\nA-12,Z,90,,GBP,20,firm\n',
      },
    ]);
    return parseCatalogueFiles(givenFiles({ ...base, margins }), Object.fromEntries(books))
      .content!;
  };
  const fresh = (before: string[], after: string[]) =>
    newWarnings(withBooks(...before), withBooks(...after), null, [], '2026-11-26').flatMap(
      ({ examples }) => examples,
    );
  expect(fresh(['2026-12-01'], ['2026-12-01'])).toEqual([]);
  expect(fresh(['2026-12-01'], ['2026-12-01', '2026-12-02'])).toEqual([
    'Book 1 (s1), last day 2026-12-02',
  ]);
});
