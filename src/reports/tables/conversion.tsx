import { percent } from '../drawing/chart-scale.js';
import { Bars } from '../drawing/charts.js';
import {
  amounts,
  amountsInWords,
  code,
  count,
  orNull,
  type RowOf,
  share,
} from '../drawing/columns.js';
import { oneSeries, reportTable } from '../drawing/report-table.js';
import { CHECK_AREA, type CountedGroup, NOTHING_FOUND } from '../report-counts.service.js';
import { addAmounts, amountsByCurrency, ratio, sum } from '../report-figures.js';
import { isOfProducts } from '../report-query.dto.js';
import { whole } from '../../platform/kernel/counts.js';

const steps = {
  checks: 'Checks',
  checksWithProducts: 'With a product',
  orders: 'Orders',
  won: 'Won',
} as const;

const columns = {
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
  columns,
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
    const ofChecks: RowOf<typeof columns>[] = [
      { step: 'checks', number: checks, share: null, amounts: null },
      {
        step: 'checksWithProducts',
        number: withProducts,
        share: ratio(withProducts, checks),
        amounts: null,
      },
    ];
    const ofOrders: RowOf<typeof columns>[] = [
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
