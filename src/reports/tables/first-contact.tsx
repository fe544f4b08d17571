import { minuteAxis, minutes, percent, shareAxis } from '../drawing/chart-scale.js';
import { Legend, Lines } from '../drawing/charts.js';
import { count, day, workingMinutes } from '../drawing/columns.js';
import { dayLabel } from '../drawing/period.js';
import { oneSeries, reportTable } from '../drawing/report-table.js';
import type { ChartSeries } from '../drawing/series.js';
import { sum } from '../report-figures.js';
import { performance, talliesOf } from './performance.js';
import { whole } from '../../platform/kernel/counts.js';

const series: readonly ChartSeries[] = [
  { series: 's1', name: 'Median' },
  { series: 's4', name: '90th percentile' },
];

export const firstContact = reportTable({
  name: 'first-contact',
  title: 'Time to first contact',
  definition:
    'Working time from receipt to first contact of the orders received in each week, and the share contacted within target.',
  empty: 'No order of this period has been contacted.',
  row: 'A week.',
  most: 58,
  columns: {
    week: day('Week of', 'The Monday of the week. @example "2026-11-16"'),
    received: count('Received', 'Orders received in the week.'),
    contacted: count('Contacted', 'Of these, those with a first contact.'),
    medianMinutes: workingMinutes(
      'Median',
      'Working minutes from receipt to first contact, nearest rank; null without one. @example 42',
    ),
    p90Minutes: performance.p90Minutes,
    inTime: performance.inTime,
  },
  count: async (from, query) => {
    const { weeks } = await talliesOf(from, query);
    return weeks.map(({ week, tally }) => {
      const { received, contacted, medianMinutes, p90Minutes, inTime } = tally.print();
      return { week, received, contacted, medianMinutes, p90Minutes, inTime };
    });
  },
  draw: (rows, { targetMinutes }) => {
    const contacted = sum(rows.map((row) => row.contacted));
    if (contacted === 0) return false;
    // The empty weeks before the first order would look like a fault.
    const points = rows
      .slice(rows.findIndex(({ received }) => received > 0))
      .map((row) => ({ ...row, label: dayLabel(row.week) }));
    const times = rows.flatMap((row) => [row.medianMinutes ?? 0, row.p90Minutes ?? 0]);
    const last = rows.findLast(({ medianMinutes }) => medianMinutes !== null)?.medianMinutes ?? 0;
    const inPercent = (value: number | null) => (value === null ? 'none' : percent(value));
    return (
      <>
        <Legend series={series} />
        <Lines
          id="first-contact"
          title="Working time to first contact by week"
          description={`${whole(contacted)} orders were contacted; the median of the last week is ${minutes(last)}.`}
          axis={minuteAxis([...times, targetMinutes])}
          target={{ value: targetMinutes, name: `Target ${minutes(targetMinutes)}` }}
          format={minutes}
          series={series}
          points={points.map((row) => ({ ...row, values: [row.medianMinutes, row.p90Minutes] }))}
        />
        <h3 class="sub">Contacted within target</h3>
        <Lines
          id="in-time"
          title="Share contacted within target by week"
          description={points.map((row) => `${row.label}: ${inPercent(row.inTime)}`).join('; ')}
          axis={shareAxis}
          format={percent}
          series={oneSeries('s1', 'Within target')}
          points={points.map((row) => ({ ...row, values: [row.inTime] }))}
        />
      </>
    );
  },
});
