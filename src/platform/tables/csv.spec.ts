import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { processorTime } from '../../../test/support/processor-time.js';
import { CsvFault, CsvReader, csvRecord, LONGEST_RECORD } from './csv.js';

interface Read {
  records: [line: number, ...fields: string[]][];
  faults: CsvFault[];
}

function read(...chunks: string[]): Read {
  const result: Read = { records: [], faults: [] };
  const reader = new CsvReader(
    (fields, line) => result.records.push([line, ...fields]),
    (fault) => result.faults.push(fault),
  );
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return result;
}

/** `text` cut at the given fractions of its length. */
function cut(text: string, fractions: readonly number[]): string[] {
  const at = fractions.map((fraction) => Math.floor(fraction * text.length)).sort((a, b) => a - b);
  return [0, ...at].map((start, i) => text.slice(start, at[i] ?? text.length));
}

const fractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

/** What a file starts with, and what the rest of it repeats. */
const hostileShapes = [
  ['', 'x'],
  ['', ','],
  ['', '\n'],
  ['', '\r'],
  ['', '"'],
  ['', '""'],
  ['"', 'x'],
  ['"', '""'],
  ['"a"', ','],
  ['"a",', 'x'],
  ['', '"a",'],
  ['', '"a"b'],
  ['', 'a"\n'],
  ['', '"a"b\n'],
  ['', '"a""\n'],
  ['', '"\n'],
  ['', '"\n\n'],
  ['', 'x,"\n'],
  ['', '"a"\r'],
  ['"', '\n'],
  ['', '#"\n'],
  ['', ' \n'],
] as const;

