import { londonDay, londonWeekHour } from '../../platform/kernel/working-hours.js';
import { Columns, HeatMap, Legend, Lines, ShadeLegend } from '../drawing/charts.js';
import { amounts, count, day, type RowOf, text } from '../drawing/columns.js';
import { dayLabel } from '../drawing/period.js';
import { oneSeries, reportTable, type ChartSeries } from '../drawing/report-table.js';
import { addAmounts, amountsByCurrency, rowsByKey, sum } from '../report-figures.js';
import { whole } from '../../platform/kernel/counts.js';
import { upperFirst } from '../../platform/kernel/text.js';
import { classNames, countClasses } from '../drawing/chart-scale.js';

/** A chart of more days shows weeks: its columns would be too thin. */
const MOST_COLUMNS = 100;

const columns = {
  day: day('Day', 'The day, in London.'),
  arrived: count('Received', 'Orders received that day.'),
  closed: count('Closed', 'Orders closed that day, and not reopened since.'),
  backlog: count(
    'Open at the end',
    'Orders received up to the end of the day, less those closed by then and not reopened since.',
  ),
  amounts: amounts(
    'per month received',
    'Monthly prices of the orders received that day, by currency.',
  ),
};
type DayRow = Pick<RowOf<typeof columns>, 'day' | 'arrived' | 'closed' | 'backlog'>;

export const daily = reportTable({
  name: 'daily',
  title: 'Received and closed',
  definition: 'Orders received and closed on each day in London, and orders open at its end.',
  empty: 'No order was received, closed or open in this period.',
  row: 'A day.',
  most: 400,
  columns,
  count: async (from, query) => {
    const now = from.now.getTime();
    const range = from.rangeOf(query);
    // Counts back from the orders open now, so that no older orders are read.
    const span = { start: range.start, end: Math.max(range.end, now + 1) };
    const arrivals = await from.byHour({ at: 'receivedAt' }, span, query);
    const closures = await from.byHour({ at: 'closedAt', withoutAmounts: true }, span, query);
    const openNow = await from.counts.openOrders({ withoutAmounts: true }, query);
    const number = (counted: readonly { readonly n: number }[]) => sum(counted.map(({ n }) => n));
    let backlog = number(openNow) - number(arrivals) + number(closures);
    const [arrived, closed] = [byDay(arrivals), byDay(closures)];
    return range.days.map((name) => {
      const { n = 0, minor = new Map<string, number>() } = arrived.get(name) ?? {};
      const row = { day: name, arrived: n, closed: closed.get(name)?.n ?? 0 };
      backlog += row.arrived - row.closed;
      return { ...row, backlog, amounts: amountsByCurrency(minor) };
    });
  },
  draw: (days) => {
    const weekly = days.length > MOST_COLUMNS;
    const unit = weekly ? 'week' : 'day';
    const first = days.findIndex((row) => row.arrived + row.closed + row.backlog > 0);
    if (first < 0) return false;
    // The empty days before the first order would look like a fault.
    const shown = days.slice(first);
    const points = (weekly ? byWeek(shown) : shown).map((row) => ({
      ...row,
      label: dayLabel(row.day),
    }));
    const series: readonly ChartSeries[] = [
      { series: 's1', name: 'Received' },
      { series: 's4', name: 'Closed' },
    ];
    const total = (of: 'arrived' | 'closed') => whole(sum(days.map((row) => row[of])));
    const left = points.map(({ backlog }) => backlog);
    return (
      <>
        <Legend series={series} />
        <Columns
          id="daily"
          title={`Orders received and closed per ${unit}`}
          description={`${total('arrived')} orders were received and ${total('closed')} closed in ${days.length} days.`}
          series={series}
          points={points.map((row) => ({ ...row, values: [row.arrived, row.closed] }))}
        />
        <h3 class="sub">{`Open at the end of the ${unit}`}</h3>
        <Lines
          id="backlog"
          title={`Open orders at the end of each ${unit}`}
          description={`${whole(left[0] ?? 0)} at the start, ${whole(left.at(-1) ?? 0)} at the end.`}
          series={oneSeries('s1', 'Open')}
          points={points.map((row) => ({ ...row, values: [row.backlog] }))}
        />
      </>
    );
  },
});

