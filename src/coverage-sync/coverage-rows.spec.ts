import { describe, expect, it } from '@jest/globals';
import { contentOf, givenFiles } from '../../test/support/catalogue-files.given.js';
import { Catalogue } from '../catalogue/content/catalogue.js';
import type { CatalogueFile } from '../catalogue/content/catalogue-files.js';
import { networkOf } from '../catalogue/network/build-network.js';
import { BuildNetwork } from '../near-net/network.js';
import { PositionsBuilder } from '../near-net/positions.js';
import { parsePostcode, type Postcode } from '../platform/kernel/postcode.js';
import {
  coverageChanges,
  coverageColumns,
  coverageRows,
  type CoverageSource,
  spansOf,
  type SyncRow,
} from './coverage-rows.js';

const days = ['', '2027-01-01', '2027-02-01', '2027-03-01'];
const [cheap, dear] = [{ price: 90 }, { price: 100 }];

describe('the spans of values that hold from a day on', () => {
  it('end the day before the next begins', () => {
    expect([...spansOf(days, [dear, cheap, dear, null])]).toEqual([
      [{ validFrom: null, validUntil: '2026-12-31' }, dear],
      [{ validFrom: '2027-01-01', validUntil: '2027-01-31' }, cheap],
      [{ validFrom: '2027-02-01', validUntil: '2027-02-28' }, dear],
      [{ validFrom: '2027-03-01', validUntil: null }, null],
    ]);
  });

  it('are one where neighbours are equal', () => {
    expect([...spansOf(days, [dear, cheap, { ...cheap }, cheap])]).toEqual([
      [{ validFrom: null, validUntil: '2026-12-31' }, dear],
      [{ validFrom: '2027-01-01', validUntil: null }, cheap],
    ]);
    expect([...spansOf(days, [dear, dear, dear, dear])]).toEqual([
      [{ validFrom: null, validUntil: null }, dear],
    ]);
  });
});

type Rows = Partial<Record<CatalogueFile, string[]>>;

/** Units in a line from west to east, with metres from the first. */
const METRES = { '9AA': 0, '9BA': 600, '9EA': 500, '9FA': 20_000, '9GA': -100 };

const files: Rows = {
  products: ['B,Slow,0.1,1,12', 'A,Line,1,10,36', 'UNSOLD,Line,1,10,12'],
  prices: [
    ...['B,LIT,,50,GBP,10,,,', 'A,LIT,,100,GBP,10,,,', 'A,LIT,,90,GBP,10,,,,2027-01-01,2027-01-31'],
    ...['A,SOON,,70,GBP,10,,,', 'A,LIT,own,1,GBP,1,,,'],
  ],
  coverage: ['N1 9AA,LIT', 'N1 9BA,SOON', 'N1 9DA,-', 'N1 8,LIT', 'E1,SOON', 'EC,LIT'],
  zones: ['LIT,,onNetWithoutBuild,,', 'SOON,,onNetWithoutBuild,2027-02-01,'],
  buildBands: [
    '*,500,100,5,indicative,*',
    '*,1000,200,5,indicative,B',
    'LIT,1000,200,5,indicative,*',
  ],
  premises: [
    ...['3,N1 9EA,Far,,600000,182000', '20,N1 9EA,,,533490,182000', '1,N1 9AA,Flat,LIT'],
    ...['2,N1 9AA,Office,-'],
  ],
};

function sourceOf(rows: Rows, nearNet = false): CoverageSource {
  const content = contentOf(givenFiles(rows));
  const catalogue = new Catalogue(1, content);
  const positions = new PositionsBuilder();
  for (const [unit, metres] of Object.entries(METRES)) {
    const { packed } = parsePostcode(`N1 ${unit}`) as Postcode;
    positions.add(packed, { easting: 533_000 + metres, northing: 182_000 });
  }
  catalogue.network = new BuildNetwork(networkOf(content, positions.build(), 1.3));
  const areaOf = (zone: string, band = 0) => `${zone} ${band}`;
  return { catalogue, priceList: 'standard', nearNet, areaOf };
}

const rowsOf = (source: CoverageSource) =>
  [...coverageRows(source)].filter((row): row is SyncRow => row !== null);
const inBrief = (rows: readonly SyncRow[], ...names: string[]) =>
  rows.map((row) =>
    names
      .map((name) => row[name])
      .join(' ')
      .trimEnd(),
  );
const ofKind = (rows: readonly SyncRow[], kind: string) => rows.filter(({ row }) => row === kind);

