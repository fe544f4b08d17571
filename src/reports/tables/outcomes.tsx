import {
  type ClosedState,
  isClosed,
  isOrderState,
  stateInfo,
} from '../../orders/record/order-states.js';
import { Bars, Legend } from '../drawing/charts.js';
import { amounts, amountsInWords, count, share, text } from '../drawing/columns.js';
import {
  MOST_BARS,
  oneSeries,
  ordersWhere,
  reportTable,
  type SeriesColour,
} from '../drawing/report-table.js';
import {
  addAmounts,
  amountsByCurrency,
  compare,
  ratio,
  rowsByKey,
  sum,
} from '../report-figures.js';
import { whole } from '../../platform/kernel/counts.js';
import { codesOf, lostReasonNames, nameOf } from '../../orders/moves/move-fields.js';
import { percent } from '../drawing/chart-scale.js';

const outcome = (state: ClosedState, words: string) => count(stateInfo[state].name, words);
const counted = {
  won: outcome('won', 'Of the orders received, those won.'),
  open: count('Open', 'Of the orders received, those that are open.'),
  lost: outcome('lost', 'Of the orders received, those lost.'),
  cancelled: outcome('cancelled', 'Of the orders received, those cancelled.'),
  duplicate: outcome('duplicate', 'Of the orders received, those that are duplicates.'),
} satisfies Readonly<Record<ClosedState | 'open', unknown>>;
const outcomes = Object.keys(counted) as (keyof typeof counted)[];
const colours: Readonly<Record<keyof typeof counted, SeriesColour>> = {
  won: 's1',
  open: 's2',
  lost: 's3',
  cancelled: 's4',
  duplicate: 's5',
};
const series = outcomes.map((name) => ({
  series: colours[name],
  name: name === 'open' ? 'Open' : stateInfo[name].name,
}));

export const outcomesByProduct = reportTable({
  name: 'outcomes',
  title: 'Outcome by product',
  definition: 'Current status of the orders received in this period, by product.',
  empty: 'No order was received in this period.',
  row: 'A product.',
  most: 10_000,
  columns: {
    productCode: text('Product', "The product's code. @kind product"),
    received: count('Received', 'Orders received.'),
    ...counted,
    amounts: amounts('per month', 'Monthly prices of the orders received, by currency.'),
    wonAmounts: amounts('won per month', 'Of these, those of orders won.'),
  },
  count: async (from, query) => {
    const groups = await from.counts.orders(
      { at: 'receivedAt', by: { product: 'r.productCode', state: 'r.state' } },
      from.rangeOf(query),
      query,
    );
    const none = Object.fromEntries(outcomes.map((name) => [name, 0])) as Record<
      ClosedState | 'open',
      number
    >;
    const { rows, rowOf } = rowsByKey(() => ({
      ...none,
      received: 0,
      all: new Map<string, number>(),
      won_: new Map<string, number>(),
    }));
    for (const { by, n, amounts: minor } of groups) {
      const state = String(by.state);
      const row = rowOf(by.product);
      row.received += n;
      row[isOrderState(state) && isClosed(state) ? state : 'open'] += n;
      addAmounts(row.all, minor);
      if (state === 'won') addAmounts(row.won_, minor);
    }
    return [...rows]
      .map(([productCode, { all, won_, ...row }]) => ({
        productCode,
        ...row,
        amounts: amountsByCurrency(all),
        wonAmounts: amountsByCurrency(won_),
      }))
      .sort((a, b) => b.received - a.received || compare(a.productCode, b.productCode));
  },
  link: ({ productCode }) => ordersWhere('product', productCode),
  draw: (rows) => {
    const total = (of: 'received' | 'won' | 'lost') => whole(sum(rows.map((row) => row[of])));
    return (
      rows.length > 0 && (
        <>
          <Legend series={series} />
          <Bars
            id="outcomes"
            title="Order status by product"
            description={`Of ${total('received')} orders ${total('won')} are won and ${total('lost')} lost.`}
            series={series}
            bars={rows.slice(0, MOST_BARS).map((row) => ({
              label: row.productCode,
              values: outcomes.map((name) => row[name]),
              text: `${whole(row.received)}, ${amountsInWords(row.amounts)}, ${whole(row.won)} won`,
            }))}
          />
          {rows.length > MOST_BARS && (
            <p class="hint">{`The ${MOST_BARS} most ordered of ${rows.length}: see the table.`}</p>
          )}
        </>
      )
    );
  },
});

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
