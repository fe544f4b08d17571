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
  enquiry: { name: 'Enquiries', series: 's2' },
} as const;
type AgeGroup = keyof typeof groups;
const names = Object.fromEntries(
  Object.entries(groups).map(([group, { name }]) => [group, name]),
) as Record<AgeGroup, string>;
const ageGroups = Object.keys(groups) as AgeGroup[];

export const age = reportTable({
  name: 'age',
  title: 'Open orders by first contact, and open enquiries',
  definition:
    'Orders that are open now: contacted, or the time left until the deadline. A day is a working day. All open in the navigation also counts the enquiries, which other reports of orders leave out.',
  empty: 'No order or enquiry is open.',
  row: 'Open orders in one state of their first contact.',
  most: ageGroups.length,
  columns: {
    group: code(
      'First contact',
      'One of `contacted`, `in time`, `nearly late`, `late up to 1 day`, `late 1-3 days`, `later`; `enquiry` for all enquiries.',
      names,
    ),
    orders: count('Open', 'How many orders, or enquiries.'),
    amounts: amounts('per month', 'Their monthly prices, by currency; none of enquiries.'),
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
    const byGroup = new Map(counted.map((one) => [one.by.group, one]));
    const enquiries = await counts.openOrders({ kind: 'enquiry', withoutAmounts: true }, filter);
    return ageGroups.map((name) => {
      if (name === 'enquiry')
        return { group: name, orders: sum(enquiries.map(({ n }) => n)), amounts: [] };
      const { n = 0, amounts: minor = new Map<string, number>() } = byGroup.get(name) ?? {};
      return { group: name, orders: n, amounts: amountsByCurrency(minor) };
    });
  },
  draw: (rows) => {
    const total = sum(rows.map(({ orders }) => orders));
    const late = sum(rows.slice(3, 6).map(({ orders }) => orders));
    return (
      total > 0 && (
        <Bars
          id="age"
          title="Open orders by first contact, and open enquiries"
          description={`${whole(total)} are open; ${whole(late)} orders are late for their first contact.`}
          series={ageGroups.map((group) => groups[group])}
          bars={rows.map((row, i) => ({
            label: names[row.group],
            values: rows.map((_, k) => (k === i ? row.orders : 0)),
            text: [
              whole(row.orders),
              ...(row.amounts.length === 0 ? [] : [amountsInWords(row.amounts)]),
            ].join(', '),
          }))}
        />
      )
    );
  },
});
