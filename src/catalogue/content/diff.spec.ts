import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { parsePostcode, type Postcode } from '../../kernel/postcode.js';
import { diffCatalogues, isNoChange, postcodeChanges } from './diff.js';
import { diffAsJson, diffInWords, printDiffCsv } from './diff-print.js';
import { contentOf, givenFiles } from '../../../test/support/catalogue-files.given.js';

type Rows = Partial<Record<'products' | 'prices' | 'coverage', string[]>>;

const diffOf = (before: Rows, after: Rows, live: string[] | null = null) =>
  diffCatalogues(
    contentOf(givenFiles(before)),
    contentOf(givenFiles(after)),
    live && Uint32Array.from(live, (text) => (parsePostcode(text) as Postcode).packed).sort(),
  );

const units = ['EC2A 2BS', 'EC2A 2BT', 'EC2A 3AA', 'E1 6AN', 'N1 9GU'];
const places = [...units, 'EC2A 2', 'EC2A', 'EC2', 'EC', 'E1 6', 'E1', 'E', 'N1'];
const coverage = fc
  .uniqueArray(
    fc.record({ place: fc.constantFrom(...places), zone: fc.constantFrom('-', 'A', 'B') }),
    {
      selector: ({ place }) => place,
    },
  )
  .map((rows) => rows.map(({ place, zone }) => `${place},${zone}`));

describe('coverage', () => {
  it('changes exactly where a look-up of each live postcode says so', () => {
    fc.assert(
      fc.property(coverage, coverage, (before, after) => {
        const [a, b] = [{ coverage: before }, { coverage: after }].map(
          (rows) => contentOf(givenFiles(rows)).coverage,
        );
        const zoneIn = (index: typeof a, text: string) => {
          const zone = index!.find((parsePostcode(text) as Postcode).packed)?.zone ?? '-';
          return zone === '-' ? null : zone;
        };
        const expected = units.toSorted().flatMap((place) => {
          const [from, to] = [zoneIn(a, place), zoneIn(b, place)];
          if (from === to) return [];
          const change = from === null ? 'gained' : to === null ? 'lost' : 'moved';
          return [{ level: 'unit', place, change, from, to }];
        });
        const diff = diffOf({ coverage: before }, { coverage: after }, units);
        expect([...postcodeChanges(diff.postcodes.changes)]).toEqual(expected);
        const covered = (index: typeof a) => units.filter((unit) => zoneIn(index, unit)).length;
        expect([diff.postcodes.covered, diff.postcodes.coveredAfter]).toEqual([
          covered(a),
          covered(b),
        ]);
        const { gained, lost, moved } = diff.postcodes.counts;
        expect(gained + lost + moved).toBe(expected.length);
      }),
      { numRuns: 40 },
    );
  });

  it('that says the same by other rows is no change', () => {
    const diff = diffOf(
      { coverage: ['EC2A,A', 'EC,A', 'N1,-'] },
      { coverage: ['EC2A 2BS,A', 'EC,A'] },
    );
    expect([isNoChange(diff), diffInWords(diff)]).toEqual([
      true,
      'No change: every answer stays as it is.\n',
    ]);
  });

  test('without the register whole places are listed, and only rows of units are counted', () => {
    const diff = diffOf(
      { coverage: ['EC,A', 'N1,A', 'E1 6AN,A'] },
      { coverage: ['EC,B', 'E1 6AN,B'] },
    );
    expect([diff.postcodes.counts, diff.places.counts, diff.places.lost]).toEqual([
      { gained: 0, lost: 0, moved: 1 },
      { gained: 0, lost: 1, moved: 1 },
      { district: 1 },
    ]);
    expect(diff.places.changes.map(({ place, change }) => [place, change])).toEqual([
      ['EC', 'moved'],
      ['N1', 'lost'],
    ]);
  });
});

describe('prices', () => {
  const before = ['INT-1G-12,A,,100,GBP,10', 'INT-1G-12,B,,100,GBP,10', 'INT-1G-12,C,,100,GBP,10'];

  it('come biggest move first, then those that came and went', () => {
    const after = ['INT-1G-12,A,,110,GBP,10', 'INT-1G-12,B,,50,GBP,40', 'INT-1G-12,D,,1,GBP,1'];
    const { prices, leadTimes } = diffOf({ prices: before }, { prices: after });
    expect(prices.map(({ zone, percent }) => [zone, percent])).toEqual([
      ['B', -50],
      ['A', 10],
      ['D', null],
      ['C', null],
    ]);
    expect(leadTimes.map(({ zone }) => zone)).toEqual(['B']);
  });

  it.each([
    ['100', 'GBP', '100', 'USD', null],
    ['0', 'GBP', '5', 'GBP', null],
    ['5', 'GBP', '0', 'GBP', -100],
  ])('of %s %s that become %s %s move by %s', (from, a, to, b, percent) => {
    const row = (amount: string, currency: string) => ({
      prices: [`INT-1G-12,A,,${amount},${currency},1`],
    });
    expect(diffOf(row(from, a), row(to, b)).prices[0]?.percent).toBe(percent);
  });
});

test('products are added, removed and changed', () => {
  const { products } = diffOf(
    { products: ['A,Old,1,10,12', 'B,Same,1,10,12', 'C,Gone,1,10,12'], prices: [] },
    { products: ['A,New,1,10,12', 'B,Same,1,10,12', 'D,Fresh,1,10,12'], prices: [] },
  );
  const codes = [products.added, products.removed, products.changed];
  expect(codes.map((list) => list.map(({ code }) => code))).toEqual([['D'], ['C'], ['A']]);
});

test('the same diff is told in words, as CSV and as JSON', () => {
  const diff = diffOf(
    { products: ['A,Old,1,10,12'], prices: ['A,Z,,100,GBP,10'], coverage: ['EC,Z', 'N1 9GU,Z'] },
    { products: ['A,New,1,10,12'], prices: ['A,Z,,150,GBP,20'], coverage: ['EC,-'] },
  );
  expect(diffInWords(diff)).toBe(
    `Postcodes: 0 gained, 1 lost, 0 moved to another zone.
  area N: 0 gained, 1 lost, 0 moved to another zone
  N1 9GU: lost, Z
Whole places: 0 gained, 1 lost, 0 moved to another zone, with every postcode in them that has no row of its own.
  area EC: lost, Z
Products: 0 added, 0 removed, 1 changed.
  ~ A  name Old → New
Prices: 1 changed, biggest moves first.
  A in Z (standard): 100.00 GBP → 150.00 GBP, +50.0 %
Lead times: 1 changed.
  A in Z (standard): 10 → 20 days
`,
  );
  expect([...printDiffCsv(diff)].join('')).toBe(
    `what,change,subject,zone,price_list,before,after
postcode,lost,N1 9GU,,,Z,
area,lost,EC,,,Z,
product,changed,A,,,Old; 1/10 Gbit/s; 12 months,New; 1/10 Gbit/s; 12 months
price,changed,A,Z,standard,100.00 GBP,150.00 GBP
lead_time_days,changed,A,Z,standard,10,20
`,
  );
  expect(diffAsJson(diff)).toMatchObject({
    noChange: false,
    postcodes: { lost: 1, coveredBefore: 1, coveredAfter: 0 },
    places: { lost: 1 },
    prices: { count: 1, list: [{ percent: 50 }] },
  });
});

test('of long lists the rest is counted', () => {
  const rows = ['AA', 'AB', 'AD', 'AE'].map((end) => `EC2A 2${end},Z`);
  const words = diffInWords(diffOf({ coverage: [] }, { coverage: rows }), 3);
  expect(words).toContain('… and 1 more');
});
