import { sum } from '../report-figures.js';
import type { DailyReport, FirstContactRow, MonthlyAmount, OutcomeRow } from '../reports.dto.js';
import { lostReasonNames, nameOf } from '../../orders/moves/move-fields.js';
import { type ClosedState, closedStates, stateInfo } from '../../orders/record/order-states.js';
import { whole } from '../../platform/ui/parts.js';
import {
  classNames,
  countClasses,
  minuteAxis,
  minutes,
  percent,
  shareAxis,
} from './chart-scale.js';
import { Bars, Columns, HeatMap, Legend, Lines, ShadeLegend } from './charts.js';
import { dayLabel, dayName } from './period.js';
import { MOST_BARS, oneSeries } from './report-drawings.js';
import type { ReportKind } from './report-kinds.js';
import {
  amountColumns,
  amountsInWords,
  minutesColumn,
  shareCell,
  tableOf,
} from './report-table.js';

/** A chart of more days shows weeks: its columns would be too thin. */
const MOST_COLUMNS = 100;

export const dailyReport: ReportKind = {
  name: 'daily',
  title: 'Received and closed',
  definition: 'Orders received and closed on each day in London, and orders open at its end.',
  empty: 'No order was received, closed or open in this period.',
  show: async ({ reports }, period) => {
    const { items: days } = await reports.daily(period);
    const weekly = days.length > MOST_COLUMNS;
    const unit = weekly ? 'week' : 'day';
    const isQuiet = (row: DailyReport['items'][number]) =>
      row.arrived + row.closed + row.backlog === 0;
    const first = days.findIndex((row) => !isQuiet(row));
    // The empty days before the first order would look like a fault.
    const known = days.slice(Math.max(0, first));
    const points = (weekly ? byWeek(known) : known).map((row) => ({
      ...row,
      label: dayLabel(row.day),
      name: weekly ? `Week from ${dayName(row.day)}` : dayName(row.day),
    }));
    const series = [
      { series: 's1', name: 'Received' },
      { series: 's4', name: 'Closed' },
    ];
    const [arrived, closed] = [
      sum(days.map((row) => row.arrived)),
      sum(days.map((row) => row.closed)),
    ];
    const open = points.map(({ backlog }) => backlog);
    return {
      drawing: arrived + closed + sum(open) > 0 && (
        <>
          <Legend series={series} />
          <Columns
            id="daily"
            title={`Orders received and closed per ${unit}`}
            description={`${whole(arrived)} orders were received and ${whole(closed)} closed in ${days.length} days.`}
            series={series}
            points={points.map((row) => ({ ...row, values: [row.arrived, row.closed] }))}
          />
          <h3 class="sub">{`Open at the end of the ${unit}`}</h3>
          <Lines
            id="backlog"
            title={`Open orders at the end of each ${unit}`}
            description={`${whole(open[0] ?? 0)} at the start, ${whole(open.at(-1) ?? 0)} at the end.`}
            series={oneSeries('s1', 'Open')}
            points={points.map((row) => ({ ...row, values: [row.backlog] }))}
          />
        </>
      ),
      table: tableOf(points, {
        [weekly ? 'Week' : 'Day']: ({ name, day }) => ({ text: name, value: day }),
        Received: (row) => row.arrived,
        Closed: (row) => row.closed,
        'Open at the end': ({ backlog }) => backlog,
        ...amountColumns(points, 'per month received', ({ amounts }) => amounts),
      }),
    };
  },
};

/** Weeks from the first day; the last may be shorter. */
function byWeek(days: DailyReport['items']): DailyReport['items'] {
  const weeks: DailyReport['items'] = [];
  for (let first = 0; first < days.length; first += 7) {
    const week = days.slice(first, first + 7);
    weeks.push({
      day: week[0]!.day,
      arrived: sum(week.map(({ arrived }) => arrived)),
      closed: sum(week.map(({ closed }) => closed)),
      backlog: week.at(-1)!.backlog,
      amounts: sumAmounts(week.flatMap(({ amounts }) => amounts)),
    });
  }
  return weeks;
}

