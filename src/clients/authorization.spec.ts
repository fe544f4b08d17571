import { describe, expect, it } from '@jest/globals';
import { countAuthorization } from './authorization.js';

describe('countAuthorization', () => {
  it.each([
    [0, []],
    [0, ['Host', 'authorization', 'X-Authorization', 'a']],
    [1, ['Host', 'x', 'Authorization', 'a']],
    [1, ['AUTHORIZATION', 'Authorization']],
    [2, ['authorization', 'a', 'Accept', 'b', 'Authorization', 'a']],
  ])('is %d for %j', (count, rawHeaders) => {
    expect(countAuthorization(rawHeaders)).toBe(count);
  });
});