describe('reading CSV', () => {
  test.each<[what: string, text: string, records: Read['records']]>([
    ['fields and lines', 'a,b\nc,d\n', [[1, 'a', 'b'], [2, 'c', 'd']]], // prettier-ignore
    ['no line break at the end', 'a,b', [[1, 'a', 'b']]],
    ['CRLF', 'a,b\r\nc,d\r\n', [[1, 'a', 'b'], [2, 'c', 'd']]], // prettier-ignore
    ['CR at the very end', 'a,b\r', [[1, 'a', 'b']]],
    ['a byte order mark', '\ufeffa,b\n', [[1, 'a', 'b']]],
    ['empty fields', ',\n', [[1, '', '']]],
    ['a comma at the end', 'a,', [[1, 'a', '']]],
    ['blank lines and comments', '# "x\n\na\n \t\r\n#\nb', [[3, 'a'], [6, 'b']]], // prettier-ignore
    ['white space kept', ' a , b ', [[1, ' a ', ' b ']]],
    ['quotes', '"a","b,""c"""\n', [[1, 'a', 'b,"c"']]],
    ['quotes with CRLF', '"a","b"\r\n"c",d\r\n', [[1, 'a', 'b'], [2, 'c', 'd']]], // prettier-ignore
    ['quotes and CR at the very end', '"a"\r', [[1, 'a']]],
    ['an empty quoted field', '"",a', [[1, '', 'a']]],
    ['a comma at the end after quotes', '"a",', [[1, 'a', '']]],
    ['a quoted #', '"#a"', [[1, '#a']]],
    ['lines counted through quoted breaks', '"a\r\nb\n",c\nd', [[1, 'a\r\nb\n', 'c'], [4, 'd']]], // prettier-ignore
    ['nothing', '', []],
    ['nothing but a mark', '\ufeff', []],
  ])('%s', (_, text, records) => {
    const expected = { records, faults: [] };
    expect([read(text), read(...text)]).toEqual([expected, expected]);
  });

  test.each<
    [what: string, text: string, fault: [number, number, string, RegExp], records: number[]]
  >([
    ['an unclosed quote', 'a\nb,"c,d\ne,f\n', [2, 2, '"c,d', /never closed/], [1, 3]],
    ['one at the end', 'a\n"', [2, 1, '"', /never closed/], [1]],
    ['text after a quote', '"a"b,c\nd\n', [1, 1, '"a"b,c', /after the closing quote/], [2]],
    ['… over lines', 'x,"a\nb"c\nd\n', [1, 2, '"a', /after the closing quote/], [3]],
    ['a space after a quote', '"a" ,b\nc', [1, 1, '"a" ,b', /after the closing quote/], [2]],
    ['a quote inside', 'a,1" b,c\nd\n', [1, 2, '1" b', /does not begin with one/], [2]],
    ['a space before a quote', 'a, "b"\nd\n', [1, 2, ' "b"', /does not begin with one/], [2]],
  ])('reports %s and goes on', (_, text, [line, column, value, reason], records) => {
    const result = read(text);
    const fault = expect.objectContaining({ line, column, value, reason: expect.stringMatching(reason) }); // prettier-ignore
    expect([result.faults, result.records.map(([at]) => at)]).toEqual([[fault], records]);
    expect(read(...text)).toEqual(result);
  });

  it('keeps an unclosed quote from swallowing the rest of a long file', () => {
    const rows = 'a,b\n'.repeat(LONGEST_RECORD);
    for (const last of ['', '"c",d\n']) {
      const { records, faults } = read(`a,"b\n${rows}${last}`);
      expect(faults.map(({ line }) => line)).toEqual([1]);
      expect(records.length).toBe(LONGEST_RECORD + (last === '' ? 0 : 1));
    }
  });

  it.each(['', '"a",'])('refuses a line without an end: %s…', (start) => {
    const chunks = Array<string>(200).fill('x'.repeat(1_000));
    const { records, faults } = read('a\n', start, ...chunks, '\nb\n');
    expect([records, faults.map(({ line }) => line)]).toEqual([[[1, 'a'], [3, 'b']], [2]]); // prettier-ignore
  });

  describe.each([
    ['without quotes', 'x'.repeat(LONGEST_RECORD + 1)],
    ['with a comma after each character', 'x,'.repeat(LONGEST_RECORD)],
    ['of commas after a quoted value', `"a"${','.repeat(LONGEST_RECORD)}`],
    ['of a long value after a quoted one', `"a",${'x'.repeat(LONGEST_RECORD)}`],
    ['of many quoted values', '"a",'.repeat(LONGEST_RECORD)],
    ['of one quoted value', `"${'x'.repeat(LONGEST_RECORD)}"`],
    ['of doubled quotes', `"${'""'.repeat(LONGEST_RECORD)}"`],
    ['with text after a closing quote', `"a"${'x'.repeat(LONGEST_RECORD)}`],
    ['with a quote at its end', `${'x'.repeat(LONGEST_RECORD)}"`],
  ])('a record of more than 65,536 characters %s', (_, record) => {
    const text = `a\n${record}\nb\n`;

    it('is refused, and the next line is read', () => {
      const { records, faults } = read(text);
      expect([records, faults.map(({ line }) => line)]).toEqual([[[1, 'a'], [3, 'b']], [2]]); // prettier-ignore
    });

    it.each([1_000, 65_537, 100_000])('is refused alike in chunks of %d characters', (size) => {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      expect(read(...chunks)).toEqual(read(text));
    });
  });

  it('reads a record of 65,536 characters with and without quotes', () => {
    for (const start of ['', '"a",']) {
      const record = start + 'x'.repeat(LONGEST_RECORD - start.length);
      expect([read(`${record}\n`).records.length, read(`${record}x\n`).records.length]).toEqual([
        1, 0,
      ]);
    }
  });

  it.each(hostileShapes)('reads %j and 1 MB of %j in less than a second', (start, repeated) => {
    const text = start + repeated.repeat(Math.ceil(1_048_576 / repeated.length));
    expect(processorTime(() => read(text))).toBeLessThan(1);
  });

  it('reads the same wherever the chunks are cut', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '#', ',', '"', '\n', '\r', '\r\n', '","', '"\n'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, fractions, (text, fractions) => {
        expect(read(...cut(text, fractions))).toEqual(read(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads what csvRecord wrote', () => {
    const value = fc.string({ unit: fc.constantFrom('a', 'é', '#', ' ', ',', '"', '\n', '\r') });
    const record = fc.array(value, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), fractions, (records, fractions) => {
        const text = records.map(csvRecord).join('');
        const { records: found, faults } = read(...cut(text, fractions));
        expect([found.map(([, ...fields]) => fields), faults]).toEqual([records, []]);
      }),
      { numRuns: 1_000 },
    );
  });
});