describe('the rows of coverage', () => {
  const rows = rowsOf(sourceOf(files, true));

  it('name places from the largest, then those priced by distance while a zone sells', () => {
    const places = ofKind(rows, 'place');
    expect(inBrief(places, 'place', 'area', 'band', 'validFrom', 'validUntil')).toEqual([
      ...['EC LIT 0', 'E1 SOON 0', 'N1 8 LIT 0', 'N1 9AA LIT 0', 'N1 9BA SOON 0', 'N1 9DA'],
      // 650 m from the one zone; once the other sells, 150 m from it.
      'N1 9EA LIT 1000 1000  2027-01-31',
      'N1 9EA SOON 500 500 2027-02-01',
      'N1 9GA LIT 1000 1000',
    ]);
  });

  it('name premises by postcode and UPRN, with their own zone or distance', () => {
    const listed = ofKind(rows, 'premises');
    expect(
      inBrief(listed, 'postcode', 'uprn', 'name', 'area', 'band', 'validFrom', 'validUntil'),
    ).toEqual([
      ...['N1 9AA 1 Flat LIT 0', 'N1 9AA 2 Office'],
      ...['N1 9EA 3 Far', 'N1 9EA 20  LIT 1000 1000  2027-01-31'],
      'N1 9EA 20  SOON 500 500 2027-02-01',
    ]);
    expect(listed[2]).toMatchObject({ area: null, band: null, validFrom: null, validUntil: null });
  });

  it('have the prices of each area and band in the order of their names, each on its days', () => {
    const names = ['area', 'productCode', 'price', 'setupPrice', 'validFrom', 'validUntil'];
    const priceRows = ofKind(rows, 'price');
    expect(inBrief(priceRows, ...names)).toEqual([
      'LIT 0 A 100   2026-12-31',
      'LIT 0 A 90  2027-01-01 2027-01-31',
      'LIT 0 A 100  2027-02-01',
      'LIT 0 B 50',
      'LIT 1000 A 100   2026-12-31',
      'LIT 1000 A 90  2027-01-01 2027-01-31',
      'LIT 1000 A 100  2027-02-01',
      'LIT 1000 B 50',
      'SOON 0 A 70  2027-02-01',
      'SOON 500 A 70  2027-02-01',
    ]);
    expect(priceRows[0]).toMatchObject({ priceUntil: '2026-12-31', basis: 'firm' });
  });

  it('end with the products that are sold', () => {
    const products = ofKind(rows, 'product');
    expect(inBrief(products, 'productCode', 'name', 'term')).toEqual(['A Line 36', 'B Slow 12']);
    expect(rows.slice(-2)).toEqual(products);
    expect(products[0]).not.toHaveProperty('price');
  });

  it('have no place by distance for a client that sees none', () => {
    const covered = rowsOf(sourceOf(files));
    expect(ofKind(covered, 'place')).toHaveLength(6);
    expect(inBrief(ofKind(covered, 'premises'), 'uprn')).toEqual(['1', '2']);
    expect(covered.filter(({ area }) => /[1-9]0/.test(String(area)))).toEqual([]);
  });

  it('have every value in a column of the file, each once', () => {
    const columns = coverageColumns(false);
    expect(new Set(columns).size).toBe(columns.length);
    const filled = new Set(rows.flatMap((row) => Object.keys(row)));
    expect([...filled].filter((name) => !columns.includes(name))).toEqual([]);
    // No place of this catalogue has a constraint.
    const unfilled = ['constraints', 'code', 'text', 'version', 'rows', 'sha256'];
    expect(columns.filter((name) => !filled.has(name))).toEqual(unfilled);
    expect(coverageColumns(true)).toEqual(['row', 'op', ...columns.slice(1)]);
  });
});

describe('the changes of coverage', () => {
  const keyOf = ({ row, place, uprn, area, productCode, validFrom }: SyncRow) =>
    row === 'price'
      ? [row, area, productCode, validFrom].join(' ')
      : [row, place, uprn, row === 'product' && productCode].join(' ');
  /** What a client has after it has applied the changes to its rows. */
  const applied = (before: readonly SyncRow[], changes: readonly SyncRow[]) => {
    const rows = new Map(before.map((row) => [keyOf(row), row]));
    for (const { op, ...row } of changes) {
      if (op === 'remove') rows.delete(keyOf(row));
      else rows.set(keyOf(row), row);
    }
    return rows;
  };
  const changesOf = (before: Rows, after: Rows) => {
    const earlier = sourceOf(before, true);
    // As for every version that is no longer live.
    earlier.catalogue.network = null;
    return [...coverageChanges(earlier, sourceOf(after, true))].filter(
      (row): row is SyncRow => row !== null,
    );
  };
  /** The rows that do not follow from the network, which is the same in both versions. */
  const withoutNear = (of: Rows) =>
    rowsOf(sourceOf(of, true)).filter(({ band }) => band === undefined);
  const other: Rows = {
    ...files,
    products: ['B,Slower,0.1,1,12', 'A,Line,1,10,36', 'C,New,1,10,12'],
    prices: ['B,LIT,,50,GBP,10,,,', 'A,LIT,,101,GBP,10,,,', 'C,SOON,,1,GBP,1,,,'],
    coverage: ['N1 9AA,SOON', 'N1 9BA,SOON', 'N1 7,LIT', 'N1 8,LIT', 'W1A 1AA,LIT'],
    premises: ['1,N1 9AA,Flat,SOON', '4,N1 9AA,New,LIT'],
  };
  const none: Rows = { ...files, prices: [], coverage: [], premises: [], buildBands: [] };

  it.each<[string, Rows, Rows]>([
    ['forwards', files, other],
    ['backwards', other, files],
    ['from nothing', none, files],
    ['to nothing', files, none],
  ])('lead to the rows of the later version: %s', (_, before, after) => {
    const wanted = withoutNear(after);
    expect(applied(withoutNear(before), changesOf(before, after))).toEqual(
      new Map(wanted.map((row) => [keyOf(row), row])),
    );
  });

  it('are none between equal versions, and name only what differs', () => {
    expect(changesOf(files, files)).toEqual([]);
    const [change, ...others] = changesOf(files, {
      ...files,
      prices: files.prices!.map((row) => row.replace('B,LIT,,50', 'B,LIT,,51')),
    });
    expect(others.map(({ op, area }) => [op, area])).toEqual([['put', 'LIT 1000']]);
    expect(change).toMatchObject({ row: 'price', op: 'put', area: 'LIT 0', price: 51 });
    expect(Object.keys(change!).slice(0, 2)).toEqual(['row', 'op']);
  });

  it('remove every price of a withdrawn product, in the bands too, and put no other price', () => {
    const changes = changesOf(files, {
      ...files,
      prices: files.prices!.filter((row) => !row.startsWith('B,')),
    });
    expect(inBrief(changes, 'row', 'op', 'area', 'productCode')).toEqual([
      'price remove LIT 0 B',
      'price remove LIT 1000 B',
      'product remove  B',
    ]);
  });
});
