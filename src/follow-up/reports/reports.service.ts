import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import {
  londonWeekHour,
  startOfLondonDay,
  workingTimeBetween,
} from '../../kernel/working-hours.js';
import { inSlices, type Span } from '../../database/slices.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { DeadlinesService } from '../../orders/placing/deadlines.service.js';
import { Order } from '../../orders/order.entity.js';
import {
  type ClosedState,
  closedStates,
  isClosed,
  isOrderState,
  ownedStates,
} from '../../orders/moves/order-states.js';
import { StaffMember } from '../../staff/staff-member.entity.js';
import { CHECK_AREA, NOTHING_FOUND, ReportCountsService } from './report-counts.service.js';
import {
  ageGroups,
  byDay,
  mondayOf,
  nearestRank,
  type ReportRange,
  rangeOf,
  ratio,
  rowsByKey,
  sum,
  compare,
} from './report-figures.js';
import type {
  AgeGroup,
  AgeReport,
  ArrivalsReport,
  ConversionReport,
  DailyReport,
  DemandReport,
  DemandRow,
  FirstContactReport,
  FirstContactRow,
  LostReasonsReport,
  OutcomeReport,
  OutcomeRow,
  PeopleReport,
  ReportQuery,
} from './reports.dto.js';
import { addDays, DAY, HOUR } from '../../kernel/time.js';

