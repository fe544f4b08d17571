import { describe, expect, it } from '@jest/globals';
import { indexParts, NetworkIndex, PointColumns } from './network-index.js';
import { BEYOND, unpackNearness, BuildNetwork, packNearness, routeMetres } from './network.js';
import { PositionsBuilder } from './positions.js';

const origin = { easting: 533_000, northing: 182_000 };
const east = (metres: number) => ({ ...origin, easting: origin.easting + metres });

describe('how near a place is to the network', () => {
  const columns = new PointColumns();
  columns.add(origin, 2, 7);
  columns.add(east(300), 3, 8);
  const index = indexParts(columns);
  const positions = new PositionsBuilder().build();
  // 1,300 m of route are 1,000 m as the crow flies.
  const network = new BuildNetwork({ index, positions, factor: 1.3, reach: 1_300 });
  const any = () => true;

  it('is the route to the nearest point of a zone that sells, in steps of 50 m', () => {
    expect(network.nearest(east(200), any)).toEqual({
      ...east(300),
      zoneNumber: 3,
      metres: 100,
      row: 8,
      distanceMetres: 150,
    });
    expect(network.nearest(east(200), (zone) => zone === 2)).toMatchObject({
      zoneNumber: 2,
      metres: 200,
      row: 7,
      distanceMetres: 300,
    });
    const packed = network.nearness(east(200), any)!;
    expect(unpackNearness(packed)).toEqual({ distanceMetres: 150, zoneNumber: 3 });
  });

  it('ends where the longest band does', () => {
    expect(network.nearest(east(1_300), any)?.distanceMetres).toBe(1_300);
    expect(network.nearest(east(1_301), any)).toBeNull();
    expect(network.nearness(east(1_301), any)).toBe(BEYOND);
  });

  it('is unknown without a position', () => {
    expect(network.nearness(null, any)).toBeNull();
  });
});

it('keeps the position, the zone and the row of each of many points', () => {
  const columns = new PointColumns();
  const points = Array.from({ length: 3_000 }, (_, i) => ({
    easting: 500_000 + 37 * i,
    northing: 200_000 + 11 * (i % 100),
    zoneNumber: 2 + (i % 60_000),
    row: 100_000 + i,
  }));
  for (const { zoneNumber, row, ...at } of points) columns.add(at, zoneNumber, row);
  const index = new NetworkIndex(indexParts(columns));
  expect([index.count, index.bytes > 10 * 3_000]).toEqual([3_000, true]);
  for (const point of points) {
    expect(index.nearest(point, 0, () => true)).toEqual({ ...point, metres: 0 });
    expect(index.within(point, 0, 5)).toEqual([{ ...point, metres: 0 }]);
  }
});

it.each([
  [0, 1.3, 0],
  [0.1, 1.3, 50],
  [38, 1.3, 50],
  [38.47, 1.3, 100],
  [1_000, 1.3, 1_300],
  [1_000, 1, 1_000],
  [1_000.01, 1, 1_050],
  [500, 1.1, 550],
  [1_500, 1.1, 1_650],
  [3_846, 1.3, 5_000],
])('a straight line of %d m times %d is a route of %d m', (straight, factor, route) => {
  expect(routeMetres(straight, factor)).toBe(route);
});

it('packs every distance and zone into a different number', () => {
  for (const distanceMetres of [0, 50, 4_950, 5_000]) {
    for (const zoneNumber of [2, 3, 65_535]) {
      const packed = packNearness({ distanceMetres, zoneNumber });
      expect(unpackNearness(packed)).toEqual({ distanceMetres, zoneNumber });
      expect(packed).not.toBe(BEYOND);
    }
  }
});
