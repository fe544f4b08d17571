import { describe, expect, it } from '@jest/globals';
import {
  decodePositions,
  encodePositions,
  isOnGrid,
  positionOf,
  PositionsBuilder,
} from './positions.js';

describe('a position', () => {
  it.each([
    ['533000', '182000', { easting: 533_000, northing: 182_000 }],
    ['1', '1', { easting: 1, northing: 1 }],
    ['699999', '1299999', { easting: 699_999, northing: 1_299_999 }],
    ['0', '0', null],
    ['533000', '0', null],
    ['0', '182000', null],
    ['700000', '182000', null],
    ['533000', '1300000', null],
    ['', '182000', null],
    ['533000', '', null],
    ['533000.5', '182000', null],
    ['533000', '-182000', null],
  ])('is read from %j and %j', (easting, northing, position) => {
    expect(positionOf(easting, northing)).toEqual(position);
  });

  it('is on the grid within its borders', () => {
    expect(isOnGrid({ easting: 700_000, northing: 1 })).toBe(false);
    expect(isOnGrid({ easting: 699_999, northing: 1_299_999 })).toBe(true);
  });
});

describe('the positions of postcodes', () => {
  const builder = new PositionsBuilder();
  const at = (key: number) => ({ easting: key * 3, northing: key * 5 });
  // More than one block, from the last to the first.
  for (let key = 3_000; key > 0; key--) builder.add(2 * key, { easting: 1, northing: 1 });
  for (let key = 1; key <= 3_000; key++) builder.add(2 * key, at(key));
  const built = builder.build();
  const stored = encodePositions(built);

  it.each([
    ['built', built],
    ['read again', decodePositions(stored)],
  ])('are found when %s, the last of each postcode', (_, positions) => {
    expect(positions.keys).toHaveLength(3_000);
    expect([1, 2, 1_500, 3_000].map((key) => positions.of(2 * key))).toEqual(
      [1, 2, 1_500, 3_000].map(at),
    );
    expect([0, 1, 2_999, 6_001, 7_000].map((key) => positions.of(key))).toEqual(
      Array(5).fill(null),
    );
    expect(positions.at(2_999)).toEqual(at(3_000));
  });

  it('are the same columns after they were stored', () => {
    expect({ ...decodePositions(stored) }).toEqual({ ...built });
    const none = new PositionsBuilder().build();
    expect({ ...decodePositions(encodePositions(none)) }).toEqual({ ...none });
  });

  it('are refused if a stored byte has changed', () => {
    for (const at of [1, stored.length - 1]) {
      const wrong = Buffer.from(stored);
      wrong[at]! ^= 1;
      expect(() => decodePositions(wrong)).toThrow('their checksum does not match');
    }
  });
});
