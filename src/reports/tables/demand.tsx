import { areaWords } from '../sector-places.js';
import { Bars, Legend } from '../drawing/charts.js';
import { amounts, area, count, share } from '../drawing/columns.js';
import { periodQuery } from '../drawing/period.js';
import { mapOf, MOST_BARS, reportTable, type ChartSeries } from '../drawing/report-table.js';
import { CHECK_AREA, NOTHING_FOUND } from '../report-counts.service.js';
import { amountsByCurrency, compare, ratio, rowsByKey, sum } from '../report-figures.js';
import type { ReportAmount } from '../report-query.dto.js';
import { whole } from '../../platform/kernel/counts.js';

const series: readonly ChartSeries[] = [
  { series: 's1', name: 'Checks with a product' },
  { series: 's4', name: 'Checks without a product' },
];

export const demand = reportTable({
  name: 'demand',
  title: 'Demand by area',
  definition:
    'Checks in this period by postcode area, how many of them found no product, and the places that clients watch now.',
  empty: 'No checks in this period.',
  row: 'A postcode area; most checks first.',
  most: 126,
  columns: {
    area: area(),
    checks: count('Checks', 'Checks made.'),
    checksWithoutProduct: count('Without a product', 'Lost demand: checks without any product.'),
    served: share('Checks served', 'The share of checks with a product. @example 0.93'),
    watched: count(
      'Watched',
      'Places where API clients wait for products: watches that are open now, not those of the period.',
    ),
    orders: count('Orders', 'Orders received.'),
    amounts: amounts('per month', 'Their monthly prices, by currency.'),
  },
  count: async (from, query) => {
    const range = from.rangeOf(query);
    const checks = await from.counts.checks(
      { by: { area: CHECK_AREA }, counting: { none: NOTHING_FOUND } },
      range.days,
      query,
    );
    const by = { area: 'r.area' };
    const orders = await from.counts.orders({ at: 'receivedAt', by }, range, query);
    const { rows, rowOf } = rowsByKey((key) => ({
      area: key,
      checks: 0,
      checksWithoutProduct: 0,
      orders: 0,
      watched: 0,
      amounts: [] as ReportAmount[],
    }));
    for (const { by: of, n, counted } of checks) {
      Object.assign(rowOf(of.area), { checks: n, checksWithoutProduct: counted.none });
    }
    for (const { by: of, n, amounts: minor } of orders) {
      Object.assign(rowOf(of.area), { orders: n, amounts: amountsByCurrency(minor) });
    }
    const watched = await from.watches.bySector(query.client ?? null);
    // `EC` of `EC2A 2`.
    for (const [sector, n] of watched) rowOf(sector.replace(/\d.*/, '')).watched += n;
    return [...rows.values()]
      .map((row) => ({ ...row, served: ratio(row.checks - row.checksWithoutProduct, row.checks) }))
      .sort((a, b) => b.checks - a.checks || b.orders - a.orders || compare(a.area, b.area));
  },
  link: (row, view) => mapOf(row.area, view),
  draw: (all, { period }) => {
    const rows = all.filter(({ checks }) => checks > 0);
    const total = (of: 'checks' | 'checksWithoutProduct') => whole(sum(rows.map((row) => row[of])));
    return (
      rows.length > 0 && (
        <>
          <Legend series={series} />
          <Bars
            id="demand"
            title="Checks by postcode area"
            description={`${total('checks')} checks; ${total('checksWithoutProduct')} of them found no product.`}
            series={series}
            bars={rows.slice(0, MOST_BARS).map((row) => ({
              label: areaWords(row.area),
              values: [row.checks - row.checksWithoutProduct, row.checksWithoutProduct],
              text: `${whole(row.checks)}, ${whole(row.checksWithoutProduct)} without`,
            }))}
          />
          <p>
            <a href={`/staff/map?${periodQuery(period)}`}>View on the map</a>
          </p>
        </>
      )
    );
  },
});
