import { areaWords } from '../sector-places.js';
import { Bars, Legend } from '../drawing/charts.js';
import {
  amounts,
  area,
  count,
  share,
  amountsInWords,
  code,
  orNull,
  type RowOf,
} from '../drawing/columns.js';
import { periodQuery } from '../drawing/period.js';
import {
  mapOf,
  MOST_BARS,
  reportTable,
  type ChartSeries,
  oneSeries,
} from '../drawing/report-table.js';
import { CHECK_AREA, NOTHING_FOUND, type CountedGroup } from '../report-counts.service.js';
import {
  amountsByCurrency,
  compare,
  ratio,
  rowsByKey,
  sum,
  addAmounts,
} from '../report-figures.js';
import { type ReportAmount, isOfProducts } from '../report-query.dto.js';
import { whole } from '../../platform/kernel/counts.js';
import { percent } from '../drawing/chart-scale.js';

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

const steps = {
  checks: 'Checks',
  checksWithProducts: 'With a product',
  orders: 'Orders',
  won: 'Won',
} as const;

const stepColumns = {
  step: code(
    'Step',
    '`checks`: checks made. `checksWithProducts`: of these, those with at least one product. `orders`: orders received, less duplicates. `won`: of these, those won to date.',
    steps,
  ),
  number: count('Number', 'How many.'),
  share: share(
    '% of previous step',
    'Of the step before; null for the first step, and after a step of 0. @example 0.4',
    'Share of the previous step',
  ),
  amounts: orNull(
    amounts('per month', 'Monthly prices of the orders, by currency; null for checks.'),
  ),
};

export const conversion = reportTable({
  name: 'conversion',
  title: 'Conversion',
  definition:
    'Checks in this period, checks that found a product, orders received without duplicates, and orders won to date, each with its share of the step before. A report of one person or product has no checks.',
  empty: 'No checks or orders in this period.',
  row: 'A step from checks to won orders.',
  most: 4,
  columns: stepColumns,
  count: async (from, query) => {
    const range = from.rangeOf(query);
    const checked = await from.counts.checks(
      { by: { area: CHECK_AREA }, counting: { none: NOTHING_FOUND } },
      range.days,
      query,
    );
    const by = { state: 'r.state' };
    const groups = await from.counts.orders({ at: 'receivedAt', by }, range, query);
    const ordered = groups.filter((group) => group.by.state !== 'duplicate');
    const won = ordered.filter((group) => group.by.state === 'won');
    const checks = sum(checked.map(({ n }) => n));
    const withProducts = checks - sum(checked.map(({ counted }) => counted.none ?? 0));
    const orders = sum(ordered.map(({ n }) => n));
    // Checks have neither an owner nor a product.
    const isNarrow = query.owner !== undefined || isOfProducts(query);
    const ofChecks: RowOf<typeof stepColumns>[] = [
      { step: 'checks', number: checks, share: null, amounts: null },
      {
        step: 'checksWithProducts',
        number: withProducts,
        share: ratio(withProducts, checks),
        amounts: null,
      },
    ];
    const ofOrders: RowOf<typeof stepColumns>[] = [
      {
        step: 'orders',
        number: orders,
        share: isNarrow ? null : ratio(orders, withProducts),
        amounts: totalOf(ordered),
      },
      {
        step: 'won',
        number: sum(won.map(({ n }) => n)),
        share: ratio(sum(won.map(({ n }) => n)), orders),
        amounts: totalOf(won),
      },
    ];
    return isNarrow ? ofOrders : [...ofChecks, ...ofOrders];
  },
  draw: (rows) => {
    const inWords = ({ number, share: part, amounts: prices }: (typeof rows)[number]) =>
      [
        part === null ? whole(number) : `${whole(number)} (${percent(part)})`,
        ...(prices === null || number === 0 ? [] : [amountsInWords(prices)]),
      ].join(', ');
    return (
      rows.some(({ number }) => number > 0) && (
        <Bars
          id="conversion"
          title="Conversion"
          description={rows.map((row) => `${steps[row.step]}: ${inWords(row)}`).join('; ')}
          series={oneSeries('s1', 'Number')}
          bars={rows.map((row) => ({
            label: steps[row.step],
            values: [row.number],
            text: inWords(row),
          }))}
        />
      )
    );
  },
});

function totalOf(groups: readonly CountedGroup[]) {
  const total = new Map<string, number>();
  for (const group of groups) addAmounts(total, group.amounts);
  return amountsByCurrency(total);
}
