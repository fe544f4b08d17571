import { ownedStates } from '../../orders/record/order-states.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import { Bars, Legend, Lines } from '../drawing/charts.js';
import {
  amounts,
  amountsInWords,
  count,
  day,
  text,
  unprinted,
  workingMinutes,
  code,
} from '../drawing/columns.js';
import {
  MOST_BARS,
  oneSeries,
  ordersWhere,
  reportTable,
  type ChartSeries,
} from '../drawing/report-table.js';
import { amountsByCurrency, compare, sum } from '../report-figures.js';
import type { ReportSourcesService } from '../report-sources.service.js';
import { performance, talliesOf, type Tally } from './performance.js';
import { whole } from '../../platform/kernel/counts.js';
import { minuteAxis, minutes, percent, shareAxis } from '../drawing/chart-scale.js';
import { dayLabel } from '../drawing/period.js';
import { subtractWorkingTime, workingDay } from '../../platform/kernel/working-hours.js';

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

const person = {
  staffId: unprinted(text('', 'Identifies the staff member. @kind uuid')),
  name: text('Person', 'The name. @kind person'),
};

export const people = reportTable({
  name: 'people',
  title: 'Open orders by person',
  definition:
    'Orders that are open now by owner, without enquiries, with those due for a call-back and those late for first contact.',
  empty: 'No one has an open order.',
  row: 'A staff member.',
  most: 10_000,
  columns: {
    ...person,
    open: count('Open', 'Orders of which the person is the owner.'),
    due: count('Call-back due', 'Of these, those with a call-back due.'),
    late: count('Late', 'Of these, those without a first contact by the deadline.'),
    amounts: amounts('per month', 'Monthly prices of the open orders, by currency.'),
  },
  count: async (from, filter) => {
    const now = from.now.getTime();
    const late = `r.firstContactAt IS NULL AND r.firstContactDueAt <= ${now}
      AND r.state IN (${ownedStates.map((state) => `'${state}'`).join(', ')})`;
    const groups = await from.counts.openOrders(
      { by: { owner: 'r.ownerId' }, counting: { due: `r.nextActionAt <= ${now}`, late } },
      filter,
    );
    const ofOwner = new Map(groups.map((group) => [group.by.owner, group]));
    const members = await from.transactions.read((tx) =>
      tx.find(StaffMember, { order: { name: 'ASC', id: 'ASC' } }),
    );
    return members
      .filter(({ id, enabled }) => enabled || ofOwner.has(id))
      .map(({ id, name }) => {
        const {
          n = 0,
          counted = {},
          amounts: minor = new Map<string, number>(),
        } = ofOwner.get(id) ?? {};
        return {
          staffId: id,
          name,
          open: n,
          due: counted.due ?? 0,
          late: counted.late ?? 0,
          amounts: amountsByCurrency(minor),
        };
      });
  },
  link: ({ staffId }) => ordersWhere('owner', staffId, 'open'),
  draw: (rows) => {
    const busy = rows.filter((row) => row.open > 0).sort((a, b) => b.open - a.open);
    const some = (number: number, word: string) => (number > 0 ? [`${whole(number)} ${word}`] : []);
    return (
      busy.length > 0 && (
        <Bars
          id="people"
          title="Open orders by person"
          description={`${busy.length} people have ${whole(sum(busy.map((row) => row.open)))} open orders.`}
          series={oneSeries('s1', 'Open')}
          bars={busy.slice(0, MOST_BARS).map((row) => ({
            label: row.name,
            values: [row.open],
            text: [
              whole(row.open),
              amountsInWords(row.amounts),
              ...some(row.due, 'due'),
              ...some(row.late, 'late'),
            ].join(', '),
          }))}
        />
      )
    );
  },
});

export const byPerson = reportTable({
  name: 'by-person',
  title: 'Performance by person',
  definition:
    'Orders received in this period by owner, how fast they were contacted, and orders closed in this period.',
  empty: 'No order of this period has had an owner.',
  row: 'The figures of a staff member: of orders that the person owns, or owned last. Most orders received first.',
  most: 10_000,
  wide: true,
  columns: { ...person, ...performance },
  count: async (from, query) => {
    const rows = await named(from, StaffMember, (await talliesOf(from, query)).people);
    return rows.map(({ id, ...row }) => ({ staffId: id, ...row }));
  },
  link: ({ staffId }) => ordersWhere('owner', staffId),
});

export const byClient = reportTable({
  name: 'by-client',
  title: 'Performance by client',
  definition:
    'Orders received in this period by API client, how fast they were contacted, and orders closed in this period.',
  empty: 'No order was received or closed in this period.',
  row: 'The figures of an API client. Most orders received first.',
  most: 10_000,
  wide: true,
  columns: {
    clientId: unprinted(text('', 'Identifies the API client. @kind uuid')),
    name: text('Client', 'The name. @maxLength 120 @example "Quillfeather Networks"'),
    ...performance,
  },
  count: async (from, query) => {
    const rows = await named(from, ApiClient, (await talliesOf(from, query)).clients);
    return rows.map(({ id, ...row }) => ({ clientId: id, ...row }));
  },
  link: ({ clientId }) => ordersWhere('client', clientId),
});

/** The figures of everyone who has some, with names. */
async function named(
  { transactions }: ReportSourcesService,
  entity: typeof StaffMember | typeof ApiClient,
  tallies: ReadonlyMap<string, Tally>,
) {
  const all = await transactions.read((tx) =>
    tx.find<StaffMember | ApiClient>(entity, { select: { id: true, name: true } }),
  );
  return all
    .flatMap(({ id, name }) => {
      const tally = tallies.get(id);
      return tally ? [{ id, name, ...tally.print() }] : [];
    })
    .sort((a, b) => b.received - a.received || compare(a.name, b.name));
}

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
