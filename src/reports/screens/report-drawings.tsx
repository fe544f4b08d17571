import type { AgeGroup, DemandRow, MonthlyAmount } from '../reports.dto.js';
import { sum } from '../report-figures.js';
import { whole } from '../../platform/ui/parts.js';
import { areaWords } from '../map/area-names.js';
import { percent } from './chart-scale.js';
import { Bars, Legend } from './charts.js';
import { periodQuery } from './period.js';
import type { ReportKind } from './report-kinds.js';
import { amountColumns, amountsInWords, shareCell, tableOf } from './report-table.js';

/** A drawing shows only the first rows; the table has all. */
export const MOST_BARS = 12;

export const oneSeries = (series: string, name: string) => [{ series, name }];

const ageGroups: Readonly<Record<AgeGroup['group'], { name: string; series: string }>> = {
  contacted: { name: 'Contacted', series: 's4' },
  'in time': { name: 'In time', series: 's1' },
  'nearly late': { name: 'Nearly late', series: 'soon-bar' },
  'late up to 1 day': { name: 'Late, up to 1 day', series: 'late-bar' },
  'late 1-3 days': { name: 'Late, 1 to 3 days', series: 'late-bar' },
  later: { name: 'Late, more than 3 days', series: 'late-bar' },
};

export const ageReport: ReportKind = {
  name: 'age',
  title: 'Open orders by first contact',
  definition: 'Open orders by first-contact status: contacted, or time left until the deadline.',
  empty: 'No order is open.',
  now: true,
  show: async ({ reports }, period) => {
    const { items } = await reports.age(period);
    const rows = items.map(({ group, ...row }) => ({ ...ageGroups[group], ...row }));
    const total = sum(rows.map(({ orders }) => orders));
    const late = sum(rows.slice(3).map(({ orders }) => orders));
    return {
      drawing: total > 0 && (
        <Bars
          id="age"
          title="Open orders by first contact"
          description={`${whole(total)} open orders; ${whole(late)} are late for their first contact.`}
          series={rows}
          bars={rows.map(({ name, orders, amounts }, i) => ({
            label: name,
            values: rows.map((_, k) => (k === i ? orders : 0)),
            text: orders === 0 ? '0' : `${whole(orders)}, ${amountsInWords(amounts)}`,
          }))}
        />
      ),
      table: tableOf(rows, {
        'First contact': ({ name }) => name,
        'Open orders': ({ orders }) => orders,
        ...amountColumns(rows, 'per month', ({ amounts }) => amounts),
      }),
    };
  },
};

export const peopleReport: ReportKind = {
  name: 'people',
  title: 'Open orders by person',
  definition:
    'Open orders by owner, with those due for a call-back and those late for first contact.',
  empty: 'No one has an open order.',
  now: true,
  show: async ({ reports }, period) => {
    const { items } = await reports.people(period);
    const busy = items.filter(({ open }) => open > 0).sort((a, b) => b.open - a.open);
    const some = (count: number, word: string) => (count > 0 ? [`${whole(count)} ${word}`] : []);
    return {
      drawing: busy.length > 0 && (
        <Bars
          id="people"
          title="Open orders by person"
          description={`${busy.length} people have ${whole(sum(busy.map(({ open }) => open)))} open orders.`}
          series={oneSeries('s1', 'Open')}
          bars={busy.slice(0, MOST_BARS).map(({ name, open, due, late, amounts }) => ({
            label: name,
            values: [open],
            text: [
              whole(open),
              amountsInWords(amounts),
              ...some(due, 'due'),
              ...some(late, 'late'),
            ].join(', '),
          }))}
        />
      ),
      table: tableOf(items, {
        Person: ({ staffId, name }) => ({
          text: name,
          href: `/staff/queue?view=open&owner=${staffId}`,
        }),
        Open: ({ open }) => open,
        'Call-back due': ({ due }) => due,
        Late: ({ late }) => late,
        ...amountColumns(items, 'per month', ({ amounts }) => amounts),
      }),
    };
  },
};

