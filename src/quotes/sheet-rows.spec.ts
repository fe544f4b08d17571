import { expect, it } from '@jest/globals';
import { rowsIn } from './sheet-rows.js';

const bounds = { separator: ',', most: 10, longest: 20 };
const found = (text: string, other: Partial<typeof bounds> = {}) =>
  rowsIn(text, { ...bounds, ...other }).map(({ line, start, end, fields, isOpen }) => [
    ...[line, text.slice(start, end), fields],
    ...(isOpen ? ['open'] : []),
  ]);

it.each([
  ['a,b\nc\n', [1, 'a,b', 2], [2, 'c', 1]],
  ['a\r\n\r\n , \r\nb', [1, 'a\r', 1], [4, 'b', 1]],
  ['a\rb\r', [1, 'a', 1], [2, 'b', 1]],
  ['"a\n""b"\nc', [1, '"a\n""b"', 1], [3, 'c', 1]],
  ['a, "b,\nc" ,d\ne', [1, 'a, "b,\nc" ,d', 3], [3, 'e', 1]],
  ['a\nb "c\nd\n', [1, 'a', 1], [2, 'b "c\nd\n', 1]],
  ['a\n"b\nc', [1, 'a', 1], [2, '"b\nc', 1, 'open']],
  ['', ...[]],
])('finds the rows of %j', (text, ...rows) => {
  expect(found(text)).toEqual(rows);
});

it('ends at the most rows, or at a row that is too long', () => {
  expect(found('a\nb\nc\n', { most: 2 })).toHaveLength(2);
  expect(found(`a\n${'b'.repeat(30)}\nc\n`)).toEqual([
    [1, 'a', 1],
    [2, 'b'.repeat(21), 1],
  ]);
  expect(found(' '.repeat(30))).toHaveLength(1);
});