function sumAmounts(amounts: readonly MonthlyAmount[]): MonthlyAmount[] {
  const byCurrency = Map.groupBy(amounts, ({ currency }) => currency);
  return [...byCurrency].map(([currency, some]) => {
    return { currency, amount: sum(some.map(({ amount }) => amount)) };
  });
}

export const firstContactReport: ReportKind = {
  name: 'first-contact',
  title: 'Time to first contact',
  definition:
    'Working time from receipt to first contact of the orders received in each week, and the share contacted within target.',
  empty: 'No order of this period has been contacted.',
  show: async ({ performance }, period) => {
    const { items } = await performance.firstContact(period);
    // The empty weeks before the first order would look like a fault.
    const first = items.findIndex(({ received }) => received > 0);
    const points = items.slice(Math.max(0, first)).map((row) => ({
      ...row,
      label: dayLabel(row.week),
      name: `Week of ${dayLabel(row.week)}`,
    }));
    const series = [
      { series: 's1', name: 'Median' },
      { series: 's4', name: '90th percentile' },
    ];
    const contacted = sum(items.map((row) => row.contacted));
    const target = performance.targetMinutes;
    const times = items.flatMap((row) => [row.medianMinutes ?? 0, row.p90Minutes ?? 0]);
    const last = items.findLast(({ medianMinutes }) => medianMinutes !== null)?.medianMinutes ?? 0;
    const inPercent = (value: number | null) => (value === null ? null : percent(value));
    return {
      drawing: contacted > 0 && (
        <>
          <Legend series={series} />
          <Lines
            id="first-contact"
            title="Working time to first contact by week"
            description={`${whole(contacted)} orders were contacted; the median of the last week is ${minutes(last)}.`}
            axis={minuteAxis([...times, target])}
            target={{ value: target, name: `Target ${minutes(target)}` }}
            format={minutes}
            series={series}
            points={points.map((row) => ({ ...row, values: [row.medianMinutes, row.p90Minutes] }))}
          />
          <h3 class="sub">Contacted within target</h3>
          <Lines
            id="in-time"
            title="Share contacted within target by week"
            description={points
              .map(({ label, inTime }) => `${label}: ${inPercent(inTime) ?? 'none'}`)
              .join('; ')}
            axis={shareAxis}
            format={percent}
            series={oneSeries('s1', 'Within target')}
            points={points.map((row) => ({ ...row, values: [row.inTime] }))}
          />
        </>
      ),
      table: tableOf(items, {
        'Week of': ({ week }) => ({ text: dayName(week), value: week }),
        Received: ({ received }) => received,
        Contacted: (row) => row.contacted,
        ...minutesColumn('Median', (row: FirstContactRow) => row.medianMinutes),
        ...minutesColumn('90th percentile', (row: FirstContactRow) => row.p90Minutes),
        'Within target': ({ inTime }) => shareCell(inTime),
      }),
    };
  },
};

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const hours = Array.from({ length: 24 }, (_, hour) => {
  const label = String(hour).padStart(2, '0');
  return { label, name: `${label}:00` };
});

export const arrivalsReport: ReportKind = {
  name: 'arrivals',
  title: 'When orders arrive',
  definition: 'Orders received in this period, by weekday and hour in London.',
  empty: 'No order was received in this period.',
  show: async ({ reports }, period) => {
    const { items } = await reports.arrivals(period);
    const counts = items.map(({ orders }) => orders);
    const countAt = (weekday: number, hour: number) => counts[weekday * 24 + hour] ?? 0;
    const bounds = countClasses(counts);
    const most = items.reduce((a, b) => (b.orders > a.orders ? b : a), items[0]!);
    const days = weekdays.map((name) => ({ label: name.slice(0, 3), name }));
    return {
      drawing: sum(counts) > 0 && (
        <>
          <HeatMap
            id="arrivals"
            title="Orders by weekday and hour"
            description={`Most arrived on ${weekdays[most.weekday]} from ${hours[most.hour]?.name}: ${whole(most.orders)}.`}
            rows={days}
            columns={hours}
            valueAt={countAt}
            bounds={bounds}
          />
          <ShadeLegend classes={classNames(bounds, Math.max(...counts))} />
        </>
      ),
      table: {
        columns: ['Hour', ...days.map(({ label }) => label)].map((name) => ({ name, csv: name })),
        rows: hours.map(({ name }, hour) => [name, ...days.map((_, day) => countAt(day, hour))]),
      },
    };
  },
};

