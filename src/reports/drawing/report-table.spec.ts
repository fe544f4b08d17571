import { expect, it } from '@jest/globals';
import type { ReportSourcesService } from '../report-sources.service.js';
import { amounts, count, csvOf, text } from './columns.js';
import { countReport, printTable, reportTable } from './report-table.js';

const pounds = (amount: number) => [{ currency: 'GBP', amount }];
const table = reportTable({
  name: 'made-up',
  title: 'Made up',
  definition: 'Orders by colour.',
  empty: 'No orders.',
  row: 'A colour.',
  most: 2,
  columns: {
    colour: text('Colour', 'The colour. @maxLength 8'),
    orders: count('Orders', 'How many.'),
    amounts: amounts('per month', 'Their prices.'),
  },
  // In another order, and with what no column declares.
  count: () => {
    const rows = [
      { orders: 2, hidden: 1, amounts: pounds(10.5), colour: 'red' },
      { orders: 0, hidden: 2, amounts: [], colour: 'blue' },
    ];
    return Promise.resolve(rows);
  },
  link: ({ colour }) => `/orders/${colour}`,
});
const view = {
  period: { from: '2026-03-01', to: '2026-03-02' },
  targetMinutes: 240,
  zoneInWords: (zone: string) => zone,
};

it('gives the JSON, the CSV file and the table of the page from the same columns', async () => {
  const counted = await countReport([table], {} as ReportSourcesService, {});
  expect(JSON.stringify(counted)).toBe(
    '{"madeUp":[{"colour":"red","orders":2,"amounts":[{"currency":"GBP","amount":10.5}]},{"colour":"blue","orders":0,"amounts":[]}]}',
  );
  const columns = printTable(table, counted.madeUp!, view);
  expect(csvOf(columns)).toBe('Colour,Orders,GBP per month\r\nred,2,10.5\r\nblue,0,0\r\n');
  expect(columns.map(({ name, cells }) => [name, cells[0]])).toEqual([
    ['Colour', { text: 'red', href: '/orders/red' }],
    ['Orders', 2],
    ['£ per month', { text: '10.50', value: 10.5 }],
  ]);
});
