import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  parsePlace,
  parsePostcode,
  type PostcodePlace,
  Postcode,
} from '../../platform/kernel/postcode.js';
import { packCoverage } from './coverage-codec.js';
import { CoverageBuilder, type CoverageIndex, type RepeatedPlace } from './coverage-index.js';

type Row = readonly [place: string, zone: string];

function place(text: string): PostcodePlace {
  return parsePlace(text) as PostcodePlace;
}

function postcode(text: string): Postcode {
  return parsePostcode(text) as Postcode;
}

/** The first row is on line 1. */
function indexOf(rows: readonly Row[], repeats: RepeatedPlace[] = []): CoverageIndex {
  const builder = new CoverageBuilder();
  rows.forEach(([at, zone], i) => builder.add(place(at), builder.addZone(zone), i + 1));
  return builder.build((repeat) => repeats.push(repeat));
}

function zoneAt(index: CoverageIndex, at: Postcode): string | null {
  const number = index.zoneNumberAt(at.packed);
  return number === 0 ? null : number === 1 ? '-' : index.zones[number - 2]!;
}

const OUTWARDS = ['E1', 'E1W', 'E14', 'E2', 'EC1', 'EC1A', 'EC14', 'N1', 'N1P', 'N12', 'BX9'];
const UNITS = OUTWARDS.flatMap((outward) =>
  ['0AA', '0AB', '1AA', '4ZZ', '9ZZ'].map((inward) => postcode(`${outward} ${inward}`)),
);

function placesAround(at: Postcode): string[] {
  const places = [at.unit, at.sector, at.subdistrict, at.district, at.area];
  return places.filter((name) => name !== null);
}

const PLACES = [...new Set(UNITS.flatMap(placesAround))];

const rows = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...PLACES), fc.constantFrom('-', 'ON-NET', 'NEAR-NET', 'UK')),
  { selector: ([at]) => at, maxLength: 60 },
);

describe('the most specific row decides', () => {
  it('as in a model that tries each name in order', () => {
    fc.assert(
      fc.property(rows, (rows) => {
        const index = indexOf(rows);
        const model = new Map(rows);
        const decided = UNITS.map((unit) => placesAround(unit).find((name) => model.has(name)));
        expect(UNITS.map((unit) => zoneAt(index, unit))).toEqual(
          decided.map((at) => (at === undefined ? null : model.get(at))),
        );
        expect(UNITS.map((unit) => index.find(unit.packed)?.place)).toEqual(decided);
      }),
      { numRuns: 500 },
    );
  });

  const levels: Row[] = [
    ['EC', 'A'],
    ['EC2', '-'],
    ['EC2A', 'B'],
    ['EC2A 2', '-'],
    ['EC2A 2BS', 'C'],
  ];
  test.each([
    ['EC1A 1BB', 'A'],
    ['EC2M 1AA', '-'],
    ['EC2A 1AA', 'B'],
    ['EC2A 2BT', '-'],
    ['EC2A 2BS', 'C'],
    ['E1 1AA', null],
  ])('also where it excludes, or includes again: %s', (at, zone) => {
    const [forwards, backwards] = [indexOf(levels), indexOf(levels.toReversed())];
    expect([zoneAt(forwards, postcode(at)), zoneAt(backwards, postcode(at))]).toEqual([zone, zone]);
  });

  it('and no row matches a place that only starts with the same characters', () => {
    const index = indexOf([['E1', 'A'], ['E1 4', 'B']]); // prettier-ignore
    const zones = ['E1 1AA', 'E1W 1AA', 'E1 4AA', 'E14 4AA', 'E10 1AA'].map((at) =>
      zoneAt(index, postcode(at)),
    );
    expect(zones).toEqual(['A', 'A', 'B', null, null]);
  });
});

describe('an index', () => {
  it('does not depend on the order of the rows', () => {
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.nat()), (rows, ranks) => {
        const shuffled = rows
          .map((row) => ({ row, rank: ranks.next().value as number }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ row }) => row);
        const [a, b] = [indexOf(rows), indexOf(shuffled)];
        expect([packCoverage(b.coverage), b.zones]).toEqual([packCoverage(a.coverage), a.zones]);
      }),
    );
  });

  it('lists its rows from areas to units, in the order of the places', () => {
    const index = indexOf([
      ['E14 9ZZ', 'B'],
      ['E14', '-'],
      ['E1 1AA', 'A'],
      ['EC', 'B'],
      ['E1W', 'A'],
      ['E14 5', 'A'],
      ['E', 'A'],
    ]);
    expect([...index.rows()].map(({ level, place, zone }) => `${level} ${place} ${zone}`)).toEqual([
      'area E A',
      'area EC B',
      'district E14 -',
      'subdistrict E1W A',
      'sector E14 5 A',
      'unit E1 1AA A',
      'unit E14 9ZZ B',
    ]);
    expect(index.size).toEqual({ units: 2, sectors: 1, subdistricts: 1, districts: 1, areas: 2 });
  });

  it('reports repeated places with both lines, and keeps the first row', () => {
    const repeats: RepeatedPlace[] = [];
    const index = indexOf([['E1', 'A'], ['E2', 'B'], ['E1', 'B'], ['E1 4', 'A'], ['E1', 'A']], repeats); // prettier-ignore
    expect([repeats, index.size.districts, zoneAt(index, postcode('E1 1AA'))]).toEqual([
      [
        { level: 'district', place: 'E1', line: 3, firstLine: 1 },
        { level: 'district', place: 'E1', line: 5, firstLine: 1 },
      ],
      2,
      'A',
    ]);
  });

  it('may be empty', () => {
    const index = indexOf([]);
    expect([index.zones, [...index.rows()], index.find(0)]).toEqual([[], [], null]);
  });
});
