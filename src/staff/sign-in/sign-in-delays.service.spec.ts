import { expect, it } from '@jest/globals';
import { delayAfter } from './sign-in-delays.service.js';

it('grows with each failure after the third, and has an end', () => {
  const delays = Array.from({ length: 14 }, (_, i) => delayAfter(i));
  expect(delays).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
  expect(delayAfter(2_000)).toBe(300);
});