export const conversionReport: ReportKind = {
  name: 'conversion',
  title: 'Conversion',
  definition:
    'Checks in this period, checks that found a product, orders received without duplicates, and orders won to date.',
  empty: 'No checks or orders in this period.',
  show: async ({ reports }, period) => {
    const figures = await reports.conversion(period);
    const { checks, checksWithProducts, orders, won } = figures;
    // Checks have neither an owner nor a product.
    const isNarrow = period.owner !== undefined || period.product !== undefined;
    const steps: ConversionStep[] = [
      ...(isNarrow
        ? []
        : [
            { name: 'Checks', count: checks, amounts: null },
            { name: 'With a product', count: checksWithProducts, of: checks, amounts: null },
          ]),
      {
        name: 'Orders',
        count: orders,
        ...(!isNarrow && { of: checksWithProducts }),
        amounts: figures.amounts,
      },
      { name: 'Won', count: won, of: orders, amounts: figures.wonAmounts },
    ];
    const inWords = ({ count, of, amounts }: ConversionStep) =>
      [
        whole(count),
        ...(of ? [`${percent(count / of)} of the step before`] : []),
        ...(amounts === null || count === 0 ? [] : [amountsInWords(amounts)]),
      ].join(', ');
    return {
      drawing: checks + orders > 0 && (
        <Bars
          id="conversion"
          title="Conversion"
          description={steps.map((step) => `${step.name}: ${inWords(step)}`).join('; ')}
          series={oneSeries('s1', 'Number')}
          bars={steps.map((step) => ({
            label: step.name,
            values: [step.count],
            text: inWords(step),
          }))}
        />
      ),
      table: tableOf(steps, {
        Step: ({ name }) => name,
        Number: ({ count }) => count,
        '% of previous step': {
          csv: 'Share of the previous step',
          of: ({ count, of }) => shareCell(of ? count / of : null),
        },
        ...amountColumns(steps, 'per month', ({ amounts }) => amounts),
      }),
    };
  },
};

interface ConversionStep {
  readonly name: string;
  readonly count: number;
  /** The step before. */
  readonly of?: number;
  /** Null for checks, which have no price. */
  readonly amounts: readonly MonthlyAmount[] | null;
}

function CheckBars({ rows }: { rows: readonly DemandRow[] }) {
  const series = [
    { series: 's1', name: 'Checks with a product' },
    { series: 's4', name: 'Checks without a product' },
  ];
  const total = whole(sum(rows.map(({ checks }) => checks)));
  const lost = whole(sum(rows.map(({ checksWithoutProduct }) => checksWithoutProduct)));
  return (
    <>
      <Legend series={series} />
      <Bars
        id="demand"
        title="Checks by postcode area"
        description={`${total} checks; ${lost} of them found no product.`}
        series={series}
        bars={rows.slice(0, MOST_BARS).map(({ area, checks, checksWithoutProduct }) => ({
          label: areaWords(area),
          values: [checks - checksWithoutProduct, checksWithoutProduct],
          text: `${whole(checks)}, ${whole(checksWithoutProduct)} without`,
        }))}
      />
    </>
  );
}

export const demandReport: ReportKind = {
  name: 'demand',
  title: 'Demand by area',
  definition:
    'Checks in this period by postcode area, how many of them found no product, and the places that clients watch now.',
  empty: 'No checks in this period.',
  show: async ({ reports }, period) => {
    const { items } = await reports.demand(period);
    const query = periodQuery(period);
    const asked = items.filter(({ checks }) => checks > 0);
    return {
      drawing: asked.length > 0 && (
        <>
          <CheckBars rows={asked} />
          <p>
            <a href={`/staff/map?${query}`}>View on the map</a>
          </p>
        </>
      ),
      table: tableOf(items, {
        Area: ({ area }) => ({
          text: areaWords(area),
          href: `/staff/map/${area}?${query}`,
          value: area,
        }),
        Checks: ({ checks }) => checks,
        'Without a product': ({ checksWithoutProduct }) => checksWithoutProduct,
        'Checks served': ({ checks, checksWithoutProduct }) =>
          shareCell(checks === 0 ? null : (checks - checksWithoutProduct) / checks),
        Watched: ({ watched }) => watched,
        Orders: ({ orders }) => orders,
        ...amountColumns(items, 'per month', ({ amounts }) => amounts),
      }),
    };
  },
};
