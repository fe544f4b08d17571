import { upperFirst } from '../../platform/kernel/text.js';
import { londonWeekHour } from '../../platform/kernel/working-hours.js';
import { classNames, countClasses } from '../drawing/chart-scale.js';
import { HeatMap, ShadeLegend } from '../drawing/charts.js';
import { count, text } from '../drawing/columns.js';
import { reportTable } from '../drawing/report-table.js';
import { sum } from '../report-figures.js';
import { whole } from '../../platform/kernel/counts.js';

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
