import { expect, it } from '@jest/globals';
import { parsePostcode, Postcode } from '../platform/kernel/postcode.js';
import { areaCodes, areaWords, nameOfArea } from './sector-places.js';

it('gives each of the 124 areas a unique name', () => {
  expect([areaCodes.length, new Set(areaCodes).size]).toEqual([124, 124]);
  expect(new Set(areaCodes.map(nameOfArea)).size).toBe(124);
});

it('has the areas of all postcodes except the two without a place', () => {
  const isArea = (area: string) =>
    ['1 1AA', '1A 1AA'].some((end) => parsePostcode(`${area}${end}`) instanceof Postcode);
  expect(areaCodes.filter((area) => !isArea(area))).toEqual([]);
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const all = letters.flatMap((a) => [a, ...letters.map((b) => a + b)]).filter(isArea);
  expect(all.filter((area) => nameOfArea(area) === null)).toEqual(['BF', 'BX']);
});

it.each([
  ['AB', 'AB Aberdeen'],
  ['EC', 'London EC'],
  ['BX', 'BX'],
])('%s is %j in words', (area, words) => {
  expect(areaWords(area)).toBe(words);
});
