import { liveOrders } from '../../orders/delivery/live-orders.js';
import { type LiveOrder, quantile } from '../../catalogue/track/track.js';
import { addDays } from '../../platform/kernel/time.js';
import { groupInTurns, inTurns } from '../../platform/kernel/turns.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { Bars, Legend } from '../drawing/charts.js';
import { count, orNull, share, text } from '../drawing/columns.js';
import { MOST_BARS, reportTable, type ChartSeries } from '../drawing/report-table.js';
import { compare, ratio, sum } from '../report-figures.js';
import { whole } from '../../platform/kernel/counts.js';

const series: readonly ChartSeries[] = [
  { series: 's1', name: 'Within what was promised' },
  { series: 's4', name: 'Later' },
];

/** Services below which a percentile would be of single orders. */
const LEAST_FOR_PERCENTILES = 10;

/** @param orders of one zone and family, at least one */
function rowOf(orders: readonly LiveOrder[]) {
  const { zone, family } = orders[0]!;
  const promised = orders.map(({ promisedDays }) => promisedDays);
  const took = orders.map(({ tookDays }) => tookDays);
  const isEnough = orders.length >= LEAST_FOR_PERCENTILES;
  return {
    zone,
    family,
    orders: orders.length,
    promised: quantile(promised, 0.5),
    median: isEnough ? quantile(took, 0.5) : null,
    p80: isEnough ? quantile(took, 0.8) : null,
    late: orders.filter(({ promisedDays, tookDays }) => tookDays > promisedDays).length,
    afterCommitted: orders.filter(
      ({ committedDays, tookDays }) => committedDays !== null && tookDays > committedDays,
    ).length,
    charged: ratio(orders.filter(({ charged }) => charged > 0).length, orders.length),
  };
}

function barText({ orders, promised, median, p80 }: ReturnType<typeof rowOf>): string {
  const start = `${whole(orders)}: promised ${whole(promised)} days`;
  return median === null || p80 === null
    ? `${start}, too few for percentiles`
    : `${start}, median ${whole(median)}, 80 % within ${whole(p80)}`;
}

/** What was promised against what happened. */
export const delivered = reportTable({
  name: 'delivered',
  title: 'Promised and delivered',
  definition:
    'Orders whose service went live in this period, by zone and product family: calendar days from the acceptance to the live service, as promised by the lead time and as they were, without the days that waited for the client, and how many were later than the date that was committed last. Percentiles are given from 10 services on. The filters of orders do not apply.',
  empty: 'No service went live in this period.',
  row: 'A product family in a zone.',
  most: 1_000,
  columns: {
    zone: text('Zone', 'The zone. @kind zone'),
    family: text('Family', 'The product family. @maxLength 32 @example "INT"'),
    orders: count('Orders', 'Orders whose service went live.'),
    promised: count('Promised days', 'The median of the promised days.'),
    median: orNull(
      count('Median days', 'The days within which half of the services were live; null below 10.'),
    ),
    p80: orNull(
      count('80 % within days', 'The days within which 80 % were live; null below 10 services.'),
    ),
    late: count('Later than promised', 'Services that were live after the promised day.'),
    afterCommitted: count(
      'Later than committed',
      'Services that were live after the date that was committed last.',
    ),
    charged: share('Charged', 'Share of the orders with accepted extra charges. @example 0.2'),
  },
  count: async (from, query) => {
    const { start, end } = from.rangeOf(query);
    const first = londonDay(new Date(start));
    const last = londonDay(new Date(end - 1));
    const orders = liveOrders(from.transactions, first, addDays(last, 1));
    const groups = await groupInTurns(orders, ({ zone, family }) => `${zone} ${family}`);
    const rows: ReturnType<typeof rowOf>[] = [];
    for await (const group of inTurns(groups.values())) rows.push(rowOf(group));
    return rows.sort(
      (a, b) => b.orders - a.orders || compare(a.zone, b.zone) || compare(a.family, b.family),
    );
  },
  nameOf: ({ zone }, { zoneInWords }) => zoneInWords(zone),
  draw: (rows, { zoneInWords }) =>
    rows.length > 0 && (
      <>
        <Legend series={series} />
        <Bars
          id="delivered"
          title="Services that went live"
          description={`${whole(sum(rows.map(({ orders }) => orders)))} services went live, ${whole(sum(rows.map(({ late }) => late)))} of them late.`}
          series={series}
          bars={rows.slice(0, MOST_BARS).map((row) => ({
            label: `${zoneInWords(row.zone)}, ${row.family}`,
            values: [row.orders - row.late, row.late],
            text: barText(row),
          }))}
        />
      </>
    ),
});
