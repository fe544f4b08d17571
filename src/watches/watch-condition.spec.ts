import { expect, it } from '@jest/globals';
import { lastChange } from './watch-condition.js';

it.each([
  [9, 0],
  [10, 10],
  [19, 10],
  [20, 20],
  [21, 20],
])('at %d, the last zone became ready at %d', (at, expected) => {
  expect(lastChange({ changeInstants: [10, 20] }, at)).toBe(expected);
});
