import { ownedStates } from '../../orders/record/order-states.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import { Bars } from '../drawing/charts.js';
import { amounts, amountsInWords, count, text, unprinted } from '../drawing/columns.js';
import { MOST_BARS, oneSeries, ordersWhere, reportTable } from '../drawing/report-table.js';
import { amountsByCurrency, compare, sum } from '../report-figures.js';
import type { ReportSourcesService } from '../report-sources.service.js';
import { performance, type Tally, talliesOf } from './performance.js';
import { whole } from '../../platform/kernel/counts.js';

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
