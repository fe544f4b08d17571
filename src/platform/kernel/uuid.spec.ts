import { expect, it } from '@jest/globals';
import { isUuid } from './uuid.js';

const id = '5b0a7c9e-2f64-4f5d-9a51-0d3c7e8b6a21';

it.each([
  [id, true],
  [id.toUpperCase(), true],
  ['', false],
  [`${id}\n`, false],
  [` ${id}`, false],
  [id.replaceAll('-', ''), false],
  [id.replace('5', 'g'), false],
])('isUuid(%j) is %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});
