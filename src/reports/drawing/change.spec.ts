import { expect, test } from '@jest/globals';
import { changeOf, onlyAmount } from './chart-scale.js';

test.each([
  [0.77, 0.91, 'points', 'better', { text: '▼ 14 points', isBetter: false }],
  [0.78, 0.77, 'points', 'better', { text: '▲ 1 point', isBetter: true }],
  [0.7701, 0.77, 'points', 'better', { text: 'No change', isBetter: null }],
  [98, 60, 'minutes', 'worse', { text: '▲ 38 min', isBetter: false }],
  [30, 90, 'minutes', 'worse', { text: '▼ 1 h', isBetter: true }],
  [150, 100, 'relative', 'better', { text: '▲ 50%', isBetter: true }],
  [50, 100, 'relative', 'neither', { text: '▼ 50%', isBetter: null }],
  [0, 0, 'relative', 'better', { text: 'No change', isBetter: null }],
  [5, 0, 'relative', 'better', null],
  [null, 1, 'points', 'better', null],
  [1, null, 'minutes', 'worse', null],
] as const)(
  'from %p now and %p before, in %s where a rise is %s: %j',
  (now, before, unit, rise, change) => {
    expect(changeOf(now, before, { unit, rise })).toEqual(change);
  },
);

test.each([
  [[], [], 0],
  [[{ currency: 'GBP', amount: 5 }], [], 5],
  [[], [{ currency: 'GBP', amount: 5 }], 0],
  [[{ currency: 'GBP', amount: 5 }], [{ currency: 'EUR', amount: 5 }], null],
])('of %j compared with %j, the amount is %p', (amounts, others, amount) => {
  expect(onlyAmount(amounts, others)).toBe(amount);
});
