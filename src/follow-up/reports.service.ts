import { Injectable } from '@nestjs/common';
import { Check } from '../availability/check.entity.js';
import { Clock } from '../common/clock.js';
import { londonWeekHour, startOfLondonDay, workingTimeBetween } from '../common/working-hours.js';
import { Transactions, type Tx } from '../database/transactions.js';
import { DeadlinesService } from '../orders/deadlines.service.js';
import { Order } from '../orders/order.entity.js';
import { StaffMember } from '../staff/staff-member.entity.js';
import {
  addDays,
  ageGroups,
  byDay,
  mondayOf,
  nearestRank,
  type Range,
  rangeOf,
  ratio,
} from './report-figures.js';
import type {
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

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Counts as data; each is defined where its shape is, in `reports.dto.ts`. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly deadlines: DeadlinesService,
    private readonly clock: Clock,
  ) {}

  async age(): Promise<AgeReport> {
    const now = this.clock.now().getTime();
    const late = (days: number) => `o.firstContactDueAt > ${now - days * DAY}`;
    const group = `CASE WHEN o.firstContactAt IS NOT NULL THEN 'contacted'
      WHEN o.firstContactWarnAt > ${now} THEN 'in time'
      WHEN ${late(0)} THEN 'nearly late'
      WHEN ${late(1)} THEN 'late up to 1 day'
      WHEN ${late(3)} THEN 'late 1-3 days'
      ELSE 'later' END`;
    const rows = await this.rows<{ group: string; n: number }>((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .select(group, 'group')
        .addSelect('COUNT(*)', 'n')
        .where('o.closedAt IS NULL')
        .groupBy(group),
    );
    const counted = new Map(rows.map(({ group: name, n }) => [name, Number(n)]));
    return { items: ageGroups.map((name) => ({ group: name, orders: counted.get(name) ?? 0 })) };
  }

  async daily(query: ReportQuery): Promise<DailyReport> {
    const range = rangeOf(query, this.clock.now());
    const arrived = byDay(await this.byHour('receivedAt', range));
    const closed = byDay(await this.byHour('closedAt', range));
    let backlog =
      (await this.countBefore('receivedAt', range)) - (await this.countBefore('closedAt', range));
    const items = range.days.map((day) => {
      const row = { day, arrived: arrived.get(day) ?? 0, closed: closed.get(day) ?? 0 };
      backlog += row.arrived - row.closed;
      return { ...row, backlog };
    });
    return { items };
  }

  async firstContact(query: ReportQuery): Promise<FirstContactReport> {
    const { start, end } = rangeOf(query, this.clock.now());
    const items: FirstContactRow[] = [];
    // Week by week, so that neither the memory nor a pause of the process grows with the range.
    for (let week = mondayOf(new Date(start)); ;) {
      const from = startOfLondonDay(week);
      if (from.getTime() >= end) return { items };
      const next = addDays(week, 7);
      const to = Math.min(startOfLondonDay(next).getTime(), end);
      items.push(await this.firstContactWeek(week, Math.max(from.getTime(), start), to));
      week = next;
    }
  }

  async outcomes(query: ReportQuery): Promise<OutcomeReport> {
    const range = rangeOf(query, this.clock.now());
    const rows = await this.rows<{ code: string; state: string; n: number }>((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .select('o.productCode', 'code')
        .addSelect('o.state', 'state')
        .addSelect('COUNT(*)', 'n')
        .where('o.receivedAt >= :start AND o.receivedAt < :end', range)
        .groupBy('o.productCode')
        .addGroupBy('o.state'),
    );
    const items = new Map<string, OutcomeRow>();
    for (const { code, state, n } of rows) {
      const row = items.get(code) ?? { ...noOutcome, productCode: code };
      row.received += Number(n);
      if (isOutcome(state)) row[state] += Number(n);
      else row.open += Number(n);
      items.set(code, row);
    }
    return { items: [...items.values()].sort((a, b) => b.received - a.received) };
  }

  async lostReasons(query: ReportQuery): Promise<LostReasonsReport> {
    const rows = await this.rows<{ reason: string | null; n: number }>((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .select('o.closeReason', 'reason')
        .addSelect('COUNT(*)', 'n')
        .where('o.closedAt >= :start AND o.closedAt < :end', rangeOf(query, this.clock.now()))
        .andWhere(`o.state = 'lost'`)
        .groupBy('o.closeReason'),
    );
    const items = rows.map(({ reason, n }) => ({ reason: reason ?? 'other', orders: Number(n) }));
    return { items: items.sort((a, b) => b.orders - a.orders) };
  }

  async people(): Promise<PeopleReport> {
    const now = this.clock.now().getTime();
    const when = (condition: string) => `SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
    const [rows, members] = await this.transactions.read(async (tx) => [
      await tx
        .createQueryBuilder(Order, 'o')
        .select('o.ownerId', 'id')
        .addSelect('COUNT(*)', 'open')
        .addSelect(when(`o.nextActionAt <= ${now}`), 'due')
        .addSelect(when(`o.firstContactAt IS NULL AND o.firstContactDueAt <= ${now}`), 'late')
        .where('o.closedAt IS NULL AND o.ownerId IS NOT NULL')
        .groupBy('o.ownerId')
        .getRawMany<{ id: string; open: number; due: number; late: number }>(),
      await tx.find(StaffMember, { order: { name: 'ASC', id: 'ASC' } }),
    ]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const items = members
      .filter(({ id, enabled }) => enabled || byId.has(id))
      .map(({ id, name }) => {
        const { open = 0, due = 0, late = 0 } = byId.get(id) ?? {};
        return { staffId: id, name, open: Number(open), due: Number(due), late: Number(late) };
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
    const range = rangeOf(query, this.clock.now());
    const demand = await this.demandOf(range);
    const { items } = await this.outcomes(query);
    const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
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
    return { items: items.sort((a, b) => b.checks - a.checks || b.orders - a.orders) };
  }

  private async demandOf(range: Range): Promise<DemandRow[]> {
    const checks = await this.rows<{ area: string; n: number; none: number }>((tx) =>
      tx
        .createQueryBuilder(Check, 'c')
        .select('c.area', 'area')
        .addSelect('COUNT(*)', 'n')
        .addSelect('SUM(CASE WHEN c.productCount = 0 THEN 1 ELSE 0 END)', 'none')
        .where('c.checkedAt >= :start AND c.checkedAt < :end', range)
        .groupBy('c.area'),
    );
    const orders = await this.rows<{ area: string; n: number }>((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .select('o.area', 'area')
        .addSelect('COUNT(*)', 'n')
        .where('o.receivedAt >= :start AND o.receivedAt < :end', range)
        .groupBy('o.area'),
    );
    const items = new Map<string, DemandRow>();
    const rowOf = (area: string) => {
      const row = items.get(area) ?? { area, checks: 0, checksWithoutProduct: 0, orders: 0 };
      items.set(area, row);
      return row;
    };
    for (const { area, n, none } of checks) {
      Object.assign(rowOf(area), { checks: Number(n), checksWithoutProduct: Number(none) });
    }
    for (const { area, n } of orders) rowOf(area).orders = Number(n);
    return [...items.values()];
  }

  private async firstContactWeek(week: string, start: number, end: number) {
    const now = this.clock.now();
    const orders = await this.rows<Record<'received' | 'due' | 'first' | 'closed', unknown>>((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .select('o.receivedAt', 'received')
        .addSelect('o.firstContactDueAt', 'due')
        .addSelect('o.firstContactAt', 'first')
        .addSelect('o.closedAt', 'closed')
        .where('o.receivedAt >= :start AND o.receivedAt < :end', { start, end }),
    );
    const minutes: number[] = [];
    let inTime = 0;
    let judged = 0;
    for (const { received, due, first, closed } of orders) {
      if (first !== null) {
        const contact = new Date(Number(first));
        const worked = workingTimeBetween(
          new Date(Number(received)),
          contact,
          this.deadlines.calendar,
        );
        minutes.push(Math.round(worked / 60_000));
        if (Number(first) <= Number(due)) inTime += 1;
      }
      if (first !== null || closed !== null || Number(due) <= now.getTime()) judged += 1;
    }
    minutes.sort((a, b) => a - b);
    return {
      week,
      received: orders.length,
      contacted: minutes.length,
      medianMinutes: nearestRank(minutes, 0.5),
      p90Minutes: nearestRank(minutes, 0.9),
      inTime: ratio(inTime, judged),
    };
  }

  /** Orders by the hour (UTC) of an instant: London's clock differs from UTC by whole hours. */
  private async byHour(column: 'receivedAt' | 'closedAt', range: Range) {
    const rows = await this.rows<{ hour: number; n: number }>((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .select(`o.${column} / ${HOUR}`, 'hour')
        .addSelect('COUNT(*)', 'n')
        .where(`o.${column} >= :start AND o.${column} < :end`, range)
        .groupBy(`o.${column} / ${HOUR}`),
    );
    return rows.map(({ hour, n }) => ({ at: new Date(Number(hour) * HOUR), n: Number(n) }));
  }

  private countBefore(column: 'receivedAt' | 'closedAt', { start }: Range): Promise<number> {
    return this.transactions.read((tx) =>
      tx.createQueryBuilder(Order, 'o').where(`o.${column} < :start`, { start }).getCount(),
    );
  }

  private rows<T extends object>(
    query: (tx: Tx) => { getRawMany<R extends object>(): Promise<R[]> },
  ): Promise<T[]> {
    return this.transactions.read((tx) => query(tx).getRawMany<T>());
  }
}

const outcomes = ['won', 'lost', 'cancelled', 'duplicate'] as const;
const noOutcome = { received: 0, open: 0, won: 0, lost: 0, cancelled: 0, duplicate: 0 };

function isOutcome(state: string): state is (typeof outcomes)[number] {
  return (outcomes as readonly string[]).includes(state);
}