function byDay(
  hours: readonly { at: Date; n: number; amounts: ReadonlyMap<string, number> }[],
): ReadonlyMap<string, { n: number; minor: Map<string, number> }> {
  const { rows, rowOf } = rowsByKey(() => ({ n: 0, minor: new Map<string, number>() }));
  for (const { at, n, amounts: minor } of hours) {
    const row = rowOf(londonDay(at));
    row.n += n;
    addAmounts(row.minor, minor);
  }
  return rows;
}

/** Weeks from the first day; the last may be shorter. */
function byWeek(days: readonly DayRow[]): DayRow[] {
  return Array.from({ length: Math.ceil(days.length / 7) }, (_, i) => {
    const week = days.slice(i * 7, i * 7 + 7);
    return {
      day: week[0]!.day,
      arrived: sum(week.map(({ arrived }) => arrived)),
      closed: sum(week.map(({ closed }) => closed)),
      backlog: week.at(-1)!.backlog,
    };
  });
}

const weekday = (name: string) => count(name.slice(0, 3), `Orders received on a ${name}.`);
const weekdays = {
  monday: weekday('Monday'),
  tuesday: weekday('Tuesday'),
  wednesday: weekday('Wednesday'),
  thursday: weekday('Thursday'),
  friday: weekday('Friday'),
  saturday: weekday('Saturday'),
  sunday: weekday('Sunday'),
};
type Weekday = keyof typeof weekdays;
const dayNames = Object.keys(weekdays) as Weekday[];

export const arrivals = reportTable({
  name: 'arrivals',
  title: 'When orders arrive',
  definition: 'Orders received in this period, by weekday and hour in London.',
  empty: 'No order was received in this period.',
  row: 'An hour of the day.',
  most: 24,
  columns: {
    hour: text('Hour', 'When it starts. @pattern ^[0-2][0-9]:00$ @maxLength 5 @example "09:00"'),
    ...weekdays,
  },
  count: async (from, query) => {
    const none = Object.fromEntries(dayNames.map((name) => [name, 0])) as Record<Weekday, number>;
    const rows = Array.from({ length: 24 }, (_, hour) => {
      return { hour: `${String(hour).padStart(2, '0')}:00`, ...none };
    });
    const request = { at: 'receivedAt', withoutAmounts: true } as const;
    for (const { at, n } of await from.byHour(request, from.rangeOf(query), query)) {
      const { weekday: day, hour } = londonWeekHour(at);
      rows[hour]![dayNames[day]!] += n;
    }
    return rows;
  },
  draw: (rows) => {
    const countAt = (day: number, hour: number) => rows[hour]![dayNames[day]!];
    const cells = dayNames.flatMap((name) =>
      rows.map((row) => ({ name, hour: row.hour, n: row[name] })),
    );
    const counts = cells.map(({ n }) => n);
    const bounds = countClasses(counts);
    const most = cells.reduce((a, b) => (b.n > a.n ? b : a));
    return (
      sum(counts) > 0 && (
        <>
          <HeatMap
            id="arrivals"
            title="Orders by weekday and hour"
            description={`Most arrived on ${upperFirst(most.name)} from ${most.hour}: ${whole(most.n)}.`}
            rows={dayNames.map((name) => ({ label: upperFirst(name).slice(0, 3) }))}
            columns={rows.map(({ hour }) => ({ label: hour.slice(0, 2) }))}
            valueAt={countAt}
            bounds={bounds}
          />
          <ShadeLegend classes={classNames(bounds, Math.max(...counts))} />
        </>
      )
    );
  },
});
