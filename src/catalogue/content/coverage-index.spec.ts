import { createHook } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { parsePlace, parsePostcode, type Place, Postcode } from '../../kernel/postcode.js';
import { CoverageDamaged } from './coverage-codec.js';
import { CoverageBuilder, CoverageIndex, type RepeatedPlace } from './coverage-index.js';

type Row = readonly [place: string, zone: string];

function place(text: string): Place {
  return parsePlace(text) as Place;
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
  it('as in a model that tries the names one after another', () => {
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

  it('and none reaches what only begins with the same characters', () => {
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
        expect([b.encode(), b.checksum, b.zones]).toEqual([a.encode(), a.checksum, a.zones]);
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

  it('names repeated places with both lines, and keeps the first row', () => {
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
    const index = CoverageIndex.decode(indexOf([]).encode());
    expect([index.zones, [...index.rows()], index.find(0)]).toEqual([[], [], null]);
  });
});

/** Many units and zones, so that every length of number and several steps occur. */
function largeIndex(): CoverageIndex {
  const builder = new CoverageBuilder();
  const start = postcode('AB1 0AA').packed;
  for (let i = 0; i < 150_000; i++) {
    const zone = i % 7 === 0 ? '-' : `Z${(i * 7_919) % 20_000}`;
    const key = start + i + (i > 70_000 ? 500 : 0) + (i > 140_000 ? 900_000 : 0);
    builder.add({ level: 'unit', name: '', key }, builder.addZone(zone), i);
  }
  return builder.build(() => {});
}

describe('the stored form', () => {
  const large = largeIndex();
  const decoders: [string, (bytes: Uint8Array) => Promise<CoverageIndex>][] = [
    ['decode', (bytes) => Promise.resolve().then(() => CoverageIndex.decode(bytes))],
    ['decodeAsync', (bytes) => CoverageIndex.decodeAsync(bytes)],
  ];

  describe.each(decoders)('%s', (_, decode) => {
    it('gives the same index', async () => {
      await fc.assert(
        fc.asyncProperty(rows, async (rows) => {
          const index = indexOf(rows);
          const decoded = await decode(index.encode());
          expect([[...decoded.rows()], decoded.zones, decoded.checksum, decoded.size]).toEqual([
            [...index.rows()],
            index.zones,
            index.checksum,
            index.size,
          ]);
        }),
      );
    });

    it('gives the same large index', async () => {
      const decoded = await decode(large.encode());
      expect(decoded.encode().equals(large.encode())).toBe(true);
      const keys = [0, 70_001, 149_999].map((i) => [...large.rows()][i]!);
      expect(keys.map(({ place }) => decoded.find(postcode(place).packed))).toEqual(keys);
    });

    it('refuses bytes that are damaged anywhere', async () => {
      const index = indexOf([['E1', 'A'], ['EC2A 2BS', 'B'], ['N', '-']]); // prettier-ignore
      const bytes = index.encode();
      const last = bytes.length - 1;
      await fc.assert(
        fc.asyncProperty(fc.nat(last), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
          const damaged = Buffer.from(bytes);
          damaged[at]! ^= mask;
          const decoded = await decode(damaged).catch((error: unknown) => error);
          // The last byte of a deflated block may have bits that mean nothing.
          if (decoded instanceof CoverageIndex) expect(decoded.checksum).toBe(index.checksum);
          else expect(decoded).toBeInstanceOf(CoverageDamaged);
        }),
        { numRuns: 500 },
      );
    });

    it('refuses bytes that are cut short', async () => {
      const bytes = indexOf([['E1', 'A'], ['EC2A 2BS', 'B']]).encode(); // prettier-ignore
      for (let length = 0; length < bytes.length; length++) {
        await expect(decode(bytes.subarray(0, length))).rejects.toThrow(CoverageDamaged);
      }
    });

    test.each<[what: string, change: (bytes: Buffer) => void, message: RegExp]>([
      ['another file', (bytes) => bytes.write('PK'), /does not begin as coverage does/],
      ['a later format', (bytes) => bytes.writeUInt8(9, 4), /has format 9, this program reads 1/],
      ['another length', (bytes) => bytes.writeUInt32BE(9_999, 5), /not the one it states/],
      ['a shorter length', (bytes) => bytes.writeUInt32BE(3, 5), /does not decompress/],
      ['another checksum', (bytes) => bytes.fill(0, 9, 41), /checksum does not match/],
      ['another body', (bytes) => bytes.fill(0, 41), /does not decompress/],
    ])('says what is wrong with %s', async (_, change, message) => {
      const bytes = indexOf([['E1', 'A']]).encode();
      change(bytes);
      await expect(decode(bytes)).rejects.toThrow(message);
    });
  });

  test.each<[what: string, packed: number[], message: RegExp]>([
    ['fewer rows than it states', [0, 9, 1, 1], /fewer unit rows than stated/],
    ['more than its rows', [0, 0, 0, 0, 0, 0, 1], /more in it than the rows/],
  ])('is refused with a right checksum, but %s', (_, packed, message) => {
    const bytes = Buffer.from(packed);
    const header = Buffer.from('PASC\x01\0\0\0');
    const digest = createHash('sha256').update(bytes).digest();
    const stored = [header, Buffer.of(bytes.length), digest, deflateSync(bytes)];
    expect(() => CoverageIndex.decode(Buffer.concat(stored))).toThrow(message);
  });

  it('is decoded with turns for others in between', async () => {
    const bytes = large.encode();
    let turns = 0;
    const hook = createHook({ init: (_id, type) => (turns += type === 'Immediate' ? 1 : 0) });
    hook.enable();
    await CoverageIndex.decodeAsync(bytes);
    hook.disable();
    expect(turns).toBeGreaterThanOrEqual(4);
  });
});
