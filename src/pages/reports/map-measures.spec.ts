import { expect, it, test } from '@jest/globals';
import { isMeasure, measureMap, tileText } from './map-measures.js';

const rows = [
  { area: 'EC', checks: 100, checksWithoutProduct: 25, orders: 7 },
  { area: 'AB', checks: 4, checksWithoutProduct: 4, orders: 0 },
  { area: 'BX', checks: 1, checksWithoutProduct: 0, orders: 0 },
];

test.each([
  ['demand', 100, 4, 0, 100],
  ['lost', 25, 4, 0, 25],
  ['orders', 7, 0, 0, 7],
  ['coverage', 0.75, 0, null, 1],
] as const)('%s: %d in EC, %d in AB, %p without checks', (measure, ec, ab, zz, highest) => {
  const map = measureMap(rows, measure);
  const of = (area: string) => map.areas.find((one) => one.area === area)?.value;
  expect([of('EC'), of('AB'), of('ZE'), map.highest]).toEqual([ec, ab, zz, highest]);
  expect(map.classes).toHaveLength(map.bounds.length + 1);
});

it('a measured map keeps areas without a tile that have checks', () => {
  expect(measureMap(rows, 'demand').areas).toHaveLength(125);
  expect(measureMap([], 'demand').areas).toHaveLength(124);
});

test.each([
  [12_345, 'demand', '12.3k'],
  [0, 'demand', ''],
  [0, 'coverage', '0%'],
  [0.999, 'coverage', '>99%'],
  [null, 'coverage', ''],
] as const)('%p of %s is %j on its tile', (value, measure, text) => {
  expect(tileText(value, measure)).toBe(text);
});

it('isMeasure accepts only the measures of the map', () => {
  expect(['lost', 'toString', ''].map(isMeasure)).toEqual([true, false, false]);
});
