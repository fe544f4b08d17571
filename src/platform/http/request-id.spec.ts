import { expect, it } from '@jest/globals';
import { countHeader } from './request-id.js';

it.each([
  [0, []],
  [0, ['Host', 'authorization', 'X-Authorization', 'a']],
  [1, ['Host', 'x', 'Authorization', 'a']],
  [1, ['AUTHORIZATION', 'Authorization']],
  [2, ['authorization', 'a', 'Accept', 'b', 'Authorization', 'a']],
])('finds %d Authorization headers in %j', (count, rawHeaders) => {
  expect(countHeader(rawHeaders, 'authorization')).toBe(count);
});
