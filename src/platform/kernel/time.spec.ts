import { expect, it } from '@jest/globals';
import { addDays } from './time.js';

it.each([
  ['2026-11-21', 1, '2026-11-22'],
  ['2026-12-31', 1, '2027-01-01'],
  ['2026-03-01', -1, '2026-02-28'],
  ['2026-03-28', 2, '2026-03-30'],
])('addDays(%s, %d) is %s', (day, count, later) => {
  expect(addDays(day, count)).toBe(later);
});
