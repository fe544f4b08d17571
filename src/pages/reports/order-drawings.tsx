import { lostReasonNames, nameOf } from '../../orders/moves/move-fields.js';
import { type ClosedState, closedStates, stateInfo } from '../../orders/moves/order-states.js';
import type {
  ArrivalsReport,
  DailyReport,
  FirstContactReport,
  LostReasonsReport,
  OutcomeReport,
} from '../../follow-up/reports/reports.dto.js';
import {
  classNames,
  countClasses,
  minuteAxis,
  minutes,
  number,
  percent,
  shareAxis,
  sum,
} from './chart-scale.js';
import { Bars, Columns, HeatMap, Legend, Lines } from './charts.js';
import { dayLabel, dayName } from './period.js';
import { MOST_BARS, oneSeries, type ReportDrawing, tableOf } from './report-drawings.js';
import { ShadeLegend } from './tile-map.js';

/** More columns than this cannot be told apart: then a column is a week. */
const MOST_COLUMNS = 100;

export function drawDaily({ items: days }: DailyReport): ReportDrawing {
  const weekly = days.length > MOST_COLUMNS;
  const unit = weekly ? 'week' : 'day';
  const points = (weekly ? byWeek(days) : days).map((row) => ({
    ...row,
    label: dayLabel(row.day),
    name: weekly ? `Week from ${dayName(row.day)}` : dayName(row.day),
  }));
  const series = [
    { series: 's1', name: 'Arrived' },
    { series: 's4', name: 'Closed' },
  ];
  const [arrived, closed, open] = [
    sum(points.map((row) => row.arrived)),
    sum(points.map((row) => row.closed)),
    points.map(({ backlog }) => backlog),
  ];
  return {
    drawing: arrived + closed + sum(open) > 0 && (
      <>
        <Legend series={series} />
        <Columns
          id="daily"
          title={`Orders arrived and closed a ${unit}`}
          description={`${number(arrived)} arrived and ${number(closed)} were closed in ${days.length} days.`}
          series={series}
          points={points.map((row) => ({ ...row, values: [row.arrived, row.closed] }))}
        />
        <h3 class="sub">{`Open at the end of the ${unit}`}</h3>
        <Lines
          id="backlog"
          title={`Open orders at the end of each ${unit}`}
          description={`${number(open[0] ?? 0)} at first, ${number(open.at(-1) ?? 0)} at last.`}
          series={oneSeries('s1', 'Open')}
          points={points.map((row) => ({ ...row, values: [row.backlog] }))}
        />
      </>
    ),
    table: tableOf(points, {
      [weekly ? 'Week' : 'Day']: ({ name }) => name,
      Arrived: (row) => row.arrived,
      Closed: (row) => row.closed,
      'Open at the end': ({ backlog }) => backlog,
    }),
  };
}

/** Seven days each from the first one; the last week may be shorter. */
function byWeek(days: DailyReport['items']): DailyReport['items'] {
  const weeks: DailyReport['items'] = [];
  for (let first = 0; first < days.length; first += 7) {
    const week = days.slice(first, first + 7);
    weeks.push({
      day: week[0]!.day,
      arrived: sum(week.map(({ arrived }) => arrived)),
      closed: sum(week.map(({ closed }) => closed)),
      backlog: week.at(-1)!.backlog,
    });
  }
  return weeks;
}

