/** How fast orders are contacted, and how they end: counted once for all the tables of a report. */
import type { Tx } from '../../platform/database/engine/tx.js';
import { inSlices, type Span } from '../../platform/database/slices.js';
import { DAY } from '../../platform/kernel/time.js';
import {
  type Calendar,
  startOfLondonDay,
  workingTimeBetween,
} from '../../platform/kernel/working-hours.js';
import { Order } from '../../orders/record/order.entity.js';
import {
  amounts,
  count,
  type RowOf,
  share,
  unprinted,
  workingMinutes,
} from '../drawing/columns.js';
import { addAmount, narrowed } from '../report-counts.service.js';
import {
  addAmounts,
  amountsByCurrency,
  mondayOf,
  rankOfCounts,
  ratio,
  rowsByKey,
} from '../report-figures.js';
import type { ReportFilter, ReportQuery } from '../report-query.dto.js';
import type { ReportSourcesService } from '../report-sources.service.js';

/** The figures of orders in a period; `Tally.print` has a value for each. */
export const performance = {
  received: count('Received', 'Orders received in the period.'),
  amounts: amounts('per month', 'Their monthly prices, by currency.'),
  contacted: unprinted(count('Contacted', 'Of the orders received, those with a first contact.')),
  contacts: count(
    'Contacts',
    'Contacts logged for the orders received, with attempts that reached no one.',
  ),
  medianMinutes: workingMinutes(
    'Median to first contact',
    'Working minutes from receipt to first contact, nearest rank; null without one. @example 42',
  ),
  p90Minutes: workingMinutes('90th percentile', 'The 90th percentile of the same. @example 180'),
  inTime: share(
    'Within target',
    'The share contacted by the deadline, of orders that are contacted, closed or past the deadline; 0 to 1; null without such orders. @example 0.93',
  ),
  won: count('Won', 'Orders closed as won in the period.'),
  lost: count('Lost', 'Orders closed as lost in the period.'),
  wonShare: share(
    '% won',
    '`won` of `won` and `lost`; null without either. @example 0.4',
    'Share won',
  ),
  wonAmounts: amounts('won per month', 'Monthly prices of `won`, by currency.'),
};
export type PerformanceRow = RowOf<typeof performance>;

const counted = new WeakMap<ReportQuery, Promise<Tallies>>();

/** Counted once for each query object: the tables of one report are given the same. */
export function talliesOf(from: ReportSourcesService, query: ReportQuery): Promise<Tallies> {
  const tallies = counted.get(query) ?? countTallies(from, query);
  counted.set(query, tallies);
  return tallies;
}

async function countTallies(from: ReportSourcesService, query: ReportQuery): Promise<Tallies> {
  const range = from.rangeOf(query);
  const total = new Tally();
  const people = rowsByKey(() => new Tally());
  const clients = rowsByKey(() => new Tally());
  const weeks = weeksOf(range.days);
  const tallies = (client: unknown, owner: unknown) => [
    total,
    clients.rowOf(client),
    ...(owner === null ? [] : [people.rowOf(owner)]),
  ];
  const now = from.now.getTime();
  const read = (tx: Tx, slice: Span) => receivedIn(tx, slice, query);
  for await (const rows of inSlices(from.transactions, range, read)) {
    for (const row of rows) {
      const order = judge(row, now, from.deadlines.calendar);
      for (const tally of tallies(order.client, order.owner)) tally.receive(order);
      weekAt(weeks, order.received).tally.receive(order);
    }
  }
  const by = { state: 'r.state', client: 'r.clientId', owner: 'r.ownerId' };
  const closed = await from.counts.orders({ at: 'closedAt', by }, range, query);
  for (const { by: group, n, amounts: minor } of closed) {
    if (group.state !== 'won' && group.state !== 'lost') continue;
    for (const tally of tallies(group.client, group.owner)) tally.close(group.state, n, minor);
  }
  return { total, people: people.rows, clients: clients.rows, weeks };
}

function judge(row: ReceivedRow, now: number, calendar: Calendar): ReceivedOrder {
  const { client, owner, currency, amount } = row;
  const contacts = Number(row.contacts);
  const received = Number(row.received);
  const order = { client, owner, currency, amount, contacts, received };
  if (row.first === null) {
    const isJudged = row.closed !== null || Number(row.due) <= now;
    return { ...order, minutes: null, inTime: isJudged ? false : null };
  }
  const first = Number(row.first);
  const worked = workingTimeBetween(new Date(received), new Date(first), calendar);
  const inTime = first <= Number(row.due);
  return { ...order, minutes: Math.round(worked / 60_000), inTime };
}

