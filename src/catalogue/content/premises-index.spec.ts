import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { ContentDamaged } from './coverage-codec.js';
import { packPremises, unpackPremises } from './premises-codec.js';
import { NO_PREMISES, type Premises, PremisesBuilder, PremisesIndex } from './premises-index.js';

const postcodes = ['AB10 1AB', 'E1 6AN', 'EC2A 2BS', 'EC2A 2BT', 'ZE1 0AA'].map(
  (text) => (parsePostcode(text) as Postcode).packed,
);

const EDGES = [1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 999_999_999_999];

/** Around the bounds of 32 and of 40 bits, near to each other, and anywhere. */
const uprns = fc.oneof(
  fc.constantFrom(...EDGES, 2 ** 40 - 2, 2 ** 40 - 1),
  fc.integer({ min: 2 ** 32 - 50, max: 2 ** 32 + 50 }),
  fc.integer({ min: 1, max: 2 ** 40 - 1 }),
);

const premises: fc.Arbitrary<Premises> = fc.record({
  packed: fc.constantFrom(...postcodes),
  uprn: uprns,
  zoneNumber: fc.constantFrom(1, 2, 3, 65_535),
  name: fc.constantFrom(null, 'Finsbury Tower', 'Tŷ Gwyn, "The Mews"'),
  position: fc.constantFrom(null, { easting: 532_600, northing: 182_300 }),
  constraints: fc.constantFrom(0, 0x8000, 0x8005),
});

const lists = fc.uniqueArray(premises, { selector: ({ uprn }) => uprn, maxLength: 300 });

const SAME = Uint16Array.from({ length: 65_536 }, (_, i) => i);

function indexOf(rows: readonly Premises[]): PremisesIndex {
  const builder = new PremisesBuilder();
  rows.forEach((row, i) => builder.add(row, i + 1));
  return builder.build(SAME);
}

function loaded(bytes: Uint8Array): PremisesIndex {
  const steps = PremisesIndex.from(unpackPremises(Buffer.from(bytes)));
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function inOrder(rows: readonly Premises[]): Premises[] {
  return rows.toSorted((a, b) => a.packed - b.packed || a.uprn - b.uprn);
}

function rowsOf(index: PremisesIndex): Premises[] {
  return Array.from(index.keys(), ({ packed, uprn, zoneNumber }, i) => {
    const [name, position] = [index.nameAt(i), index.positionAt(i)];
    return { packed, uprn, zoneNumber, name, position, constraints: index.constraintsAt(i) };
  });
}

describe('an index of premises', () => {
  it('gives back the rows in order, also after it was stored', () => {
    fc.assert(
      fc.property(lists, (rows) => {
        const index = indexOf(rows);
        expect(rowsOf(index)).toEqual(inOrder(rows));
        expect(rowsOf(loaded(packPremises(index.packed())))).toEqual(inOrder(rows));
      }),
    );
  });

  it('finds each row at its postcode only', () => {
    fc.assert(
      fc.property(lists, uprns, (rows, other) => {
        const index = indexOf(rows);
        const model = new Map(rows.map((row) => [`${row.packed} ${row.uprn}`, row]));
        for (const uprn of [...rows.map((row) => row.uprn), other]) {
          for (const packed of postcodes) {
            const expected = model.get(`${packed} ${uprn}`) ?? null;
            expect(index.find(packed, uprn)).toEqual(expected);
            expect(index.zoneNumberAt(packed, uprn)).toBe(expected?.zoneNumber ?? 0);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('knows the postcode of each UPRN, and of no other', () => {
    fc.assert(
      fc.property(lists, uprns, (rows, other) => {
        const index = indexOf(rows);
        for (const { uprn, packed } of rows) expect(index.postcodeOf(uprn)).toBe(packed);
        if (rows.every(({ uprn }) => uprn !== other)) expect(index.postcodeOf(other)).toBeNull();
      }),
    );
  });

  it('lists the rows at a postcode in pages', () => {
    fc.assert(
      fc.property(lists, fc.constantFrom(...postcodes), uprns, fc.nat(99), (rows, at, after, n) => {
        const here = inOrder(rows).filter(({ packed }) => packed === at);
        const index = indexOf(rows);
        expect(index.at(at)).toEqual(here);
        expect(index.at(at, after, n)).toEqual(here.filter((row) => row.uprn > after).slice(0, n));
      }),
    );
  });

  it('has the same bytes for equal rows in any order', () => {
    fc.assert(
      fc.property(lists, (rows) => {
        const [a, b] = [rows, rows.toReversed()].map((list) =>
          packPremises(indexOf(list).packed()),
        );
        expect(Buffer.compare(a!, b!)).toBe(0);
      }),
    );
  });

  it('finds one of 2,000 premises with one postcode', () => {
    const rows = Array.from({ length: 2_000 }, (_, i) => ({
      packed: postcodes[2]!,
      uprn: 10_000_000_000 + i * 3,
      zoneNumber: 2 + (i % 2),
      name: `Flat ${i}`,
      position: null,
      constraints: 0,
    }));
    const index = indexOf(rows);
    for (const row of rows) expect(index.find(row.packed, row.uprn)).toEqual(row);
    expect(index.at(postcodes[2]!, 10_000_000_300, 2)).toEqual(rows.slice(101, 103));
    expect(index.at(postcodes[1]!)).toEqual([]);
  });

  test('that is empty finds nothing', () => {
    expect(NO_PREMISES.find(postcodes[0]!, 1)).toBeNull();
    expect(NO_PREMISES.postcodeOf(1)).toBeNull();
    expect(NO_PREMISES.at(postcodes[0]!)).toEqual([]);
    expect([...loaded(new Uint8Array()).keys()]).toEqual([]);
  });

  const hut = { packed: postcodes[0]!, uprn: 7, zoneNumber: 2, name: 'Hut', position: null };
  const one = indexOf([{ ...hut, constraints: 0 }]);
  const stored = packPremises(one.packed());
  test.each([
    ['is cut', stored.subarray(0, -1)],
    ['is cut in its lengths', stored.subarray(0, 5)],
    ['has more bytes', Buffer.concat([stored, Buffer.from('x')])],
  ])('cannot be loaded if it %s', (_, bytes) => {
    expect(() => loaded(bytes)).toThrow(ContentDamaged);
  });

  test('cannot be loaded with another number of names', () => {
    const { names, ...packed } = one.packed();
    const more = Buffer.concat([names, names]);
    expect(() => loaded(packPremises({ ...packed, names: more }))).toThrow('more names');
    expect(() => loaded(packPremises({ ...packed, names: Buffer.from('Hut') }))).toThrow('fewer');
  });
});
