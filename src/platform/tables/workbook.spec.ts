import { describe, expect, it, test } from '@jest/globals';
import { type BuiltWorkbook, workbookOf, zipOf } from '../../../test/support/workbook.js';
import { Refused } from '../problems/refused.js';
import { refuseOtherKinds } from './bytes-to-text.js';
import { refuseWorkbook, readWorkbook } from './workbook.js';

const bounds = { mostBytes: 4 * 1_024 * 1_024, mostRows: 1_000 };

async function read(built: BuiltWorkbook, sheet?: string) {
  return readWorkbook(await workbookOf(built), { ...bounds, sheet });
}

const cellsOf = async (built: BuiltWorkbook) => (await read(built)).rows.map(({ cells }) => cells);
const cell = (attributes: string, value: string) => ({
  xml: `<c ${attributes}><v>${value}</v></c>`,
});

describe('a workbook', () => {
  it('has the rows of its first sheet that is not hidden, or of the named one', async () => {
    const built = {
      sheets: { Lists: [['x']], Sites: [[], ['', 'HQ']], 'Old sites': [['B']] },
      hidden: ['Lists'],
    };
    const first = { sheets: ['Sites', 'Old sites'], sheet: 'Sites' };
    expect(await read(built)).toEqual({ ...first, rows: [{ line: 2, cells: ['', 'HQ'] }] });
    expect(await read(built, 'OLD sites')).toMatchObject({ sheet: 'Old sites' });
    await expect(read(built, 'Sties')).rejects.toThrow('The sheets are Sites, Old sites.');
  });

  it('has days, numbers, results of formulas and errors as a person sees them', async () => {
    const row = [
      cell('s="1"', '46353'),
      cell('s="2"', '46353.5'),
      cell('s="3"', '0.30000000000000004'),
      100023336956,
      cell('', '1.00023336956E11'),
      { xml: '<c t="str"><f>A1&amp;"x"</f><v>EC2A 2BS</v></c>' },
      cell('t="b"', '1'),
      cell('t="e"', '#N/A'),
      '=1+1 & <b>',
    ];
    expect(await cellsOf({ sheets: { A: [row] } })).toEqual([
      [
        ...['2026-11-27', '2026-11-27T12:00:00', '0.3', '100023336956', '100023336956'],
        ...['EC2A 2BS', 'TRUE', '#N/A', '=1+1 & <b>'],
      ],
    ]);
  });

  it('counts days from 1904 if it says so', async () => {
    const built = {
      sheets: { A: [[cell('s="1"', '44891')]] },
      settings: '<workbookPr date1904="1"/>',
    };
    expect(await cellsOf(built)).toEqual([['2026-11-27']]);
  });

  it('has shared texts, also formatted ones, without the readings of their characters', async () => {
    const parts = {
      'xl/sharedStrings.xml':
        '<x:sst xmlns:x="m"><x:si><x:t>HQ</x:t></x:si><x:si><x:r><x:t>EC2A</x:t></x:r><x:r><x:t> 2BS</x:t></x:r><x:rPh><x:t>no</x:t></x:rPh></x:si></x:sst>',
    };
    const rows = [[cell('t="s"', '0'), cell('t="s"', '1'), cell('t="s"', '9')]];
    expect(await cellsOf({ sheets: { A: rows }, parts })).toEqual([['HQ', 'EC2A 2BS', '']]);
  });

  it('has a value that is merged over rows in each of them, and one over columns once', async () => {
    const rows = [
      ['Title', ''],
      ['Leeds', 'A'],
      ['', 'B'],
    ];
    const after = '<mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="A1:B1"/></mergeCells>';
    expect(await cellsOf({ sheets: { A: rows }, after })).toEqual([
      ['Title'],
      ['Leeds', 'A'],
      ['Leeds', 'B'],
    ]);
  });
});

const fine = { sheets: { A: [['postcode'], ['E1 1AA']] } };
const rowsOf = (number: number) => Array.from({ length: number }, () => []);
const bomb = Buffer.alloc(8 * 1_024 * 1_024, ' ');

test.each<[what: string, bytes: () => Promise<Buffer>, sentence: string]>([
  [
    'with shared texts of many megabytes',
    () => workbookOf({ ...fine, parts: { 'xl/sharedStrings.xml': bomb } }),
    'unpacked it has more than 4 MB',
  ],
  [
    'with a sheet of many megabytes',
    () => workbookOf({ ...fine, parts: { 'xl/worksheets/sheet1.xml': bomb } }),
    'unpacked it has more than 4 MB',
  ],
  [
    'with empty rows to the end',
    () => workbookOf({ sheets: { A: rowsOf(20_000) } }),
    'more than 1,000 rows, or 5,000 empty ones',
  ],
  [
    'with links to other files',
    () => workbookOf({ ...fine, parts: { 'xl/externalLinks/externalLink1.xml': '<a/>' } }),
    'takes values from other files',
  ],
  [
    'that declares entities',
    () =>
      workbookOf({
        ...fine,
        parts: { 'xl/sharedStrings.xml': '<!DOCTYPE a [<!ENTITY b "b">]><sst>&b;</sst>' },
      }),
    'declares entities',
  ],
  [
    'of damaged XML',
    () => workbookOf({ ...fine, parts: { 'xl/worksheets/sheet1.xml': '<worksheet><row' } }),
    'The workbook is damaged',
  ],
  [
    'that is cut off',
    async () => (await workbookOf(fine)).subarray(0, 500),
    'The workbook is damaged',
  ],
  [
    'of Numbers',
    () => zipOf({ 'Index/Document.iwa': 'x' }),
    'In Numbers, use File, Export To, Excel',
  ],
  ['of LibreOffice', () => zipOf({ mimetype: 'x', 'content.xml': 'x' }), '(.ods)'],
  ['in binary form', () => zipOf({ 'xl/workbook.bin': 'x' }), '(.xlsb)'],
  ['that is another zip', () => zipOf({ 'a.csv': 'x' }), 'This zip file is no workbook'],
])('refuses a workbook %s', async (_what, bytes, sentence) => {
  const sent = await bytes();
  await expect(readWorkbook(sent, bounds)).rejects.toThrow(Refused);
  await expect(readWorkbook(sent, bounds)).rejects.toThrow(sentence);
});

test('refuses a large workbook without unpacking it', async () => {
  const sent = await workbookOf({ ...fine, parts: { 'xl/sharedStrings.xml': bomb } });
  await expect(refuseWorkbook(sent, bounds)).rejects.toThrow('unpacked it has more than 4 MB');
});

test.each([
  [Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]), '(.xls)'],
  [
    Buffer.concat([Buffer.from('d0cf11e0', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    'has a password',
  ],
  [Buffer.from('%PDF-1.7'), 'This is a PDF'],
  [Buffer.from('<html><table>'), 'This is a web page or XML'],
  [Buffer.from([0x1f, 0x8b, 8]), 'compressed (.gz)'],
])('refuses a file that is no table: %#', (bytes, sentence) => {
  expect(() => refuseOtherKinds(bytes)).toThrow(sentence);
});
