import { expect, it } from '@jest/globals';
import { parsePostcode, Postcode } from '../../kernel/postcode.js';
import { areaTiles, MAP_COLUMNS, MAP_ROWS, nameOfArea } from './area-tiles.js';

it('gives each of the 124 areas a unique tile and name', () => {
  const areas = areaTiles.map(({ area }) => area);
  expect([areas.length, new Set(areas).size]).toEqual([124, 124]);
  expect(new Set(areaTiles.map(({ name }) => name)).size).toBe(124);
  expect(new Set(areaTiles.map(({ column, row }) => `${column} ${row}`)).size).toBe(124);
});

it('has the areas of all postcodes except the two without a place', () => {
  const isArea = (area: string) =>
    ['1 1AA', '1A 1AA'].some((end) => parsePostcode(`${area}${end}`) instanceof Postcode);
  expect(areaTiles.filter(({ area }) => !isArea(area))).toEqual([]);
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const all = letters.flatMap((a) => [a, ...letters.map((b) => a + b)]).filter(isArea);
  expect(all.filter((area) => nameOfArea(area) === null)).toEqual(['BF', 'BX']);
});

it('keeps every tile on the map, and every row and column in use', () => {
  const used = (values: number[]) => [...new Set(values)].sort((a, b) => a - b);
  expect(used(areaTiles.map(({ column }) => column))).toEqual([...Array(MAP_COLUMNS).keys()]);
  expect(used(areaTiles.map(({ row }) => row))).toEqual([...Array(MAP_ROWS).keys()]);
});

it.each([
  ['IV', 'PH'],
  ['NE', 'DH'],
  ['LS', 'BN'],
  ['EN', 'N'],
  ['SE', 'BN'],
])('has %s north of %s', (north, south) => {
  const rowOf = (area: string) => areaTiles.find((tile) => tile.area === area)!.row;
  expect(rowOf(north)).toBeLessThan(rowOf(south));
});