export interface Tallies {
  readonly total: Tally;
  readonly people: ReadonlyMap<string, Tally>;
  readonly clients: ReadonlyMap<string, Tally>;
  readonly weeks: readonly WeekTally[];
}

interface WeekTally {
  /** Its Monday. */
  readonly week: string;
  readonly start: number;
  readonly tally: Tally;
}

function weeksOf(days: readonly string[]): WeekTally[] {
  return [...new Set(days.map(mondayOf))].map((week) => {
    return { week, start: startOfLondonDay(week).getTime(), tally: new Tally() };
  });
}

function weekAt(weeks: readonly WeekTally[], instant: number): WeekTally {
  const about = Math.floor((instant - weeks[0]!.start) / (7 * DAY));
  // The clock changes move the start of a week by an hour.
  const near = [weeks[about + 1], weeks[about], weeks[about - 1]];
  return near.find((one) => one !== undefined && one.start <= instant)!;
}

interface ReceivedOrder {
  readonly client: unknown;
  readonly owner: unknown;
  readonly currency: unknown;
  readonly amount: unknown;
  readonly contacts: number;
  readonly received: number;
  /** Working minutes to the first contact; null without one. */
  readonly minutes: number | null;
  /** Null before the deadline. */
  readonly inTime: boolean | null;
}

type ReceivedRow = Readonly<
  Record<
    | 'client'
    | 'owner'
    | 'currency'
    | 'amount'
    | 'contacts'
    | 'received'
    | 'due'
    | 'first'
    | 'closed',
    unknown
  >
>;

function receivedIn(tx: Tx, slice: Span, filter: ReportFilter): Promise<ReceivedRow[]> {
  const query = tx
    .createQueryBuilder(Order, 'r')
    .select('r.clientId', 'client')
    .addSelect('r.ownerId', 'owner')
    .addSelect('r.currency', 'currency')
    .addSelect('r.amountMinor', 'amount')
    .addSelect('r.contactAttempts', 'contacts')
    .addSelect('r.receivedAt', 'received')
    .addSelect('r.firstContactDueAt', 'due')
    .addSelect('r.firstContactAt', 'first')
    .addSelect('r.closedAt', 'closed')
    .where('r.receivedAt >= :start AND r.receivedAt < :end', slice);
  return narrowed(query, filter, true).getRawMany<ReceivedRow>();
}

/** Adds up the orders of one group. Its size depends on the different minutes, not on the orders. */
export class Tally {
  private received = 0;
  private readonly amounts = new Map<string, number>();
  private contacts = 0;
  /** The number of first contacts, by working minutes until them. */
  private readonly minutes = new Map<number, number>();
  private contacted = 0;
  private inTime = 0;
  private judged = 0;
  private readonly closed = { won: 0, lost: 0 };
  private readonly wonAmounts = new Map<string, number>();

  receive({ currency, amount, contacts, minutes, inTime }: ReceivedOrder): void {
    this.received += 1;
    addAmount(this.amounts, currency, amount);
    this.contacts += contacts;
    if (inTime !== null) this.judged += 1;
    if (inTime === true) this.inTime += 1;
    if (minutes === null) return;
    this.contacted += 1;
    this.minutes.set(minutes, (this.minutes.get(minutes) ?? 0) + 1);
  }

  close(state: 'won' | 'lost', n: number, amounts: ReadonlyMap<string, number>): void {
    this.closed[state] += n;
    if (state === 'won') addAmounts(this.wonAmounts, amounts);
  }

  print(): PerformanceRow {
    const { received, contacted, contacts, closed } = this;
    return {
      received,
      amounts: amountsByCurrency(this.amounts),
      contacted,
      contacts,
      medianMinutes: rankOfCounts(this.minutes, 0.5),
      p90Minutes: rankOfCounts(this.minutes, 0.9),
      inTime: ratio(this.inTime, this.judged),
      ...closed,
      wonShare: ratio(closed.won, closed.won + closed.lost),
      wonAmounts: amountsByCurrency(this.wonAmounts),
    };
  }
}
