import { Bars } from '../drawing/charts.js';
import { amounts, amountsInWords, code, count } from '../drawing/columns.js';
import { reportTable } from '../drawing/report-table.js';
import { amountsByCurrency, sum } from '../report-figures.js';
import { whole } from '../../platform/kernel/counts.js';
import { subtractWorkingTime, workingDay } from '../../platform/kernel/working-hours.js';

/** From the best group to the worst. */
const groups = {
  contacted: { name: 'Contacted', series: 's4' },
  'in time': { name: 'In time', series: 's1' },
  'nearly late': { name: 'Nearly late', series: 'soon-bar' },
  'late up to 1 day': { name: 'Late, up to 1 day', series: 'late-bar' },
  'late 1-3 days': { name: 'Late, 1 to 3 days', series: 'late-bar' },
  later: { name: 'Late, more than 3 days', series: 'late-bar' },
} as const;
type AgeGroup = keyof typeof groups;
const names = Object.fromEntries(
  Object.entries(groups).map(([group, { name }]) => [group, name]),
) as Record<AgeGroup, string>;
const ageGroups = Object.keys(groups) as AgeGroup[];

export const age = reportTable({
  name: 'age',
  title: 'Open orders by first contact',
  definition:
    'Orders that are open now, without enquiries: contacted, or the time left until the deadline. A day is a working day.',
  empty: 'No order is open.',
  row: 'Open orders in one state of their first contact.',
  most: ageGroups.length,
  columns: {
    group: code(
      'First contact',
      'One of `contacted`, `in time`, `nearly late`, `late up to 1 day`, `late 1-3 days`, `later`.',
      names,
    ),
    orders: count('Open orders', 'How many orders.'),
    amounts: amounts('per month', 'Their monthly prices, by currency.'),
  },
  count: async ({ counts, deadlines: { calendar }, now: date }, filter) => {
    const now = date.getTime();
    const daysBefore = (days: number) =>
      subtractWorkingTime(date, days * workingDay(calendar), calendar).getTime();
    const dueAfter = (since: number) => `r.firstContactDueAt > ${since}`;
    const group = `CASE WHEN r.firstContactAt IS NOT NULL THEN 'contacted'
      WHEN ${dueAfter(now)} AND r.firstContactWarnAt <= ${now} THEN 'nearly late'
      WHEN ${dueAfter(now)} THEN 'in time'
      WHEN ${dueAfter(daysBefore(1))} THEN 'late up to 1 day'
      WHEN ${dueAfter(daysBefore(3))} THEN 'late 1-3 days'
      ELSE 'later' END`;
    const counted = await counts.openOrders({ by: { group } }, filter);
    const found = new Map(counted.map((one) => [one.by.group, one]));
    return ageGroups.map((name) => {
      const { n = 0, amounts: minor = new Map<string, number>() } = found.get(name) ?? {};
      return { group: name, orders: n, amounts: amountsByCurrency(minor) };
    });
  },
  draw: (rows) => {
    const total = sum(rows.map(({ orders }) => orders));
    const late = sum(rows.slice(3).map(({ orders }) => orders));
    return (
      total > 0 && (
        <Bars
          id="age"
          title="Open orders by first contact"
          description={`${whole(total)} open orders; ${whole(late)} are late for their first contact.`}
          series={ageGroups.map((group) => groups[group])}
          bars={rows.map((row, i) => ({
            label: names[row.group],
            values: rows.map((_, k) => (k === i ? row.orders : 0)),
            text: row.orders === 0 ? '0' : `${whole(row.orders)}, ${amountsInWords(row.amounts)}`,
          }))}
        />
      )
    );
  },
});
