import { describe, expect, it } from '@jest/globals';
import { effectiveOf } from '../cost-books.js';
import { parseCatalogueFiles } from '../files/csv-reader.js';
import fc from 'fast-check';
import { contentOf, givenFiles, textsOf } from '../../../../test/support/catalogue-files.given.js';
import type { CatalogueContent } from '../catalogue.js';
import { mergeContents } from './merge-contents.js';

/** Rows of a catalogue by their keys. Undefined is no row. */
type Rows = Readonly<Record<string, string | undefined>>;

const products = ['A', 'B', 'C'];
const zones = ['CITY', 'UK', 'NORTH'];
const lists = ['standard', 'gold'];
const places = ['EC2A 2BS', 'EC2A 2', 'EC2A', 'EC2', 'EC', 'N1', 'SW1A 1AA'];
const uprns = ['1', '2', '100023336956'];

const price = fc.option(fc.constantFrom('10.00', '20.00', '30.50'), { nil: undefined });
const rowsOf = (keys: string[], value: fc.Arbitrary<string | undefined>) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, value])));

const rows: fc.Arbitrary<Rows> = fc
  .tuple(
    rowsOf(
      products.flatMap((code) =>
        zones.flatMap((zone) => lists.map((list) => `price ${code} ${zone} ${list}`)),
      ),
      price,
    ),
    rowsOf(
      places.map((place) => `place ${place}`),
      fc.constantFrom(...zones, '-', undefined),
    ),
    rowsOf(
      uprns.map((uprn) => `uprn ${uprn}`),
      fc.constantFrom(
        'EC2A 2BS,Tower,CITY',
        'EC2A 2BS,,UK',
        'N1 9AA,"Shop; flat",-',
        'EC2A 2BS,Tower,,532600,182300',
        undefined,
      ),
    ),
    rowsOf(
      zones.map((zone) => `zone ${zone}`),
      fc.constantFrom('Label', 'Another', undefined),
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as Rows);

function build(all: Rows): CatalogueContent {
  const of = (kind: string) =>
    Object.entries(all).flatMap(([key, value]) =>
      key.startsWith(`${kind} `) && value !== undefined
        ? [[key.slice(kind.length + 1), value] as const]
        : [],
    );
  return contentOf(
    givenFiles({
      products: products.map((code) => `${code},Product ${code},1,1,12`),
      prices: of('price').map(([key, amount]) => `${key.replaceAll(' ', ',')},${amount},GBP,60`),
      coverage: of('place').map(([place, zone]) => `${place},${zone}`),
      premises: of('uprn').map(([uprn, rest]) => `${uprn},${rest}`),
      zones: of('zone').map(([zone, label]) => `${zone},${label},,,`),
    }),
  );
}

/** The merge of rows by their definition, and the keys in conflict. */
function model(before: Rows, mine: Rows, theirs: Rows) {
  const conflicts: string[] = [];
  const merged: Record<string, string | undefined> = {};
  for (const key of Object.keys(before)) {
    const [old, ours, others] = [before[key], mine[key], theirs[key]];
    if (ours !== others && ours !== old && others !== old) conflicts.push(key);
    merged[key] = ours === old ? others : ours;
  }
  return { conflicts, merged };
}

const texts = (content: CatalogueContent | null) => content && textsOf(content);

describe('the merge of two changes of a catalogue', () => {
  it('has the rows of its definition, from either side', () => {
    fc.assert(
      fc.property(rows, rows, rows, (before, mine, theirs) => {
        const [base, ours, others] = [build(before), build(mine), build(theirs)];
        const { conflicts, merged } = model(before, mine, theirs);
        for (const [a, b] of [
          [ours, others],
          [others, ours],
        ] as const) {
          const found = mergeContents(base, a, b);
          expect(found.conflictCount).toBe(conflicts.length);
          expect(texts(found.content)).toEqual(conflicts.length > 0 ? null : texts(build(merged)));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('of rows that do not overlap has both, and counts them', () => {
    const keys = fc.subarray(places.map((place) => `place ${place}`));
    fc.assert(
      fc.property(rows, rows, keys, (before, after, mineKeys) => {
        const [mine, theirs]: Record<string, string | undefined>[] = [{ ...before }, { ...before }];
        for (const key of Object.keys(before)) {
          (mineKeys.includes(key) ? mine : theirs)![key] = after[key];
        }
        const found = mergeContents(build(before), build(mine!), build(theirs!));
        const changes = (side: Rows) =>
          Object.keys(before).filter((key) => side[key] !== before[key]);
        expect(texts(found.content)).toEqual(texts(build(after)));
        expect([found.mine, found.theirs]).toEqual([
          changes(mine!).length,
          changes(theirs!).length,
        ]);
      }),
      { numRuns: 100 },
    );
  });

  it('with an unchanged side is the other side', () => {
    fc.assert(
      fc.property(rows, rows, (one, other) => {
        const [base, changed] = [build(one), build(other)];
        expect(texts(mergeContents(base, changed, base).content)).toEqual(texts(changed));
        expect(texts(mergeContents(base, base, changed).content)).toEqual(texts(changed));
        expect(texts(mergeContents(base, changed, changed).content)).toEqual(texts(changed));
      }),
      { numRuns: 50 },
    );
  });

  it('names rows in conflict with their cells', () => {
    const [before, mine, theirs] = ['10.00', '20.00', '30.00'].map((amount) =>
      contentOf(
        givenFiles({
          products: ['A,Product A,1,1,12'],
          prices: [`A,UK,,${amount},GBP,60`],
          coverage: [`EC,${amount === '10.00' ? 'UK' : `Z${amount.slice(0, 1)}`}`],
          premises: amount === '20.00' ? [] : [`7,EC2A 2BS,Tower ${amount},UK`],
        }),
      ),
    );
    const { content, conflicts, conflictCount } = mergeContents(before!, mine!, theirs!);
    expect([content, conflictCount]).toEqual([null, 3]);
    const cells = (amount: string) => `price ${amount}`;
    expect(conflicts).toEqual([
      {
        file: 'prices.csv',
        row: 'A UK standard',
        before: cells('10.00'),
        mine: cells('20.00'),
        theirs: cells('30.00'),
      },
      { file: 'coverage.csv', row: 'EC', before: 'UK', mine: 'Z2', theirs: 'Z3' },
      {
        file: 'premises.csv',
        row: '7',
        before: 'EC2A 2BS; UK; Tower 10.00',
        mine: null,
        theirs: 'EC2A 2BS; UK; Tower 30.00',
      },
    ]);
  });

  it('refuses a new price of a product that the other side removed', () => {
    const given = (codes: string[], prices: string[], priceLists: string[] = []) =>
      contentOf(
        givenFiles({
          products: codes.map((code) => `${code},Product ${code},1,1,12`),
          prices,
          coverage: ['EC,UK'],
          priceLists,
        }),
      );
    const { conflicts } = mergeContents(
      given(['A', 'B'], ['A,UK,,10,GBP,60']),
      given(['A'], ['A,UK,,10,GBP,60']),
      given(['A', 'B'], ['A,UK,,10,GBP,60', 'B,UK,,20,GBP,60']),
    );
    expect(conflicts).toMatchObject([
      { file: 'prices.csv', row: 'B UK standard', before: null, mine: null },
    ]);
    const price = ['A,UK,,10,GBP,60'];
    const cycle = mergeContents(
      given(['A'], price, ['a,standard,1,', 'b,standard,1,']),
      given(['A'], price, ['a,b,1,', 'b,standard,1,']),
      given(['A'], price, ['a,standard,1,', 'b,a,1,']),
    );
    expect(cycle.conflicts.map(({ row }) => row)).toEqual(['a', 'b']);
  });
});

describe('cost books', () => {
  const book = (cost: string) => ({
    suppliers: 'supplier,label,valid_until\npxc,PXC,2027-03-31\n',
    costs: `product,zone,cost,currency,lead_time_days\nINT-1G-12,UK,${cost},GBP,1\n`,
  });
  const given = (percent: string, cost: string | null) => {
    const margins = cost === null ? [] : [`pxc,*,,${percent},,,`];
    const { content } = parseCatalogueFiles(
      givenFiles({ margins }),
      cost === null ? {} : { pxc: book(cost) },
    );
    return content!;
  };

  it('are merged with margins, row by row', () => {
    const { content, conflicts } = mergeContents(
      given('25', '100.00'),
      given('30', '100.00'),
      given('25', '110.00'),
    );
    expect(conflicts).toEqual([]);
    expect(effectiveOf(content!).prices.find(({ zone }) => zone === 'pxc:UK')?.amountMinor).toBe(
      14_300,
    );
  });

  it('name the cost that both sides changed, and rules of a book that one side removed', () => {
    const both = mergeContents(given('25', '100'), given('25', '101'), given('25', '102'));
    expect(both.conflicts).toMatchObject([{ file: 'costs.csv', row: 'pxc INT-1G-12 UK' }]);
    const removed = mergeContents(given('25', '100'), given('30', '100'), given('25', null));
    expect(removed.conflicts.map(({ file }) => file)).toContain('margins.csv');
  });
});
