import type { ClientFigures, PerformanceFigures, PersonFigures } from '../reports.dto.js';
import { whole } from '../../platform/ui/parts.js';
import { percent } from './chart-scale.js';
import { Bars } from './charts.js';
import { MOST_BARS, oneSeries } from './report-drawings.js';
import type { ReportKind } from './report-kinds.js';
import {
  amountColumns,
  amountsInWords,
  type Cell,
  minutesColumn,
  type ReportTable,
  shareCell,
  tableOf,
} from './report-table.js';

export const byPersonReport: ReportKind = {
  name: 'by-person',
  title: 'Performance by person',
  definition:
    'Orders received in this period by owner, how fast they were contacted, and orders closed in this period.',
  empty: 'No order of this period has had an owner.',
  wide: true,
  show: async ({ performance }, period) => {
    const { items } = await performance.byPerson(period);
    return {
      drawing: items.length > 0 && <WonBars id="by-person" rows={items} of="person" />,
      table: figuresTable('Person', items, ({ staffId, name }: PersonFigures) => ({
        text: name,
        href: `/staff/queue?view=all&owner=${staffId}`,
      })),
    };
  },
};

export const byClientReport: ReportKind = {
  name: 'by-client',
  title: 'Performance by client',
  definition:
    'Orders received in this period by API client, how fast they were contacted, and orders closed in this period.',
  empty: 'No order was received or closed in this period.',
  wide: true,
  show: async ({ performance }, period) => {
    const { items } = await performance.byClient(period);
    return {
      drawing: items.length > 0 && <WonBars id="by-client" rows={items} of="client" />,
      table: figuresTable('Client', items, ({ clientId, name }: ClientFigures) => ({
        text: name,
        href: `/staff/queue?view=all&client=${clientId}`,
      })),
    };
  },
};

type NamedFigures = PerformanceFigures & { readonly name: string };

function WonBars(props: { id: string; rows: readonly NamedFigures[]; of: string }) {
  const rows = props.rows.toSorted((a, b) => b.won - a.won).slice(0, MOST_BARS);
  return (
    <Bars
      id={props.id}
      title={`Orders won by ${props.of}`}
      description={rows.map(({ name, won }) => `${name}: ${whole(won)}`).join('; ')}
      series={oneSeries('s1', 'Won')}
      bars={rows.map(({ name, won, wonShare, wonAmounts }) => ({
        label: name,
        values: [won],
        text: [
          `${whole(won)} won`,
          ...(wonShare === null ? [] : [percent(wonShare)]),
          ...(won === 0 ? [] : [amountsInWords(wonAmounts)]),
        ].join(', '),
      }))}
    />
  );
}

function figuresTable<Row extends NamedFigures>(
  head: string,
  rows: readonly Row[],
  name: (row: Row) => Cell,
): ReportTable {
  return tableOf(rows, {
    [head]: name,
    Received: ({ received }) => received,
    ...amountColumns(rows, 'per month', ({ amounts }) => amounts),
    Contacts: ({ contacts }) => contacts,
    ...minutesColumn('Median to first contact', (row: Row) => row.medianMinutes),
    ...minutesColumn('90th percentile', (row: Row) => row.p90Minutes),
    'Within target': ({ inTime }) => shareCell(inTime),
    Won: ({ won }) => won,
    Lost: ({ lost }) => lost,
    '% won': { csv: 'Share won', of: ({ wonShare }) => shareCell(wonShare) },
    ...amountColumns(rows, 'won per month', ({ wonAmounts }) => wonAmounts),
  });
}
