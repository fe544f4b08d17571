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
  compact,
  countAxis,
  countClasses,
  minuteAxis,
  minutes,
  number,
  percent,
  shareAxis,
} from './chart-scale.js';
import { Bars, Columns, HeatMap, Legend, Lines } from './charts.js';
import { dayLabel, dayName } from './period.js';
import { MOST_BARS, oneSeries, type Shown, sum } from './report-drawings.js';
import { HeatLegend } from './tile-map.js';

/** More columns than this cannot be told apart: then a column is a week. */
const MOST_COLUMNS = 100;

export function drawDaily({ items: days }: DailyReport): Shown {
  const weekly = days.length > MOST_COLUMNS;
  const items = weekly ? byWeek(days) : days;
  const points = items.map((row) => ({
    ...row,
    label: dayLabel(row.day),
    name: weekly ? `Week from ${dayName(row.day)}` : dayName(row.day),
  }));
  const series = [
    { series: 's1', name: 'Arrived' },
    { series: 's4', name: 'Closed' },
  ];
  const moved = sum(items.map(({ arrived, closed, backlog }) => arrived + closed + backlog));
  const last = items.at(-1);
  const arrived = sum(items.map((row) => row.arrived));
  const closed = sum(items.map((row) => row.closed));
  return {
    drawing:
      moved === 0 ? null : (
        <>
          <Legend series={series} />
          <Columns
            id="daily"
            title={`Orders arrived and closed a ${weekly ? 'week' : 'day'}`}
            description={`${number(arrived)} arrived and ${number(closed)} were closed in ${days.length} days.`}
            axis={countAxis(items.flatMap((row) => [row.arrived, row.closed]))}
            format={compact}
            series={series}
            points={points.map((row) => ({ ...row, values: [row.arrived, row.closed] }))}
          />
          <h3 class="sub">{`Open at the end of the ${weekly ? 'week' : 'day'}`}</h3>
          <Lines
            id="backlog"
            title={`Open orders at the end of each ${weekly ? 'week' : 'day'}`}
            description={`${number(items[0]?.backlog ?? 0)} at first, ${number(last?.backlog ?? 0)} at last.`}
            axis={countAxis(items.map(({ backlog }) => backlog))}
            format={compact}
            series={oneSeries('s1', 'Open')}
            points={points.map((row) => ({ ...row, values: [row.backlog] }))}
          />
        </>
      ),
    table: {
      columns: [weekly ? 'Week' : 'Day', 'Arrived', 'Closed', 'Open at the end'],
      rows: points.map(({ name, arrived: came, closed: went, backlog }) => [
        name,
        came,
        went,
        backlog,
      ]),
    },
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

export function drawFirstContact({ items }: FirstContactReport): Shown {
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
  const times = items.flatMap(({ medianMinutes, p90Minutes }) => [
    medianMinutes ?? 0,
    p90Minutes ?? 0,
  ]);
  return {
    drawing:
      contacted === 0 ? null : (
        <>
          <Legend series={series} />
          <Lines
            id="first-contact"
            title="Working time to first contact, a week"
            description={`${number(contacted)} orders were contacted; half of those of the last week within ${told(items)}.`}
            axis={minuteAxis(times)}
            format={minutes}
            series={series}
            points={points.map((row) => ({ ...row, values: [row.medianMinutes, row.p90Minutes] }))}
          />
          <h3 class="sub">Contacted by the deadline</h3>
          <Lines
            id="in-time"
            title="Share contacted by the deadline, a week"
            description={items
              .map(
                ({ week, inTime }) =>
                  `${dayLabel(week)}: ${inTime === null ? 'none' : percent(inTime)}`,
              )
              .join('; ')}
            axis={shareAxis}
            format={percent}
            series={oneSeries('s1', 'In time')}
            points={points.map((row) => ({ ...row, values: [row.inTime] }))}
          />
        </>
      ),
    table: {
      columns: ['Week of', 'Received', 'Contacted', 'Half within', 'Nine of ten within', 'In time'],
      rows: items.map(({ week, received, contacted: done, medianMinutes, p90Minutes, inTime }) => [
        dayName(week),
        received,
        done,
        medianMinutes === null ? null : minutes(medianMinutes),
        p90Minutes === null ? null : minutes(p90Minutes),
        inTime === null ? null : percent(inTime),
      ]),
    },
  };
}

function told(items: FirstContactReport['items']): string {
  const last = items.findLast(({ medianMinutes }) => medianMinutes !== null);
  return minutes(last?.medianMinutes ?? 0);
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export function drawArrivals({ items }: ArrivalsReport): Shown {
  const counts = items.map(({ orders }) => orders);
  const bounds = countClasses(counts);
  const most = items.reduce((a, b) => (b.orders > a.orders ? b : a), items[0]!);
  const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
  return {
    drawing:
      sum(counts) === 0 ? null : (
        <>
          <HeatMap
            id="arrivals"
            title="Orders by weekday and hour"
            description={`Most came on ${weekdays[most.weekday]} from ${clock(most.hour)}: ${number(most.orders)}.`}
            rows={weekdays.map((name) => ({ label: name.slice(0, 3), name }))}
            columns={Array.from({ length: 24 }, (_, hour) => ({
              label: String(hour).padStart(2, '0'),
              name: clock(hour),
            }))}
            valueAt={(weekday, hour) => counts[weekday * 24 + hour] ?? 0}
            bounds={bounds}
          />
          <HeatLegend bounds={bounds} highest={Math.max(...counts)} />
        </>
      ),
    table: {
      columns: ['Hour', ...weekdays.map((name) => name.slice(0, 3))],
      rows: Array.from({ length: 24 }, (_, hour) => [
        clock(hour),
        ...weekdays.map((_name, weekday) => counts[weekday * 24 + hour] ?? 0),
      ]),
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

export function drawOutcomes({ items }: OutcomeReport): Shown {
  const total = sum(items.map(({ received }) => received));
  return {
    drawing:
      items.length === 0 ? null : (
        <>
          <Legend series={outcomeSeries} />
          <Bars
            id="outcomes"
            title="What has become of the orders, by product"
            description={`Of ${number(total)} orders ${number(sum(items.map(({ won }) => won)))} are won and ${number(sum(items.map(({ lost }) => lost)))} lost.`}
            axis={countAxis(items.map(({ received }) => received))}
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

export function drawLostReasons({ items }: LostReasonsReport): Shown {
  const words = (reason: string) => nameOf(lostReasonNames, reason);
  const total = sum(items.map(({ orders }) => orders));
  return {
    drawing:
      items.length === 0 ? null : (
        <Bars
          id="lost-reasons"
          title="Why orders were lost"
          description={`${number(total)} were lost, most of them for this: ${words(items[0]!.reason)}.`}
          axis={countAxis(items.map(({ orders }) => orders))}
          series={oneSeries('s1', 'Orders')}
          bars={items.map(({ reason, orders }) => ({
            label: words(reason),
            values: [orders],
            text: `${number(orders)} (${percent(orders / total)})`,
          }))}
        />
      ),
    table: {
      columns: ['Reason', 'Orders', 'Share'],
      rows: items.map(({ reason, orders }) => [words(reason), orders, percent(orders / total)]),
    },
  };
}
