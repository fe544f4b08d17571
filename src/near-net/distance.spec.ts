import { expect, it } from '@jest/globals';
import { BEYOND, packNearness, routeMetres, unpackNearness } from './distance.js';

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
