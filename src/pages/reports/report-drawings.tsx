import type { VNode } from 'preact';
import type {
  AgeGroup,
  AgeReport,
  ConversionReport,
  DemandReport,
  PeopleReport,
} from '../../follow-up/reports/reports.dto.js';
import { nameOfArea } from './area-tiles.js';
import { countAxis, number, percent } from './chart-scale.js';
import { Bars, Legend } from './charts.js';

/** A text, a number, or a text that leads to the orders behind it. */
export type Cell = string | number | null | { readonly text: string; readonly href: string };

/** The numbers of a drawing. */
export interface ReportTable {
  /** The first names the rows; the others are numbers. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A report as a page shows it. */
export interface Shown {
  /** Null where there is nothing to draw. */
  readonly drawing: VNode | null;
  readonly table: ReportTable;
}

/** Rows of a drawing beyond these stand in the table only. */
export const MOST_BARS = 12;

export const oneSeries = (series: string, name: string) => [{ series, name }];

export function drawAge({ items }: AgeReport): Shown {
  const words: Readonly<Record<AgeGroup['group'], string>> = {
    contacted: 'Contacted',
    'in time': 'In time',
    'nearly late': 'Nearly late',
    'late up to 1 day': 'Late, up to 1 day',
    'late 1-3 days': 'Late, 1 to 3 days',
    later: 'Late, more than 3 days',
  };
  const colours = ['s4', 's1', 'soon-bar', 'late-bar', 'late-bar', 'late-bar'];
  const total = sum(items.map(({ orders }) => orders));
  const late = sum(items.slice(3).map(({ orders }) => orders));
  return {
    drawing:
      total === 0 ? null : (
        <Bars
          id="age"
          title="Open orders by first contact"
          description={`${number(total)} open orders; ${number(late)} are late for their first contact.`}
          axis={countAxis(items.map(({ orders }) => orders))}
          series={colours.map((series, i) => ({ series, name: items[i]?.group ?? '' }))}
          bars={items.map(({ group, orders }, i) => ({
            label: words[group] ?? group,
            values: items.map((_, k) => (k === i ? orders : 0)),
            text: number(orders),
          }))}
        />
      ),
    table: {
      columns: ['First contact', 'Open orders'],
      rows: items.map(({ group, orders }) => [words[group] ?? group, orders]),
    },
  };
}

export function drawPeople({ items }: PeopleReport): Shown {
  const busy = items.filter(({ open }) => open > 0).sort((a, b) => b.open - a.open);
  const series = [
    { series: 's1', name: 'Open' },
    { series: 'soon-bar', name: 'Call-back due' },
    { series: 'late-bar', name: 'Late' },
  ];
  return {
    drawing:
      busy.length === 0 ? null : (
        <Bars
          id="people"
          title="Open orders by person"
          description={`${busy.length} people have ${number(sum(busy.map(({ open }) => open)))} open orders.`}
          axis={countAxis(busy.map(({ open }) => open))}
          series={oneSeries('s1', 'Open')}
          bars={busy.slice(0, MOST_BARS).map(({ name, open, due, late }) => ({
            label: name,
            values: [open],
            text: [
              number(open),
              ...(due > 0 ? [`${number(due)} due`] : []),
              ...(late > 0 ? [`${number(late)} late`] : []),
            ].join(', '),
          }))}
        />
      ),
    table: {
      columns: ['Person', ...series.map(({ name }) => name)],
      rows: items.map(({ staffId, name, open, due, late }) => [
        { text: name, href: `/staff/queue?view=open&owner=${staffId}` },
        open,
        due,
        late,
      ]),
    },
  };
}

export function drawConversion(report: ConversionReport): Shown {
  const { checks, checksWithProducts, orders, won } = report;
  const part = (of: number | null) => (of === null ? '' : ` (${percent(of)})`);
  const steps: [string, number, string][] = [
    ['Checks', checks, ''],
    ['With a product', checksWithProducts, part(checks ? checksWithProducts / checks : null)],
    ['Orders', orders, part(report.ordersPerCheck)],
    ['Won', won, part(report.wonPerOrder)],
  ];
  return {
    drawing:
      checks + orders === 0 ? null : (
        <Bars
          id="conversion"
          title="From checks to won orders"
          description={steps
            .map(([name, count, share]) => `${name}: ${number(count)}${share}`)
            .join('; ')}
          axis={countAxis(steps.map(([, count]) => count))}
          series={oneSeries('s1', 'Number')}
          bars={steps.map(([label, count, share]) => ({
            label,
            values: [count],
            text: `${number(count)}${share}`,
          }))}
        />
      ),
    table: {
      columns: ['Step', 'Number', 'Of the step before'],
      rows: steps.map(([name, count, share]) => [name, count, share.replace(/[ ()]/g, '') || null]),
    },
  };
}

export function drawDemand({ items }: DemandReport, query: string): Shown {
  const series = [
    { series: 's1', name: 'Checks with a product' },
    { series: 's4', name: 'Checks with nothing to sell' },
  ];
  const asked = items.filter(({ checks }) => checks > 0).slice(0, MOST_BARS);
  const lost = sum(items.map(({ checksWithoutProduct }) => checksWithoutProduct));
  return {
    drawing:
      asked.length === 0 ? null : (
        <>
          <Legend series={series} />
          <Bars
            id="demand"
            title="Checks by postcode area"
            description={`${number(sum(items.map(({ checks }) => checks)))} checks; ${number(lost)} of them found nothing to sell.`}
            axis={countAxis(asked.map(({ checks }) => checks))}
            series={series}
            bars={asked.map(({ area, checks, checksWithoutProduct }) => ({
              label: areaWords(area),
              values: [checks - checksWithoutProduct, checksWithoutProduct],
              text: number(checks),
            }))}
          />
          <p>
            <a href={`/staff/map?${query}`}>See it on the map</a>
          </p>
        </>
      ),
    table: {
      columns: ['Area', 'Checks', 'With nothing to sell', 'Orders'],
      rows: items.map(({ area, checks, checksWithoutProduct, orders }) => [
        { text: areaWords(area), href: `/staff/map/${area}?${query}` },
        checks,
        checksWithoutProduct,
        orders,
      ]),
    },
  };
}

/** "AB Aberdeen": the code first, by which people know it; "London EC" has it already. */
export function areaWords(area: string): string {
  const name = nameOfArea(area);
  if (name === null) return area;
  return name.endsWith(` ${area}`) ? name : `${area} ${name}`;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
