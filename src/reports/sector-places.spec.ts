import { expect, it } from '@jest/globals';
import { parsePlace, printPlace } from '../platform/kernel/postcode.js';
import { parseSectors, sectorPlaces } from './sector-places.js';

it('reads lines in any order into ascending keys', () => {
  const { names, keys, ...columns } = parseSectors(
    'EC2A 2:5330,1820,7 1:5331,1821,98\nAB10 1:3936,8060,198\n',
  );
  expect(names).toEqual(['AB10 1', 'EC2A 1', 'EC2A 2']);
  expect([...keys].map((key) => printPlace('sector', key))).toEqual(names);
  expect(Object.values(columns).map((column) => [...column])).toEqual([
    [3936, 5331, 5330],
    [8060, 1821, 1820],
    [198, 98, 7],
  ]);
});

it('refuses a place that is no sector', () => {
  expect(() => parseSectors('EC2A2 B:1,2,3')).toThrow('is no postcode sector');
});

it('has the sectors of Great Britain, each on the map and in use', () => {
  const { keys, eastings, northings, postcodes } = sectorPlaces();
  expect([keys.length, new Set(keys).size]).toEqual([10_847, 10_847]);
  expect(keys).toEqual(keys.toSorted());
  expect([Math.min(...eastings) > 500, Math.max(...eastings) < 6_600]).toEqual([true, true]);
  expect([Math.min(...northings) > 50, Math.max(...northings) < 12_200]).toEqual([true, true]);
  expect(Math.min(...postcodes)).toBeGreaterThan(0);
  const place = parsePlace('EC2A 2') as { key: number };
  const i = keys.indexOf(place.key);
  expect([eastings[i], northings[i]]).toEqual([5_331, 1_820]);
});