export function drawFirstContact({ items }: FirstContactReport): ReportDrawing {
  const points = items.map((row) => ({
    ...row,
    label: dayLabel(row.week),
    name: `Week of ${dayLabel(row.week)}`,
  }));
  const series = [
    { series: 's1', name: 'Half of them within' },
    { series: 's4', name: 'Nine of ten within' },
  ];
  const contacted = sum(items.map((row) => row.contacted));
  const times = items.flatMap((row) => [row.medianMinutes ?? 0, row.p90Minutes ?? 0]);
  const last = items.findLast(({ medianMinutes }) => medianMinutes !== null)?.medianMinutes ?? 0;
  const inMinutes = (value: number | null) => (value === null ? null : minutes(value));
  const inPercent = (value: number | null) => (value === null ? null : percent(value));
  return {
    drawing: contacted > 0 && (
      <>
        <Legend series={series} />
        <Lines
          id="first-contact"
          title="Working time to first contact, a week"
          description={`${number(contacted)} orders were contacted; half of those of the last week within ${minutes(last)}.`}
          axis={minuteAxis(times)}
          format={minutes}
          series={series}
          points={points.map((row) => ({ ...row, values: [row.medianMinutes, row.p90Minutes] }))}
        />
        <h3 class="sub">Contacted by the deadline</h3>
        <Lines
          id="in-time"
          title="Share contacted by the deadline, a week"
          description={points
            .map(({ label, inTime }) => `${label}: ${inPercent(inTime) ?? 'none'}`)
            .join('; ')}
          axis={shareAxis}
          format={percent}
          series={oneSeries('s1', 'In time')}
          points={points.map((row) => ({ ...row, values: [row.inTime] }))}
        />
      </>
    ),
    table: tableOf(items, {
      'Week of': ({ week }) => dayName(week),
      Received: ({ received }) => received,
      Contacted: (row) => row.contacted,
      'Half within': ({ medianMinutes }) => inMinutes(medianMinutes),
      'Nine of ten within': ({ p90Minutes }) => inMinutes(p90Minutes),
      'In time': ({ inTime }) => inPercent(inTime),
    }),
  };
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const hours = Array.from({ length: 24 }, (_, hour) => {
  const label = String(hour).padStart(2, '0');
  return { label, name: `${label}:00` };
});

export function drawArrivals({ items }: ArrivalsReport): ReportDrawing {
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
          description={`Most came on ${weekdays[most.weekday]} from ${hours[most.hour]?.name}: ${number(most.orders)}.`}
          rows={days}
          columns={hours}
          valueAt={countAt}
          bounds={bounds}
        />
        <ShadeLegend classes={classNames(bounds, Math.max(...counts))} />
      </>
    ),
    table: {
      columns: ['Hour', ...days.map(({ label }) => label)],
      rows: hours.map(({ name }, hour) => [name, ...days.map((_, day) => countAt(day, hour))]),
    },
  };
}

const [firstClosed, ...otherClosed] = closedStates;
/** Open orders come second, beside those that were won. */
const outcomeColumns: readonly (ClosedState | 'open')[] = [firstClosed!, 'open', ...otherClosed];
const outcomeSeries = outcomeColumns.map((column, i) => ({
  series: `s${i + 1}`,
  name: column === 'open' ? 'Open' : stateInfo[column].name,
}));

export function drawOutcomes({ items }: OutcomeReport): ReportDrawing {
  const total = (of: 'received' | 'won' | 'lost') => number(sum(items.map((row) => row[of])));
  return {
    drawing: items.length > 0 && (
      <>
        <Legend series={outcomeSeries} />
        <Bars
          id="outcomes"
          title="What has become of the orders, by product"
          description={`Of ${total('received')} orders ${total('won')} are won and ${total('lost')} lost.`}
          series={outcomeSeries}
          bars={items.slice(0, MOST_BARS).map((row) => ({
            label: row.productCode,
            values: outcomeColumns.map((column) => row[column]),
            text: number(row.received),
          }))}
        />
        {items.length > MOST_BARS && (
          <p class="hint">{`The ${MOST_BARS} most ordered of ${items.length}; the others are in the table.`}</p>
        )}
      </>
    ),
    table: {
      columns: ['Product', 'Received', ...outcomeSeries.map(({ name }) => name)],
      rows: items.map((row) => [
        {
          text: row.productCode,
          href: `/staff/queue?view=all&product=${encodeURIComponent(row.productCode)}`,
        },
        row.received,
        ...outcomeColumns.map((column) => row[column]),
      ]),
    },
  };
}

export function drawLostReasons({ items }: LostReasonsReport): ReportDrawing {
  const total = sum(items.map(({ orders }) => orders));
  const rows = items.map(({ reason, orders }) => {
    return { name: nameOf(lostReasonNames, reason), orders, share: percent(orders / total) };
  });
  return {
    drawing: items.length > 0 && (
      <Bars
        id="lost-reasons"
        title="Why orders were lost"
        description={`${number(total)} were lost, most of them for this: ${rows[0]!.name}.`}
        series={oneSeries('s1', 'Orders')}
        bars={rows.map(({ name, orders, share }) => ({
          label: name,
          values: [orders],
          text: `${number(orders)} (${share})`,
        }))}
      />
    ),
    table: tableOf(rows, {
      Reason: ({ name }) => name,
      Orders: ({ orders }) => orders,
      Share: ({ share }) => share,
    }),
  };
}
