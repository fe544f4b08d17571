import { expect, it } from '@jest/globals';
import {
  aroundSector,
  groupPlaces,
  type MapPlace,
  sectorsOnMap,
  shareCovered,
  shareNotServed,
  shareReached,
} from './map-places.js';

const place = (name: string, about: Partial<MapPlace> = {}): MapPlace => ({
  name,
  at: null,
  postcodes: 0,
  covered: 0,
  reached: 0,
  checks: 0,
  notServed: 0,
  byStaff: 0,
  watched: 0,
  orders: 0,
  amounts: new Map(),
  ...about,
});

it.each([
  ['EC2A 2', 'EC', 'EC2A'],
  ['N1 9', 'N', 'N1'],
  ['M90 1', 'M', 'M90'],
  ['AB10 1', 'AB', 'AB10'],
])('%s is in the area %s and the district %s', (sector, area, district) => {
  expect([aroundSector.area(sector), aroundSector.district(sector)]).toEqual([area, district]);
});

it('sums the sectors of a place, at the mean position of their postcodes', () => {
  const sectors = [
    place('EC2A 1', {
      at: { x: 0, y: 100 },
      postcodes: 1,
      covered: 1,
      reached: 1,
      checks: 2,
      notServed: 1,
      byStaff: 1,
      watched: 3,
      orders: 1,
      amounts: new Map([['GBP', 100]]),
    }),
    place('EC2A 2', {
      at: { x: 40, y: 200 },
      postcodes: 3,
      covered: 2,
      reached: 0,
      checks: 5,
      notServed: 5,
      byStaff: 2,
      watched: 4,
      orders: 2,
      amounts: new Map([['GBP', 50]]),
    }),
    // A sector without a position does not move the middle.
    place('EC2A 9', { checks: 1 }),
  ];
  expect(groupPlaces(sectors, 'district')).toEqual([
    place('EC2A', {
      at: { x: 30, y: 175 },
      postcodes: 4,
      covered: 3,
      reached: 1,
      checks: 8,
      notServed: 6,
      byStaff: 3,
      watched: 7,
      orders: 3,
      amounts: new Map([['GBP', 150]]),
    }),
  ]);
});

it('has each sector once, those without a position last', async () => {
  const demand = ['EC2A 1', 'BT1 1'].map((sector, i) => ({
    sector,
    checks: i + 1,
    notServed: 0,
    byStaff: 0,
    watched: 0,
    orders: 0,
    amounts: new Map(),
  }));
  const places = {
    names: ['EC2A 1', 'EC2A 2'],
    keys: Uint32Array.of(7, 8),
    eastings: Uint16Array.of(10, 20),
    northings: Uint16Array.of(30, 40),
    postcodes: Uint16Array.of(5, 6),
  } as unknown as Parameters<typeof sectorsOnMap>[1];
  const found = await sectorsOnMap(demand, places, Uint16Array.of(1, 2), new Map([[8, 4]]));
  expect(found).toEqual([
    place('EC2A 1', { at: { x: 10, y: 30 }, postcodes: 5, covered: 1, checks: 1 }),
    place('EC2A 2', { at: { x: 20, y: 40 }, postcodes: 6, covered: 2, reached: 4 }),
    place('BT1 1', { checks: 2 }),
  ]);
});

it('has shares only of something', () => {
  const shares = (of: MapPlace) => [shareNotServed(of), shareCovered(of), shareReached(of)];
  expect(shares(place('N1 9'))).toEqual([null, null, null]);
  const served = { checks: 4, notServed: 1, postcodes: 10, covered: 5, reached: 2 };
  expect(shares(place('N1 9', served))).toEqual([0.25, 0.5, 0.2]);
});
