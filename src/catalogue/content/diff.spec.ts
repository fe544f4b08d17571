import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { diffCatalogues, isNoChange, postcodeChanges } from './diff.js';
import { changedByBoth, diffAsJson, diffInWords, printDiffCsv } from './change-lists.js';
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
  it('changes exactly where a check of each live postcode changes', () => {
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

  it('with other rows of the same effect is no change', () => {
    const diff = diffOf(
      { coverage: ['EC2A,A', 'EC,A', 'N1,-'] },
      { coverage: ['EC2A 2BS,A', 'EC,A'] },
    );
    expect([isNoChange(diff), diffInWords(diff)]).toEqual([
      true,
      'No change: every answer stays the same.\n',
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

  it('list the biggest change first, then added and removed prices', () => {
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

describe('set-up prices and bases', () => {
  const row = (cells: string) => ({ prices: [`INT-1G-12,A,,100,GBP,10,${cells}`] });

  it.each<[from: string, to: string, lists: string[], percent: number | null | undefined]>([
    ['', '120', ['setupPrices'], null],
    ['100', '', ['setupPrices'], null],
    ['0', '', ['setupPrices'], null],
    ['100', '150', ['setupPrices'], 50],
    ['', ',indicative', ['bases'], undefined],
    [',indicative,no', ',indicative', ['bases'], undefined],
    [',indicative,yes', ',indicative', [], undefined],
    ['', ',firm,no', [], undefined],
  ])('from "%s" to "%s" are listed in %j', (from, to, lists, percent) => {
    const diff = diffOf(row(from), row(to));
    const all = ['prices', 'leadTimes', 'setupPrices', 'bases'] as const;
    expect(all.filter((list) => diff[list].length > 0)).toEqual(lists);
    expect([diff.setupPrices[0]?.percent, isNoChange(diff)]).toEqual([percent, lists.length === 0]);
  });

  it('of a currency that changes are listed only where they are stated', () => {
    const prices = (currency: string, setup: string) => ({
      prices: [`INT-1G-12,A,,100,${currency},10,${setup}`],
    });
    const changes = ['', '0'].map((setup) => diffOf(prices('GBP', setup), prices('EUR', setup)));
    expect(changes.map(({ setupPrices }) => setupPrices.length)).toEqual([0, 1]);
  });

  it('are printed in words', () => {
    expect(diffInWords(diffOf(row('100'), row('150,subjectToSurvey,no')))).toBe(
      'Set-up prices: 1 changed.\n' +
        '  INT-1G-12 in A (standard): 100.00 GBP → 150.00 GBP, +50.0 %\n' +
        'Bases: 1 changed.\n' +
        '  INT-1G-12 in A (standard): firm → subjectToSurvey, no extra charges\n',
    );
  });
});

test('products are added, removed and changed', () => {
  const { rows } = diffOf(
    { products: ['A,Old,1,10,12', 'B,Same,1,10,12', 'C,Gone,1,10,12'], prices: [] },
    { products: ['A,New,1,10,12', 'B,Same,1,10,12', 'D,Fresh,1,10,12'], prices: [] },
  );
  const codes = rows.products.map(({ before, after }) => [before?.code, after?.code]);
  expect(codes).toEqual([
    ['A', 'A'],
    [undefined, 'D'],
    ['C', undefined],
  ]);
});

test('the same diff is printed as text, CSV and JSON', () => {
  const diff = diffOf(
    { products: ['A,Old,1,10,12'], prices: ['A,Z,,100,GBP,10'], coverage: ['EC,Z', 'N1 9GU,Z'] },
    { products: ['A,New,1,10,12'], prices: ['A,Z,,150,GBP,20'], coverage: ['EC,-'] },
  );
  expect(diffInWords(diff)).toBe(
    `Postcodes: 1 lost.
  area N: 1 lost
  postcode N1 9GU: lost, Z
Places (sectors to areas): 1 lost, with every postcode in them that has no row itself.
  area EC: lost, Z
Products: 1 changed.
  product A: Old → New
Prices: 1 changed.
  A in Z (standard): 100.00 GBP → 150.00 GBP, +50.0 %
Lead times: 1 changed.
  A in Z (standard): 10 days → 20 days
`,
  );
  expect([...printDiffCsv(diff)].join('')).toBe(
    `what,change,subject,zone,price_list,before,after,dates
postcode,lost,N1 9GU,,,Z,,
area,lost,EC,,,Z,,
product,changed,A,,,Old,New,
price,changed,A,Z,standard,100.00 GBP,150.00 GBP,
lead_time_days,changed,A,Z,standard,10,20,
`,
  );
  const { lists, ...totals } = diffAsJson(diff, true);
  expect([totals, lists.filter(({ count }) => count > 0)]).toEqual([
    {
      noChange: false,
      register: false,
      coveredBefore: 1,
      byDistanceBefore: 0,
      byDistanceAfter: 0,
      borderPostcodes: 0,
      coveredAfter: 0,
      byArea: [{ area: 'N', gained: 0, lost: 1, moved: 0 }],
    },
    [
      expect.objectContaining({ name: 'postcodes', kinds: [{ change: 'lost', count: 1 }] }),
      expect.objectContaining({ name: 'places', kinds: [{ change: 'lost', count: 1 }] }),
      expect.objectContaining({ name: 'products', count: 1 }),
      {
        name: 'prices',
        heading: 'Prices',
        count: 1,
        kinds: [{ change: 'changed', count: 1 }],
        periods: [],
        changes: [
          {
            what: 'price',
            change: 'changed',
            subject: 'A',
            zone: 'Z',
            priceList: 'standard',
            dates: '',
            before: '100.00 GBP',
            after: '150.00 GBP',
            percent: 50,
          },
        ],
      },
      expect.objectContaining({ name: 'leadTimes', heading: 'Lead times' }),
    ],
  ]);
});

test('of long lists the rest is counted', () => {
  const rows = ['AA', 'AB', 'AD', 'AE'].map((end) => `EC2A 2${end},Z`);
  const words = diffInWords(diffOf({ coverage: [] }, { coverage: rows }), 3);
  expect(words).toContain('… and 1 more');
});

describe('rows of zones.csv and price_lists.csv', () => {
  const rows = (zones: string[], priceLists: string[]) =>
    contentOf(givenFiles({ zones, priceLists }));
  const diff = diffCatalogues(
    rows(['UK,,,,', 'LONDON-ONNET,Lit,onNetWithBuild,,'], ['gold,,-10,']),
    rows(['UK,,,2026-12-01,Ducts'], ['gold,,-12,0.5', 'best,gold,-1,']),
    null,
  );

  it('are listed with what changes in them, before the prices that they change', () => {
    expect(diffInWords(diff)).toBe(
      `Zones: 1 removed, 1 changed.
  zone UK: none → ready_date 2026-12-01; note Ducts
  zone LONDON-ONNET: removed, label Lit; network onNetWithBuild
Derived price lists: 1 added, 1 changed.
  price list best: added, based_on gold; percent -1
  price list gold: percent -10 → percent -12; round_to 0.5
Prices: 2 added, 2 changed.
  INT-1G-12 in LONDON-ONNET (gold): 495.00 GBP → 484.00 GBP, -2.2 %
  INT-100M-36 in UK (gold): 179.99 GBP → 176.00 GBP, -2.2 %
  INT-100M-36 in UK (best): added, 174.24 GBP
  INT-1G-12 in LONDON-ONNET (best): added, 479.16 GBP
`,
    );
  });

  it('are in the CSV file', () => {
    const csv = [...printDiffCsv(diff)].join('');
    expect(csv).toContain('zone,changed,UK,,,,ready_date 2026-12-01; note Ducts,\n');
    expect(csv).toContain('price_list,added,best,,,,based_on gold; percent -1,\n');
  });

  it('make no difference where every price and zone stays the same', () => {
    const prices = ['INT-1G-12,LONDON-ONNET,,550,GBP,84', 'INT-1G-12,LONDON-ONNET,gold,495,GBP,84'];
    const [own, derived] = [
      contentOf(givenFiles({ prices })),
      contentOf(givenFiles({ prices: prices.slice(0, 1), priceLists: ['gold,,-10,'] })),
    ];
    const { prices: changed } = diffCatalogues(own, derived, null);
    expect(changed).toEqual([]);
  });
});

describe('a draft that another version overtook', () => {
  const base: Rows = {
    products: ['P1,Product,1,10,12'],
    prices: ['P1,A,,10,GBP,60'],
    coverage: ['EC2A 2BS,A', 'E1,A'],
  };
  const withPrice = (amount: string) => ({ ...base, prices: [`P1,A,,${amount},GBP,60`] });
  const undone = (live: Rows, draft: Rows) =>
    changedByBoth(diffOf(base, live), diffOf(live, draft));

  it.each<[words: string, live: Rows, draft: Rows, count: number]>([
    ['has no row of it to undo', base, withPrice('20'), 0],
    ['would undo its price', withPrice('20'), base, 1],
    ['would undo its price with another', withPrice('20'), withPrice('30'), 1],
    ['has its price, too', withPrice('20'), withPrice('20'), 0],
    ['changes another row', withPrice('20'), { ...withPrice('20'), coverage: ['E1,A'] }, 0],
    ['would undo its places', { ...base, coverage: ['EC2A 2BS,A', 'E1,B', 'N1,A'] }, base, 2],
  ])('%s', (_, live, draft, count) => {
    expect(undone(live, draft)).toBe(count);
  });
});
