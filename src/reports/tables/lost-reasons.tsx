import { codesOf, lostReasonNames, nameOf } from '../../orders/moves/move-fields.js';
import { percent } from '../drawing/chart-scale.js';
import { Bars } from '../drawing/charts.js';
import { amounts, amountsInWords, count, share, text } from '../drawing/columns.js';
import { oneSeries, reportTable } from '../drawing/report-table.js';
import { amountsByCurrency, compare, ratio, sum } from '../report-figures.js';
import { whole } from '../../platform/kernel/counts.js';

const nameOfReason = (reason: string) => nameOf(lostReasonNames, reason);

export const lostReasons = reportTable({
  name: 'lost-reasons',
  title: 'Why orders were lost',
  definition: 'Orders closed as lost in this period, by reason.',
  empty: 'No order was closed as lost in this period.',
  row: 'A reason.',
  most: codesOf(lostReasonNames).length,
  columns: {
    reason: text('Reason', 'The reason. @kind reason', nameOfReason),
    orders: count('Orders', 'How many orders.'),
    share: share('Share', 'Of all orders lost; 0 to 1. @example 0.25'),
    amounts: amounts('per month', 'Their monthly prices, by currency.'),
  },
  count: async (from, query) => {
    // Groups by state without `WHERE state = 'lost'`, which would read a whole index for each slice.
    const groups = await from.counts.orders(
      { at: 'closedAt', by: { state: 'r.state', reason: 'r.closeReason' } },
      from.rangeOf(query),
      query,
    );
    const lost = groups.filter(({ by }) => by.state === 'lost');
    const total = sum(lost.map(({ n }) => n));
    return lost
      .map(({ by, n, amounts: minor }) => ({
        reason: String(by.reason ?? 'other'),
        orders: n,
        share: ratio(n, total),
        amounts: amountsByCurrency(minor),
      }))
      .sort((a, b) => b.orders - a.orders || compare(a.reason, b.reason));
  },
  draw: (rows) =>
    rows.length > 0 && (
      <Bars
        id="lost-reasons"
        title="Why orders were lost"
        description={`${whole(sum(rows.map(({ orders }) => orders)))} were lost. The most frequent reason: ${nameOfReason(rows[0]!.reason)}.`}
        series={oneSeries('s1', 'Orders')}
        bars={rows.map((row) => ({
          label: nameOfReason(row.reason),
          values: [row.orders],
          text: `${whole(row.orders)}, ${percent(row.share ?? 0)}, ${amountsInWords(row.amounts)}`,
        }))}
      />
    ),
});
