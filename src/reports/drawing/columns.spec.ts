import { expect, it, test } from '@jest/globals';
import {
  amounts,
  amountsInWords,
  count,
  csvOf,
  orNull,
  printed,
  share,
  text,
  unprinted,
  workingMinutes,
} from './columns.js';

const columns = {
  id: unprinted(text('', 'Identifies the row.')),
  name: orNull(text('Name', 'The name.'), 'All'),
  minutes: workingMinutes('Median', 'Working minutes.'),
  share: share('% won', 'The share won.', 'Share won'),
  number: orNull(count('Number', 'How many.')),
  amounts: orNull(amounts('per month', 'By currency.')),
};
const table = printed(columns, [
  {
    id: 'a',
    name: '=1+1',
    minutes: 98,
    share: 0.456,
    number: 1200,
    amounts: [{ currency: 'GBP', amount: 1234.5 }],
  },
  {
    id: 'b',
    name: 'A, "B"',
    minutes: null,
    share: null,
    number: null,
    amounts: [{ currency: 'JPY', amount: 500 }],
  },
  { id: 'c', name: null, minutes: 0, share: 0, number: 0, amounts: null },
]);

it('prints a column for each currency, none for an id, and texts for people', () => {
  expect(table.map(({ name }) => name)).toEqual([
    'Name',
    'Median',
    '% won',
    'Number',
    '£ per month',
    'JP¥ per month',
  ]);
  const textsOf = (row: number) =>
    table.map(({ cells }) => {
      const cell = cells[row]!;
      return cell !== null && typeof cell === 'object' ? cell.text : cell;
    });
  expect([0, 1, 2].map(textsOf)).toEqual([
    ['=1+1', '1 h 38 min', '46%', 1200, '1,234.50', '0'],
    ['A, "B"', null, null, null, '0.00', '500'],
    ['All', '0 min', '0%', 0, null, null],
  ]);
});

it('is exported with plain numbers, and without formulas', () => {
  expect(csvOf(table)).toBe(
    'Name,Median (minutes),Share won,Number,GBP per month,JPY per month\r\n' +
      "'=1+1,98,0.456,1200,1234.5,0\r\n" +
      '"A, ""B""",,,,0,500\r\n' +
      'All,0,0,0,,\r\n',
  );
});

test.each([
  [[], '–'],
  [[{ currency: 'GBP', amount: 12345.5 }], '£12,346'],
  [
    [
      { currency: 'GBP', amount: 1234.5 },
      { currency: 'JPY', amount: 500 },
    ],
    '£1,235 + JP¥500',
  ],
])('amounts of %j are %j in words', (all, words) => {
  expect(amountsInWords(all)).toBe(words);
});