const [firstClosed, ...otherClosed] = closedStates;
/** Open orders are second, next to the won ones. */
const outcomeColumns: readonly (ClosedState | 'open')[] = [firstClosed!, 'open', ...otherClosed];
const outcomeSeries = outcomeColumns.map((column, i) => ({
  series: `s${i + 1}`,
  name: column === 'open' ? 'Open' : stateInfo[column].name,
}));

export const outcomesReport: ReportKind = {
  name: 'outcomes',
  title: 'Outcome by product',
  definition: 'Current status of the orders received in this period, by product.',
  empty: 'No order was received in this period.',
  show: async ({ reports }, period) => {
    const { items } = await reports.outcomes(period);
    const total = (of: 'received' | 'won' | 'lost') => whole(sum(items.map((row) => row[of])));
    return {
      drawing: items.length > 0 && (
        <>
          <Legend series={outcomeSeries} />
          <Bars
            id="outcomes"
            title="Order status by product"
            description={`Of ${total('received')} orders ${total('won')} are won and ${total('lost')} lost.`}
            series={outcomeSeries}
            bars={items.slice(0, MOST_BARS).map((row) => ({
              label: row.productCode,
              values: outcomeColumns.map((column) => row[column]),
              text: `${whole(row.received)}, ${amountsInWords(row.amounts)}, ${whole(row.won)} won`,
            }))}
          />
          {items.length > MOST_BARS && (
            <p class="hint">{`The ${MOST_BARS} most ordered of ${items.length}; the others are in the table.`}</p>
          )}
        </>
      ),
      table: tableOf(items, {
        Product: ({ productCode }) => ({
          text: productCode,
          href: `/staff/queue?view=all&product=${encodeURIComponent(productCode)}`,
        }),
        Received: ({ received }) => received,
        ...Object.fromEntries(
          outcomeColumns.map((column, i) => [
            outcomeSeries[i]!.name,
            (row: OutcomeRow) => row[column],
          ]),
        ),
        ...amountColumns(items, 'per month', ({ amounts }) => amounts),
        ...amountColumns(items, 'won per month', ({ wonAmounts }) => wonAmounts),
      }),
    };
  },
};

export const lostReasonsReport: ReportKind = {
  name: 'lost-reasons',
  title: 'Why orders were lost',
  definition: 'Orders closed as lost in this period, by reason.',
  empty: 'No order was closed as lost in this period.',
  show: async ({ reports }, period) => {
    const { items } = await reports.lostReasons(period);
    const total = sum(items.map(({ orders }) => orders));
    const rows = items.map(({ reason, ...row }) => {
      return { name: nameOf(lostReasonNames, reason), ...row, share: row.orders / total };
    });
    return {
      drawing: items.length > 0 && (
        <Bars
          id="lost-reasons"
          title="Why orders were lost"
          description={`${whole(total)} were lost. The most frequent reason: ${rows[0]!.name}.`}
          series={oneSeries('s1', 'Orders')}
          bars={rows.map(({ name, orders, share, amounts }) => ({
            label: name,
            values: [orders],
            text: `${whole(orders)}, ${percent(share)}, ${amountsInWords(amounts)}`,
          }))}
        />
      ),
      table: tableOf(rows, {
        Reason: ({ name }) => name,
        Orders: ({ orders }) => orders,
        Share: ({ share }) => shareCell(share),
        ...amountColumns(rows, 'per month', ({ amounts }) => amounts),
      }),
    };
  },
};
