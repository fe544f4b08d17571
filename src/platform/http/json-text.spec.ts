import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { placeOfFault, propertiesIn, repeatedKeyIn } from './json-text.js';

it.each([
  ['{"a":1,"a":2}', '/a'],
  ['{"a":1,"\\u0061":2}', '/a'],
  ['{"a":{"b":[{"c":1},{"d/~":1,"d/~":2}]}}', '/a/b/1/d~1~0'],
  ['[{"a":[{}],"a":1}]', '/0/a'],
  ['{"a":{"a":1},"b":{"a":1}}', null],
  [`{"a":${'['.repeat(9)}${']'.repeat(9)},"a":1}`, null],
])('finds the key that %s has twice', (text, pointer) => {
  expect(repeatedKeyIn(text)).toBe(pointer);
});

const keysOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>(
        (sum, one) => sum + keysOf(one),
        Array.isArray(value) ? 0 : Object.keys(value).length,
      )
    : 0;

it('counts the properties of any JSON as its value has them', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(propertiesIn(Buffer.from(text))).toBe(keysOf(JSON.parse(text)));
    }),
  );
  expect(propertiesIn(Buffer.from('{ "a:\\"{" : ":\\\\" , "é" : {"a":"\\u003a"} }'))).toBe(3);
});

it('says where a text is no JSON', () => {
  expect(placeOfFault('{"a":\n 1,}')).toBe('line 2, column 4');
});
