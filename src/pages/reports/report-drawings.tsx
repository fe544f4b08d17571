import type { VNode } from 'preact';
import type { AgeGroup, DemandRow } from '../../follow-up/reports/reports.dto.js';
import { sum } from '../../follow-up/reports/report-figures.js';
import type { ReportsService } from '../../follow-up/reports/reports.service.js';
import { whole } from '../shell/parts.js';
import { nameOfArea } from './area-tiles.js';
import { percent } from './chart-scale.js';
import { Bars, Legend } from './charts.js';
import { type Period, periodQuery } from './period.js';

/** A text, a number, or a text with a link to its orders. */
export type Cell = string | number | null | { readonly text: string; readonly href: string };

export interface ReportTable {
  /** The first column names the rows; the others are numbers. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A table with a row for each item. @param columns their cells by heading */
export function tableOf<Item>(
  items: readonly Item[],
  columns: Readonly<Record<string, (item: Item) => Cell>>,
): ReportTable {
  const cells = Object.values(columns);
  return {
    columns: Object.keys(columns),
    rows: items.map((item) => cells.map((cellOf) => cellOf(item))),
  };
}

export interface ReportDrawing {
  readonly drawing: VNode | false;
  readonly table: ReportTable;
}

export interface ReportKind {
  readonly name: string;
  readonly title: string;
  readonly definition: string;
  readonly empty: string;
  /** The report has no period. */
  readonly now?: true;
  readonly show: (reports: ReportsService, period: Period) => Promise<ReportDrawing>;
}

/** A drawing shows only the first rows; the table has all. */
export const MOST_BARS = 12;

/** Null if there is nothing to divide by. */
export function percentOf(part: number, total: number): string | null {
  return total === 0 ? null : percent(part / total);
}

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
  show: async (reports) => {
    const { items } = await reports.age();
    const rows = items.map(({ group, orders }) => ({ ...ageGroups[group], orders }));
    const total = sum(rows.map(({ orders }) => orders));
    const late = sum(rows.slice(3).map(({ orders }) => orders));
    return {
      drawing: total > 0 && (
        <Bars
          id="age"
          title="Open orders by first contact"
          description={`${whole(total)} open orders; ${whole(late)} are late for their first contact.`}
          series={rows}
          bars={rows.map(({ name, orders }, i) => ({
            label: name,
            values: rows.map((_, k) => (k === i ? orders : 0)),
            text: whole(orders),
          }))}
        />
      ),
      table: tableOf(rows, {
        'First contact': ({ name }) => name,
        'Open orders': ({ orders }) => orders,
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
  show: async (reports) => {
    const { items } = await reports.people();
    const busy = items.filter(({ open }) => open > 0).sort((a, b) => b.open - a.open);
    const some = (count: number, word: string) => (count > 0 ? [`${whole(count)} ${word}`] : []);
    return {
      drawing: busy.length > 0 && (
        <Bars
          id="people"
          title="Open orders by person"
          description={`${busy.length} people have ${whole(sum(busy.map(({ open }) => open)))} open orders.`}
          series={oneSeries('s1', 'Open')}
          bars={busy.slice(0, MOST_BARS).map(({ name, open, due, late }) => ({
            label: name,
            values: [open],
            text: [whole(open), ...some(due, 'due'), ...some(late, 'late')].join(', '),
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
  show: async (reports, period) => {
    const { checks, checksWithProducts, orders, won } = await reports.conversion(period);
    const steps = [
      { name: 'Checks', count: checks, share: null },
      {
        name: 'With a product',
        count: checksWithProducts,
        share: percentOf(checksWithProducts, checks),
      },
      { name: 'Orders', count: orders, share: percentOf(orders, checksWithProducts) },
      { name: 'Won', count: won, share: percentOf(won, orders) },
    ];
    const inWords = ({ count, share }: (typeof steps)[number]) =>
      share === null ? whole(count) : `${whole(count)} (${share})`;
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
        '% of previous step': ({ share }) => share,
      }),
    };
  },
};

interface CheckBarsProps {
  readonly id: string;
  readonly title: string;
  readonly places: readonly (Omit<DemandRow, 'area' | 'orders'> & { readonly label: string })[];
  readonly most: number;
}

export function CheckBars({ id, title, places, most }: CheckBarsProps) {
  const series = [
    { series: 's1', name: 'Checks with a product' },
    { series: 's4', name: 'Checks without a product' },
  ];
  const total = whole(sum(places.map(({ checks }) => checks)));
  const lost = whole(sum(places.map(({ checksWithoutProduct }) => checksWithoutProduct)));
  return (
    <>
      <Legend series={series} />
      <Bars
        id={id}
        title={title}
        description={`${total} checks; ${lost} of them found no product.`}
        series={series}
        bars={places.slice(0, most).map(({ label, checks, checksWithoutProduct }) => ({
          label,
          values: [checks - checksWithoutProduct, checksWithoutProduct],
          text: whole(checks),
        }))}
      />
    </>
  );
}

export const demandReport: ReportKind = {
  name: 'demand',
  title: 'Demand by area',
  definition: 'Checks in this period by postcode area, and how many of them found no product.',
  empty: 'No checks in this period.',
  show: async (reports, period) => {
    const { items } = await reports.demand(period);
    const query = periodQuery(period);
    const asked = items.filter(({ checks }) => checks > 0);
    return {
      drawing: asked.length > 0 && (
        <>
          <CheckBars
            id="demand"
            title="Checks by postcode area"
            places={asked.map((row) => ({ ...row, label: areaWords(row.area) }))}
            most={MOST_BARS}
          />
          <p>
            <a href={`/staff/map?${query}`}>View on the map</a>
          </p>
        </>
      ),
      table: demandTable(items, query),
    };
  },
};

/** @param query the period, for the links to the areas */
export function demandTable(rows: readonly DemandRow[], query: string): ReportTable {
  return tableOf(rows, {
    Area: ({ area }) => ({ text: areaWords(area), href: `/staff/map/${area}?${query}` }),
    Checks: ({ checks }) => checks,
    'Without a product': ({ checksWithoutProduct }) => checksWithoutProduct,
    Coverage: ({ checks, checksWithoutProduct }) =>
      percentOf(checks - checksWithoutProduct, checks),
    Orders: ({ orders }) => orders,
  });
}

/** "AB Aberdeen", but "London EC" for EC. */
export function areaWords(area: string): string {
  const name = nameOfArea(area);
  if (name === null) return area;
  return name.endsWith(` ${area}`) ? name : `${area} ${name}`;
}
