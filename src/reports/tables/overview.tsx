import { addDays } from '../../platform/kernel/time.js';
import {
  type Change,
  changeOf,
  onlyAmount,
  minutes,
  percent,
  classNames,
  countClasses,
} from '../drawing/chart-scale.js';
import { amountsInWords, code, amounts, count, day, type RowOf, text } from '../drawing/columns.js';
import { dayLabel, type Period, periodBefore } from '../drawing/period.js';
import { reportTable, oneSeries, type ChartSeries } from '../drawing/report-table.js';
import { performance, type PerformanceRow, talliesOf } from './performance.js';
import { whole } from '../../platform/kernel/counts.js';
import { londonDay, londonWeekHour } from '../../platform/kernel/working-hours.js';
import { Columns, HeatMap, Legend, Lines, ShadeLegend } from '../drawing/charts.js';
import { addAmounts, amountsByCurrency, rowsByKey, sum } from '../report-figures.js';
import { upperFirst } from '../../platform/kernel/text.js';

export const summary = reportTable({
  name: 'summary',
  title: 'Main figures',
  definition: 'The main figures of this period and of as many days before it.',
  empty: '',
  row: 'The figures of a period.',
  most: 2,
  wide: true,
  columns: {
    period: code('Period', '`current` or `before`: as many days before it.', {
      current: 'This period',
      before: 'The days before',
    }),
    ...performance,
  },
  count: async (from, query) => {
    const { days } = from.rangeOf(query);
    const [first, to] = [addDays(days[0]!, -days.length), addDays(days[0]!, -1)];
    const current = await talliesOf(from, query);
    const before = await talliesOf(from, { ...query, from: first, to });
    return [
      { period: 'current' as const, ...current.total.print() },
      { period: 'before' as const, ...before.total.print() },
    ];
  },
  draw: ([current, before], { period }) =>
    current !== undefined &&
    before !== undefined && <Headline current={current} before={before} period={period} />,
});

interface Compared {
  readonly current: PerformanceRow;
  readonly before: PerformanceRow;
}

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
  readonly change: Change | null;
}

/** The main figures, each with its change since the days before. */
function Headline({ current, before, period }: Compared & { period: Period }) {
  const days = periodBefore(period);
  return (
    <>
      <dl class="headline">
        {figuresOf({ current, before }).map(({ name, value, note, change }) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <span class="figure">{value}</span>
              {change && <span class={classOfChange(change)}>{change.text}</span>}
              {note && <span class="hint">{note}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        {`${isComparable(before) ? 'Compared with' : 'There are no orders to compare with in'} ${dayLabel(days.from)} to ${dayLabel(days.to)}. Amounts are monthly prices, without VAT.`}
      </p>
    </>
  );
}

function isComparable(before: PerformanceRow): boolean {
  return before.received + before.won + before.lost > 0;
}

function classOfChange({ isBetter }: Change): string {
  if (isBetter === null) return 'change';
  return isBetter ? 'change better' : 'change worse';
}

function figuresOf({ current, before }: Compared): Figure[] {
  const change = (
    of: 'received' | 'inTime' | 'medianMinutes' | 'wonShare',
    about: Parameters<typeof changeOf>[2],
  ) => changeOf(current[of], before[of], about);
  const amountChange = (of: 'amounts' | 'wonAmounts') =>
    changeOf(onlyAmount(current[of], before[of]), onlyAmount(before[of], current[of]), {
      unit: 'relative',
      rise: 'better',
    });
  const share = (value: number | null) => (value === null ? '–' : percent(value));
  return [
    {
      name: 'Orders received',
      value: whole(current.received),
      note: `${amountsInWords(current.amounts)} per month`,
      change: change('received', { unit: 'relative', rise: 'better' }),
    },
    {
      name: 'Contacted within target',
      value: share(current.inTime),
      note: `${whole(current.contacts)} contacts logged`,
      change: change('inTime', { unit: 'points', rise: 'better' }),
    },
    {
      name: 'Median to first contact',
      value: current.medianMinutes === null ? '–' : minutes(current.medianMinutes),
      note: current.p90Minutes === null ? '' : `90th percentile ${minutes(current.p90Minutes)}`,
      change: change('medianMinutes', { unit: 'minutes', rise: 'worse' }),
    },
    {
      name: 'Won',
      value: share(current.wonShare),
      note: `${whole(current.won)} won, ${whole(current.lost)} lost`,
      change: change('wonShare', { unit: 'points', rise: 'better' }),
    },
    {
      name: 'Monthly price won',
      value: amountsInWords(current.wonAmounts),
      change: amountChange('wonAmounts'),
    },
  ];
}

/** A chart of more days shows weeks: its columns would be too thin. */
const MOST_COLUMNS = 100;

const dayColumns = {
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
type DayRow = Pick<RowOf<typeof dayColumns>, 'day' | 'arrived' | 'closed' | 'backlog'>;

export const daily = reportTable({
  name: 'daily',
  title: 'Received and closed',
  definition: 'Orders received and closed on each day in London, and orders open at its end.',
  empty: 'No order was received, closed or open in this period.',
  row: 'A day.',
  most: 400,
  columns: dayColumns,
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
type WeekdayColumn = keyof typeof weekdays;
const dayNames = Object.keys(weekdays) as WeekdayColumn[];

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
    const none = Object.fromEntries(dayNames.map((name) => [name, 0])) as Record<
      WeekdayColumn,
      number
    >;
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
