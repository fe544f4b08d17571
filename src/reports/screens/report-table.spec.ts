import { expect, it, test } from '@jest/globals';
import {
  amountColumns,
  amountsInWords,
  csvOf,
  minutesColumn,
  shareCell,
  tableOf,
} from './report-table.js';
import { productChoices } from './report-scope.service.js';

const rows = [
  { name: '=1+1', minutes: 98, share: 0.456, amounts: [{ currency: 'GBP', amount: 1234.5 }] },
  { name: 'A, "B"', minutes: null, share: null, amounts: [{ currency: 'JPY', amount: 500 }] },
  { name: 'C', minutes: 0, share: 0, amounts: null },
];
const table = tableOf(rows, {
  Name: ({ name }) => ({ text: name, href: '/x' }),
  ...minutesColumn('Median', (row: (typeof rows)[number]) => row.minutes),
  Share: ({ share }) => shareCell(share),
  ...amountColumns(rows, 'per month', ({ amounts }) => amounts),
});

it('has columns for each currency, and texts for people', () => {
  expect(table.columns.map(({ name }) => name)).toEqual([
    'Name',
    'Median',
    'Share',
    '£ per month',
    'JP¥ per month',
  ]);
  const texts = table.rows[0]!.map((cell) =>
    cell !== null && typeof cell === 'object' ? cell.text : cell,
  );
  expect(texts).toEqual(['=1+1', '1 h 38 min', '46%', '1,234.50', '0']);
});

it('is exported with plain numbers, and without formulas', () => {
  expect(csvOf(table)).toBe(
    'Name,Median (minutes),Share,GBP per month,JPY per month\r\n' +
      "'=1+1,98,0.456,1234.5,0\r\n" +
      '"A, ""B""",,,0,500\r\n' +
      'C,0,0,,\r\n',
  );
});

test.each([
  [[], '–'],
  [[{ currency: 'GBP', amount: 12345.5 }], '£12,346'],
  [rows.flatMap(({ amounts }) => amounts ?? []), '£1,235 + JP¥500'],
])('amounts of %j are %j in words', (amounts, words) => {
  expect(amountsInWords(amounts)).toBe(words);
});

test('products are offered by family, then one by one', () => {
  expect(productChoices(['INT-1G-12', 'ETH-1G-12', 'INT-1G-36', 'ADSL'])).toEqual([
    { value: 'INT-*', name: 'All INT' },
    { value: 'ADSL', name: 'ADSL' },
    { value: 'ETH-1G-12', name: 'ETH-1G-12' },
    { value: 'INT-1G-12', name: 'INT-1G-12' },
    { value: 'INT-1G-36', name: 'INT-1G-36' },
  ]);
});
