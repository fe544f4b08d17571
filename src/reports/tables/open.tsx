import { Bars } from '../drawing/charts.js';
import { amounts, amountsInWords, code, count } from '../drawing/columns.js';
import { oneSeries, reportTable } from '../drawing/report-table.js';
import { addAmounts, amountsByCurrency, sum } from '../report-figures.js';
import { whole } from '../../platform/kernel/counts.js';

const kinds = { order: 'Orders', enquiry: 'Enquiries' } as const;

/** Says how the other tables, which leave out enquiries, agree with the numbers in the navigation. */
export const open = reportTable({
  name: 'open',
  title: 'Open now',
  definition:
    'Orders and enquiries that are open now. All open in the navigation counts both; reports of orders leave out enquiries.',
  empty: 'No order or enquiry is open.',
  row: 'Open orders, or open enquiries.',
  most: 2,
  columns: {
    kind: code('Kind', '`order` or `enquiry`.', kinds),
    open: count('Open', 'How many are open.'),
    amounts: amounts('per month', 'Their monthly prices, by currency; none of enquiries.'),
  },
  count: async ({ counts }, filter) => {
    const orders = await counts.openOrders({}, filter);
    const enquiries = await counts.openOrders({ kind: 'enquiry', withoutAmounts: true }, filter);
    return (
      [
        ['order', orders],
        ['enquiry', enquiries],
      ] as const
    ).map(([kind, groups]) => {
      const total = new Map<string, number>();
      for (const group of groups) addAmounts(total, group.amounts);
      const number = sum(groups.map(({ n }) => n));
      return { kind, open: number, amounts: amountsByCurrency(total) };
    });
  },
  draw: (rows) => {
    const total = sum(rows.map((row) => row.open));
    return (
      total > 0 && (
        <Bars
          id="open"
          title="Open orders and enquiries"
          description={`${whole(total)} are open: ${rows.map((row) => `${kinds[row.kind]} ${whole(row.open)}`).join(', ')}.`}
          series={oneSeries('s1', 'Open')}
          bars={rows.map((row) => ({
            label: kinds[row.kind],
            values: [row.open],
            text: [
              whole(row.open),
              ...(row.amounts.length === 0 ? [] : [amountsInWords(row.amounts)]),
            ].join(', '),
          }))}
        />
      )
    );
  },
});
