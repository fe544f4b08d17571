import type { VNode } from 'preact';
import type {
  AgeGroup,
  AgeReport,
  ConversionReport,
  DemandReport,
  PeopleReport,
} from '../../follow-up/reports/reports.dto.js';
import { nameOfArea } from './area-tiles.js';
import { number, percent, sum } from './chart-scale.js';
import { Bars, Legend } from './charts.js';

/** A text, a number, or a text that leads to the orders behind it. */
export type Cell = string | number | null | { readonly text: string; readonly href: string };

export interface ReportTable {
  /** The first names the rows; the others are numbers. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A table with a row an item. @param columns what each holds, by its heading */
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

/** Rows of a drawing beyond these are in the table only. */
export const MOST_BARS = 12;

export const oneSeries = (series: string, name: string) => [{ series, name }];

export function drawAge({ items }: AgeReport): ReportDrawing {
  const names: Readonly<Record<AgeGroup['group'], string>> = {
    contacted: 'Contacted',
    'in time': 'In time',
    'nearly late': 'Nearly late',
    'late up to 1 day': 'Late, up to 1 day',
    'late 1-3 days': 'Late, 1 to 3 days',
    later: 'Late, more than 3 days',
  };
  const colours = ['s4', 's1', 'soon-bar', 'late-bar', 'late-bar', 'late-bar'];
  const rows = items.map(({ group, orders }) => ({ name: names[group], orders }));
  const total = sum(items.map(({ orders }) => orders));
  const late = sum(items.slice(3).map(({ orders }) => orders));
  return {
    drawing: total > 0 && (
      <Bars
        id="age"
        title="Open orders by first contact"
        description={`${number(total)} open orders; ${number(late)} are late for their first contact.`}
        series={colours.map((series, i) => ({ series, name: items[i]?.group ?? '' }))}
        bars={rows.map(({ name, orders }, i) => ({
          label: name,
          values: items.map((_, k) => (k === i ? orders : 0)),
          text: number(orders),
        }))}
      />
    ),
    table: tableOf(rows, {
      'First contact': ({ name }) => name,
      'Open orders': ({ orders }) => orders,
    }),
  };
}

export function drawPeople({ items }: PeopleReport): ReportDrawing {
  const busy = items.filter(({ open }) => open > 0).sort((a, b) => b.open - a.open);
  const some = (count: number, word: string) => (count > 0 ? [`${number(count)} ${word}`] : []);
  return {
    drawing: busy.length > 0 && (
      <Bars
        id="people"
        title="Open orders by person"
        description={`${busy.length} people have ${number(sum(busy.map(({ open }) => open)))} open orders.`}
        series={oneSeries('s1', 'Open')}
        bars={busy.slice(0, MOST_BARS).map(({ name, open, due, late }) => ({
          label: name,
          values: [open],
          text: [number(open), ...some(due, 'due'), ...some(late, 'late')].join(', '),
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
}

export function drawConversion(report: ConversionReport): ReportDrawing {
  const { checks, checksWithProducts, orders, won } = report;
  const steps = [
    { name: 'Checks', count: checks, share: null },
    {
      name: 'With a product',
      count: checksWithProducts,
      share: checks ? checksWithProducts / checks : null,
    },
    { name: 'Orders', count: orders, share: report.ordersPerCheck },
    { name: 'Won', count: won, share: report.wonPerOrder },
  ].map(({ share, ...step }) => ({ ...step, share: share === null ? null : percent(share) }));
  const told = ({ count, share }: (typeof steps)[number]) =>
    share === null ? number(count) : `${number(count)} (${share})`;
  return {
    drawing: checks + orders > 0 && (
      <Bars
        id="conversion"
        title="From checks to won orders"
        description={steps.map((step) => `${step.name}: ${told(step)}`).join('; ')}
        series={oneSeries('s1', 'Number')}
        bars={steps.map((step) => ({ label: step.name, values: [step.count], text: told(step) }))}
      />
    ),
    table: tableOf(steps, {
      Step: ({ name }) => name,
      Number: ({ count }) => count,
      'Of the step before': ({ share }) => share,
    }),
  };
}

interface CheckCounts {
  readonly checks: number;
  readonly checksWithoutProduct: number;
}

interface CheckBarsProps<Place> {
  readonly id: string;
  readonly title: string;
  readonly places: readonly Place[];
  readonly labelOf: (place: Place) => string;
  readonly most: number;
}

export function CheckBars<Place extends CheckCounts>(props: CheckBarsProps<Place>) {
  const { id, title, places, labelOf, most } = props;
  const series = [
    { series: 's1', name: 'Checks with a product' },
    { series: 's4', name: 'Checks with nothing to sell' },
  ];
  const total = number(sum(places.map(({ checks }) => checks)));
  const lost = number(sum(places.map(({ checksWithoutProduct }) => checksWithoutProduct)));
  return (
    <>
      <Legend series={series} />
      <Bars
        id={id}
        title={title}
        description={`${total} checks; ${lost} of them found nothing to sell.`}
        series={series}
        bars={places.slice(0, most).map((place) => ({
          label: labelOf(place),
          values: [place.checks - place.checksWithoutProduct, place.checksWithoutProduct],
          text: number(place.checks),
        }))}
      />
    </>
  );
}

export function drawDemand({ items }: DemandReport, query: string): ReportDrawing {
  const asked = items.filter(({ checks }) => checks > 0);
  return {
    drawing: asked.length > 0 && (
      <>
        <CheckBars
          id="demand"
          title="Checks by postcode area"
          places={asked}
          labelOf={({ area }) => areaWords(area)}
          most={MOST_BARS}
        />
        <p>
          <a href={`/staff/map?${query}`}>See it on the map</a>
        </p>
      </>
    ),
    table: tableOf(items, {
      Area: ({ area }) => ({ text: areaWords(area), href: `/staff/map/${area}?${query}` }),
      Checks: ({ checks }) => checks,
      'With nothing to sell': ({ checksWithoutProduct }) => checksWithoutProduct,
      Orders: ({ orders }) => orders,
    }),
  };
}

/** "AB Aberdeen": the code first, by which people know it; "London EC" has it already. */
export function areaWords(area: string): string {
  const name = nameOfArea(area);
  if (name === null) return area;
  return name.endsWith(` ${area}`) ? name : `${area} ${name}`;
}
