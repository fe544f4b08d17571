import { Injectable } from '@nestjs/common';
import { ApiClient } from '../clients/api-client.entity.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { inSlices, type Span } from '../platform/database/slices.js';
import { Transactions } from '../platform/database/transactions.js';
import { Clock } from '../platform/kernel/clock.js';
import { addDays, DAY } from '../platform/kernel/time.js';
import { startOfLondonDay, workingTimeBetween } from '../platform/kernel/working-hours.js';
import { Order } from '../orders/record/order.entity.js';
import { DeadlinesService } from '../orders/placing/deadlines.service.js';
import { StaffMember } from '../staff/member/staff-member.entity.js';
import { addAmount, narrowed, ReportCountsService } from './report-counts.service.js';
import {
  addAmounts,
  compare,
  mondayOf,
  monthlyAmounts,
  rangeOf,
  rankOfCounts,
  ratio,
  rowsByKey,
} from './report-figures.js';
import type {
  ClientFiguresReport,
  FirstContactReport,
  PerformanceFigures,
  PersonFiguresReport,
  ReportFilter,
  ReportQuery,
  SummaryReport,
} from './reports.dto.js';

/** How fast orders are contacted, and how they end: in total, by person and by client. */
@Injectable()
export class PerformanceService {
  constructor(
    private readonly transactions: Transactions,
    private readonly counts: ReportCountsService,
    private readonly deadlines: DeadlinesService,
    private readonly clock: Clock,
  ) {}

  /** Working minutes in which a client should be contacted first. */
  get targetMinutes(): number {
    return this.deadlines.firstContactTime / 60_000;
  }

  /** Counted once for each query object: the reports of one page are given the same. */
  private readonly counted = new WeakMap<ReportQuery, Promise<Tallies>>();

  async summary(query: ReportQuery): Promise<SummaryReport> {
    const { days } = rangeOf(query, this.clock.now());
    const [from, to] = [addDays(days[0]!, -days.length), addDays(days[0]!, -1)];
    const current = await this.tallies(query);
    const before = await this.tallies({ ...query, from, to });
    return { current: current.total.print(), before: before.total.print() };
  }

  async byPerson(query: ReportQuery): Promise<PersonFiguresReport> {
    const { people } = await this.tallies(query);
    const items = await this.named(StaffMember, people);
    return { items: items.map(({ id, ...figures }) => ({ staffId: id, ...figures })) };
  }

  async byClient(query: ReportQuery): Promise<ClientFiguresReport> {
    const { clients } = await this.tallies(query);
    const items = await this.named(ApiClient, clients);
    return { items: items.map(({ id, ...figures }) => ({ clientId: id, ...figures })) };
  }

  /** The figures of everyone who has some, with names. */
  private async named(
    entity: typeof StaffMember | typeof ApiClient,
    tallies: ReadonlyMap<string, Tally>,
  ) {
    const all = await this.transactions.read((tx) =>
      tx.find<StaffMember | ApiClient>(entity, { select: { id: true, name: true } }),
    );
    const items = all.flatMap(({ id, name }) => {
      const tally = tallies.get(id);
      return tally ? [{ id, name, ...tally.print() }] : [];
    });
    return items.sort(mostFirst);
  }

  async firstContact(query: ReportQuery): Promise<FirstContactReport> {
    const { weeks } = await this.tallies(query);
    const items = weeks.map(({ week, tally }) => {
      const { received, contacted, medianMinutes, p90Minutes, inTime } = tally.print();
      return { week, received, contacted, medianMinutes, p90Minutes, inTime };
    });
    return { items };
  }

  private tallies(query: ReportQuery): Promise<Tallies> {
    const tallies = this.counted.get(query) ?? this.count(query);
    this.counted.set(query, tallies);
    return tallies;
  }

  private async count(query: ReportQuery): Promise<Tallies> {
    const range = rangeOf(query, this.clock.now());
    const total = new Tally();
    const people = rowsByKey(() => new Tally());
    const clients = rowsByKey(() => new Tally());
    const weeks = weeksOf(range.days);
    const talliesOf = (client: unknown, owner: unknown) => [
      total,
      clients.rowOf(client),
      ...(owner === null ? [] : [people.rowOf(owner)]),
    ];
    for await (const orders of this.received(range, query)) {
      for (const order of orders) {
        for (const tally of talliesOf(order.client, order.owner)) tally.receive(order);
        weekAt(weeks, order.received).tally.receive(order);
      }
    }
    const by = { state: 'r.state', client: 'r.clientId', owner: 'r.ownerId' };
    const closed = await this.counts.orders({ at: 'closedAt', by }, range, query);
    for (const { by: group, n, amounts } of closed) {
      if (group.state !== 'won' && group.state !== 'lost') continue;
      for (const tally of talliesOf(group.client, group.owner))
        tally.close(group.state, n, amounts);
    }
    return { total, people: people.rows, clients: clients.rows, weeks };
  }

  private async *received(span: Span, filter: ReportFilter): AsyncGenerator<ReceivedOrder[]> {
    const now = this.clock.now().getTime();
    const read = (tx: Tx, slice: Span) => receivedIn(tx, slice, filter);
    for await (const rows of inSlices(this.transactions, span, read)) {
      yield rows.map((row) => this.judge(row, now));
    }
  }

  private judge(row: ReceivedRow, now: number): ReceivedOrder {
    const { client, owner, currency, amount } = row;
    const contacts = Number(row.contacts);
    const received = Number(row.received);
    const order = { client, owner, currency, amount, contacts, received };
    if (row.first === null) {
      const isJudged = row.closed !== null || Number(row.due) <= now;
      return { ...order, minutes: null, inTime: isJudged ? false : null };
    }
    const first = Number(row.first);
    const { calendar } = this.deadlines;
    const worked = workingTimeBetween(new Date(received), new Date(first), calendar);
    const inTime = first <= Number(row.due);
    return { ...order, minutes: Math.round(worked / 60_000), inTime };
  }
}

interface Tallies {
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
class Tally {
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

  print(): PerformanceFigures {
    const { received, contacted, contacts, closed } = this;
    return {
      received,
      amounts: monthlyAmounts(this.amounts),
      contacted,
      contacts,
      medianMinutes: rankOfCounts(this.minutes, 0.5),
      p90Minutes: rankOfCounts(this.minutes, 0.9),
      inTime: ratio(this.inTime, this.judged),
      ...closed,
      wonShare: ratio(closed.won, closed.won + closed.lost),
      wonAmounts: monthlyAmounts(this.wonAmounts),
    };
  }
}

function mostFirst(
  a: PerformanceFigures & { readonly name: string },
  b: PerformanceFigures & { readonly name: string },
): number {
  return b.received - a.received || compare(a.name, b.name);
}