/** The DTOs define each count. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly counts: ReportCountsService,
    private readonly deadlines: DeadlinesService,
    private readonly clock: Clock,
  ) {}

  async age(): Promise<AgeReport> {
    const now = this.clock.now().getTime();
    const late = (days: number) => `o.firstContactDueAt > ${now - days * DAY}`;
    // Indexes cover both statements for most orders.
    const group = `CASE WHEN ${late(0)} THEN 'in time'
      WHEN ${late(1)} THEN 'late up to 1 day'
      WHEN ${late(3)} THEN 'late 1-3 days'
      ELSE 'later' END`;
    const uncontacted = 'o.closedAt IS NULL AND o.firstContactAt IS NULL';
    const counted = await this.countBy<AgeGroup['group']>(group, uncontacted);
    const near = await this.countWhere(
      `${uncontacted} AND ${late(0)} AND o.firstContactWarnAt <= ${now}`,
    );
    const open = await this.countWhere('o.closedAt IS NULL');
    const untouched = sum([...counted.values()]);
    counted.set('contacted', open - untouched);
    counted.set('nearly late', near);
    counted.set('in time', (counted.get('in time') ?? 0) - near);
    return { items: ageGroups.map((name) => ({ group: name, orders: counted.get(name) ?? 0 })) };
  }

  async daily(query: ReportQuery): Promise<DailyReport> {
    const now = this.clock.now().getTime();
    const range = rangeOf(query, this.clock.now());
    // Counts back from the orders open now, so that no older orders are read.
    const span = { start: range.start, end: Math.max(range.end, now + 1) };
    const arrivals = await this.byHour('receivedAt', span);
    const closures = await this.byHour('closedAt', span);
    const open = await this.countWhere('o.closedAt IS NULL');
    let backlog = open - sum(arrivals.map(({ n }) => n)) + sum(closures.map(({ n }) => n));
    const [arrived, closed] = [byDay(arrivals), byDay(closures)];
    const items = range.days.map((day) => {
      const row = { day, arrived: arrived.get(day) ?? 0, closed: closed.get(day) ?? 0 };
      backlog += row.arrived - row.closed;
      return { ...row, backlog };
    });
    return { items };
  }

  async firstContact(query: ReportQuery): Promise<FirstContactReport> {
    const { days, start, end } = rangeOf(query, this.clock.now());
    const items: FirstContactRow[] = [];
    const at = (day: string) => startOfLondonDay(day).getTime();
    // Week by week, to bound the memory.
    for (const week of new Set(days.map(mondayOf))) {
      const span = { start: Math.max(at(week), start), end: Math.min(at(addDays(week, 7)), end) };
      items.push(await this.firstContactWeek(week, span));
    }
    return { items };
  }

  async outcomes(query: ReportQuery): Promise<OutcomeReport> {
    const groups = await this.counts.orders(
      { at: 'receivedAt', by: { code: 'r.productCode', state: 'r.state' } },
      rangeOf(query, this.clock.now()),
    );
    const { rows, rowOf } = rowsByKey((productCode): OutcomeRow => ({ ...noOutcome, productCode }));
    for (const { by, n } of groups) {
      const state = String(by.state);
      const row = rowOf(by.code);
      row.received += n;
      if (isOrderState(state) && isClosed(state)) row[state] += n;
      else row.open += n;
    }
    return {
      items: [...rows.values()].sort(
        (a, b) => b.received - a.received || compare(a.productCode, b.productCode),
      ),
    };
  }

  async lostReasons(query: ReportQuery): Promise<LostReasonsReport> {
    // Groups by state without `WHERE state = 'lost'`, which would read a whole index for each slice.
    const groups = await this.counts.orders(
      { at: 'closedAt', by: { state: 'r.state', reason: 'r.closeReason' } },
      rangeOf(query, this.clock.now()),
    );
    const items = groups
      .filter(({ by }) => by.state === 'lost')
      .map(({ by, n }) => ({ reason: String(by.reason ?? 'other'), orders: n }));
    return { items: items.sort((a, b) => b.orders - a.orders || compare(a.reason, b.reason)) };
  }

  async people(): Promise<PeopleReport> {
    const now = this.clock.now().getTime();
    const open = await this.countBy('o.ownerId', 'o.closedAt IS NULL AND o.ownerId IS NOT NULL');
    const due = await this.countBy(
      'o.ownerId',
      `o.nextActionAt IS NOT NULL AND o.nextActionAt <= ${now} AND o.ownerId IS NOT NULL`,
    );
    const late = await this.countBy(
      'o.ownerId',
      `o.closedAt IS NULL AND o.firstContactAt IS NULL AND o.firstContactDueAt <= ${now}
       AND o.state IN (${ownedStates.map((state) => `'${state}'`).join(', ')})`,
    );
    const members = await this.transactions.read((tx) =>
      tx.find(StaffMember, { order: { name: 'ASC', id: 'ASC' } }),
    );
    const items = members
      .filter(({ id, enabled }) => enabled || open.has(id))
      .map(({ id, name }) => {
        const of = (counts: ReadonlyMap<string, number>) => counts.get(id) ?? 0;
        return { staffId: id, name, open: of(open), due: of(due), late: of(late) };
      });
    return { items };
  }

  async arrivals(query: ReportQuery): Promise<ArrivalsReport> {
    const items = Array.from({ length: 168 }, (_, i) => ({
      weekday: Math.floor(i / 24),
      hour: i % 24,
      orders: 0,
    }));
    for (const { at, n } of await this.byHour('receivedAt', rangeOf(query, this.clock.now()))) {
      const { weekday, hour } = londonWeekHour(at);
      items[weekday * 24 + hour]!.orders += n;
    }
    return { items };
  }

  async conversion(query: ReportQuery): Promise<ConversionReport> {
    const demand = await this.demandOf(rangeOf(query, this.clock.now()));
    const { items } = await this.outcomes(query);
    const checks = sum(demand.map((row) => row.checks));
    const checksWithProducts = checks - sum(demand.map((row) => row.checksWithoutProduct));
    const orders = sum(items.map((row) => row.received - row.duplicate));
    const won = sum(items.map((row) => row.won));
    return {
      checks,
      checksWithProducts,
      orders,
      won,
      ordersPerCheck: ratio(orders, checksWithProducts),
      wonPerOrder: ratio(won, orders),
    };
  }

  async demand(query: ReportQuery): Promise<DemandReport> {
    const items = await this.demandOf(rangeOf(query, this.clock.now()));
    return {
      items: items.sort(
        (a, b) => b.checks - a.checks || b.orders - a.orders || compare(a.area, b.area),
      ),
    };
  }

  private async demandOf(range: ReportRange): Promise<DemandRow[]> {
    const checks = await this.counts.checks(
      { by: { area: CHECK_AREA }, counting: { none: NOTHING_FOUND } },
      range.days,
    );
    const orders = await this.counts.orders({ at: 'receivedAt', by: { area: 'r.area' } }, range);
    const none = { checks: 0, checksWithoutProduct: 0, orders: 0 };
    const { rows, rowOf } = rowsByKey((area): DemandRow => ({ ...none, area }));
    for (const { by, n, counted } of checks) {
      Object.assign(rowOf(by.area), { checks: n, checksWithoutProduct: counted.none });
    }
    for (const { by, n } of orders) rowOf(by.area).orders = n;
    return [...rows.values()];
  }

  private async firstContactWeek(week: string, span: Span) {
    const now = this.clock.now();
    const minutes: number[] = [];
    let received = 0;
    let inTime = 0;
    let judged = 0;
    const slices = inSlices(this.transactions, span, contactsIn);
    for await (const orders of slices) {
      received += orders.length;
      for (const { receivedAt, due, first, closed } of orders) {
        if (first !== null) {
          const contact = new Date(Number(first));
          const began = new Date(Number(receivedAt));
          const worked = workingTimeBetween(began, contact, this.deadlines.calendar);
          minutes.push(Math.round(worked / 60_000));
          if (Number(first) <= Number(due)) inTime += 1;
        }
        if (first !== null || closed !== null || Number(due) <= now.getTime()) judged += 1;
      }
    }
    minutes.sort((a, b) => a - b);
    return {
      week,
      received,
      contacted: minutes.length,
      medianMinutes: nearestRank(minutes, 0.5),
      p90Minutes: nearestRank(minutes, 0.9),
      inTime: ratio(inTime, judged),
    };
  }

  /** Orders by UTC hour: London differs from UTC by whole hours. */
  private async byHour(at: 'receivedAt' | 'closedAt', span: Span) {
    const by = { hour: `r.${at} / ${HOUR}` };
    const groups = await this.counts.orders({ at, by }, span);
    return groups.map(({ by: { hour }, n }) => ({ at: new Date(Number(hour) * HOUR), n }));
  }

  private async countWhere(condition: string): Promise<number> {
    const [row] = await this.counts.rows<{ n: number }>((tx) =>
      tx.createQueryBuilder(Order, 'o').select('COUNT(*)', 'n').where(condition),
    );
    return Number(row?.n);
  }

  /** Counts orders by an SQL expression. */
  private async countBy<K extends string>(key: string, condition: string): Promise<Map<K, number>> {
    const rows = await this.counts.rows<{ key: K; n: number }>((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .select(key, 'key')
        .addSelect('COUNT(*)', 'n')
        .where(condition)
        .groupBy(key),
    );
    return new Map(rows.map((row) => [row.key, Number(row.n)]));
  }
}

function contactsIn(tx: Tx, slice: Span) {
  return tx
    .createQueryBuilder(Order, 'o')
    .select('o.receivedAt', 'receivedAt')
    .addSelect('o.firstContactDueAt', 'due')
    .addSelect('o.firstContactAt', 'first')
    .addSelect('o.closedAt', 'closed')
    .where('o.receivedAt >= :start AND o.receivedAt < :end', slice)
    .getRawMany<Record<'receivedAt' | 'due' | 'first' | 'closed', unknown>>();
}

const noneClosed = Object.fromEntries(closedStates.map((state) => [state, 0]));
const noOutcome = { received: 0, open: 0, ...(noneClosed as Record<ClosedState, number>) };
