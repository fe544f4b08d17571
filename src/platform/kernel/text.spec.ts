import { expect, it } from '@jest/globals';
import { csvCell, escapeHtml } from './text.js';

it.each([
  ['=1+1', "'=1+1"],
  ['+44 20', "'+44 20"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [' =1', "' =1"],
  ['\t=1', "'\t=1"],
  ['＝1', "'＝1"],
  ['a=1', 'a=1'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  [-5, '-5'],
  [true, 'true'],
  [null, ''],
  [undefined, ''],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
])('%j becomes the cell %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});

it('escapeHtml escapes the five characters with a meaning in HTML', () => {
  expect(escapeHtml(`<a href="x" title='y'>&`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;',
  );
});
