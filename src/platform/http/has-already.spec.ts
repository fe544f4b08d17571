import { expect, it } from '@jest/globals';
import { hasAlready } from './has-already.js';

it.each<[known: string | undefined, etag: string, expected: boolean]>([
  [undefined, '"a"', false],
  ['"a"', '"a"', true],
  ['"b"', '"a"', false],
  ['W/"a"', '"a"', true],
  ['"a"', 'W/"a"', true],
  ['"b", W/"a" ,"c"', 'W/"a"', true],
  ['a', '"a"', false],
  ['', '"a"', false],
  [' * ', '"a"', true],
])('compares If-None-Match %j with %j: %j', (known, etag, expected) => {
  expect(hasAlready(known, etag)).toBe(expected);
});
