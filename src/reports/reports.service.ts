import { Injectable } from '@nestjs/common';
import { WatchDemandService } from '../watches/watch-demand.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { londonWeekHour } from '../platform/kernel/working-hours.js';
import type { Span } from '../platform/database/slices.js';
import { Transactions } from '../platform/database/transactions.js';
import {
  type ClosedState,
  closedStates,
  isClosed,
  isOrderState,
  ownedStates,
} from '../orders/record/order-states.js';
import { StaffMember } from '../staff/member/staff-member.entity.js';
import {
  CHECK_AREA,
  type CountedGroup,
  NOTHING_FOUND,
  type OrderCountRequest,
  ReportCountsService,
} from './report-counts.service.js';
import {
  addAmounts,
  ageGroups,
  byDay,
  monthlyAmounts,
  rangeOf,
  ratio,
  rowsByKey,
  sum,
  compare,
} from './report-figures.js';
import type {
  AgeReport,
  ArrivalsReport,
  ConversionReport,
  DailyReport,
  DemandReport,
  DemandRow,
  LostReasonsReport,
  OutcomeReport,
  OutcomeRow,
  PeopleReport,
  ReportFilter,
  ReportQuery,
} from './reports.dto.js';
import { DAY, HOUR } from '../platform/kernel/time.js';

/** The DTOs define each count. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly counts: ReportCountsService,
    private readonly watches: WatchDemandService,
    private readonly clock: Clock,
  ) {}

  async age(filter: ReportFilter = {}): Promise<AgeReport> {
    const now = this.clock.now().getTime();
    const late = (days: number) => `r.firstContactDueAt > ${now - days * DAY}`;
    const group = `CASE WHEN r.firstContactAt IS NOT NULL THEN 'contacted'
      WHEN ${late(0)} AND r.firstContactWarnAt <= ${now} THEN 'nearly late'
      WHEN ${late(0)} THEN 'in time'
      WHEN ${late(1)} THEN 'late up to 1 day'
      WHEN ${late(3)} THEN 'late 1-3 days'
      ELSE 'later' END`;
    const groups = await this.counts.openOrders({ by: { group } }, filter);
    const counted = new Map(groups.map((counts) => [counts.by.group, counts]));
    return {
      items: ageGroups.map((name) => {
        const { n, amounts } = counted.get(name) ?? { n: 0, amounts: new Map() };
        return { group: name, orders: n, amounts: monthlyAmounts(amounts) };
      }),
    };
  }

  async daily(query: ReportQuery): Promise<DailyReport> {
    const now = this.clock.now().getTime();
    const range = rangeOf(query, this.clock.now());
    // Counts back from the orders open now, so that no older orders are read.
    const span = { start: range.start, end: Math.max(range.end, now + 1) };
    const arrivals = await this.byHour({ at: 'receivedAt' }, span, query);
    const closures = await this.byHour({ at: 'closedAt', withoutAmounts: true }, span, query);
    const openNow = await this.counts.openOrders({ withoutAmounts: true }, query);
    const open = sum(openNow.map(({ n }) => n));
    let backlog = open - sum(arrivals.map(({ n }) => n)) + sum(closures.map(({ n }) => n));
    const [arrived, closed] = [byDay(arrivals), byDay(closures)];
    const items = range.days.map((day) => {
      const { n = 0, amounts = new Map() } = arrived.get(day) ?? {};
      const row = { day, arrived: n, closed: closed.get(day)?.n ?? 0 };
      backlog += row.arrived - row.closed;
      return { ...row, backlog, amounts: monthlyAmounts(amounts) };
    });
    return { items };
  }

  async outcomes(query: ReportQuery): Promise<OutcomeReport> {
    const groups = await this.counts.orders(
      { at: 'receivedAt', by: { code: 'r.productCode', state: 'r.state' } },
      rangeOf(query, this.clock.now()),
      query,
    );
    const { rows, rowOf } = rowsByKey(() => ({
      ...noOutcome,
      amounts: new Map<string, number>(),
      wonAmounts: new Map<string, number>(),
    }));
    for (const { by, n, amounts } of groups) {
      const state = String(by.state);
      const row = rowOf(by.code);
      row.received += n;
      addAmounts(row.amounts, amounts);
      if (state === 'won') addAmounts(row.wonAmounts, amounts);
      if (isOrderState(state) && isClosed(state)) row[state] += n;
      else row.open += n;
    }
    const items = [...rows].map(([productCode, row]): OutcomeRow => ({
      productCode,
      ...row,
      amounts: monthlyAmounts(row.amounts),
      wonAmounts: monthlyAmounts(row.wonAmounts),
    }));
    return {
      items: items.sort((a, b) => b.received - a.received || compare(a.productCode, b.productCode)),
    };
  }

  async lostReasons(query: ReportQuery): Promise<LostReasonsReport> {
    // Groups by state without `WHERE state = 'lost'`, which would read a whole index for each slice.
    const groups = await this.counts.orders(
      { at: 'closedAt', by: { state: 'r.state', reason: 'r.closeReason' } },
      rangeOf(query, this.clock.now()),
      query,
    );
    const items = groups
      .filter(({ by }) => by.state === 'lost')
      .map(({ by, n, amounts }) => ({
        reason: String(by.reason ?? 'other'),
        orders: n,
        amounts: monthlyAmounts(amounts),
      }));
    return { items: items.sort((a, b) => b.orders - a.orders || compare(a.reason, b.reason)) };
  }

  async people(filter: ReportFilter = {}): Promise<PeopleReport> {
    const now = this.clock.now().getTime();
    const late = `r.firstContactAt IS NULL AND r.firstContactDueAt <= ${now}
      AND r.state IN (${ownedStates.map((state) => `'${state}'`).join(', ')})`;
    const groups = await this.counts.openOrders(
      { by: { owner: 'r.ownerId' }, counting: { due: `r.nextActionAt <= ${now}`, late } },
      filter,
    );
    const ofOwner = new Map(groups.map((counts) => [counts.by.owner, counts]));
    const members = await this.transactions.read((tx) =>
      tx.find(StaffMember, { order: { name: 'ASC', id: 'ASC' } }),
    );
    const items = members
      .filter(({ id, enabled }) => enabled || ofOwner.has(id))
      .map(({ id, name }) => {
        const { n: open, counted, amounts } = ofOwner.get(id) ?? noOrders;
        const { due = 0, late: overdue = 0 } = counted;
        return { staffId: id, name, open, due, late: overdue, amounts: monthlyAmounts(amounts) };
      });
    return { items };
  }

  async arrivals(query: ReportQuery): Promise<ArrivalsReport> {
    const items = Array.from({ length: 168 }, (_, i) => ({
      weekday: Math.floor(i / 24),
      hour: i % 24,
      orders: 0,
    }));
    for (const { at, n } of await this.byHour(
      { at: 'receivedAt', withoutAmounts: true },
      rangeOf(query, this.clock.now()),
      query,
    )) {
      const { weekday, hour } = londonWeekHour(at);
      items[weekday * 24 + hour]!.orders += n;
    }
    return { items };
  }

  async conversion(query: ReportQuery): Promise<ConversionReport> {
    const demand = await this.demandOf(query);
    const groups = await this.counts.orders(
      { at: 'receivedAt', by: { state: 'r.state' } },
      rangeOf(query, this.clock.now()),
      query,
    );
    const counted = groups.filter(({ by }) => by.state !== 'duplicate');
    const closed = counted.filter(({ by }) => by.state === 'won');
    const [amounts, wonAmounts] = [counted, closed].map((some) => {
      const total = new Map<string, number>();
      for (const group of some) addAmounts(total, group.amounts);
      return monthlyAmounts(total);
    });
    const checks = sum(demand.map((row) => row.checks));
    const checksWithProducts = checks - sum(demand.map((row) => row.checksWithoutProduct));
    const orders = sum(counted.map(({ n }) => n));
    const won = sum(closed.map(({ n }) => n));
    return {
      checks,
      checksWithProducts,
      orders,
      won,
      ordersPerCheck: ratio(orders, checksWithProducts),
      wonPerOrder: ratio(won, orders),
      amounts: amounts!,
      wonAmounts: wonAmounts!,
    };
  }

  async demand(query: ReportQuery): Promise<DemandReport> {
    const items = await this.demandOf(query);
    return {
      items: items.sort(
        (a, b) => b.checks - a.checks || b.orders - a.orders || compare(a.area, b.area),
      ),
    };
  }

  private async demandOf(query: ReportQuery): Promise<DemandRow[]> {
    const range = rangeOf(query, this.clock.now());
    const checks = await this.counts.checks(
      { by: { area: CHECK_AREA }, counting: { none: NOTHING_FOUND } },
      range.days,
      query,
    );
    const orders = await this.counts.orders(
      { at: 'receivedAt', by: { area: 'r.area' } },
      range,
      query,
    );
    const none = { checks: 0, checksWithoutProduct: 0, orders: 0, watched: 0 };
    const { rows, rowOf } = rowsByKey((area): DemandRow => ({ ...none, area, amounts: [] }));
    for (const { by, n, counted } of checks) {
      Object.assign(rowOf(by.area), { checks: n, checksWithoutProduct: counted.none });
    }
    for (const { by, n, amounts } of orders) {
      Object.assign(rowOf(by.area), { orders: n, amounts: monthlyAmounts(amounts) });
    }
    const watched = await this.watches.bySector(query.client ?? null);
    for (const [sector, count] of watched) rowOf(areaOfSector(sector)).watched += count;
    return [...rows.values()];
  }

  /** Orders by UTC hour: London differs from UTC by whole hours. */
  private async byHour(request: OrderCountRequest, span: Span, filter: ReportFilter) {
    const by = { hour: `r.${request.at} / ${HOUR}` };
    const groups = await this.counts.orders({ ...request, by }, span, filter);
    return groups.map(({ by: { hour }, n, amounts }) => {
      return { at: new Date(Number(hour) * HOUR), n, amounts };
    });
  }
}

const noOrders: Omit<CountedGroup, 'by'> = { n: 0, counted: {}, amounts: new Map() };
const noneClosed = Object.fromEntries(closedStates.map((state) => [state, 0]));
const noOutcome = { received: 0, open: 0, ...(noneClosed as Record<ClosedState, number>) };

/** `EC` of `EC2A 2`. */
function areaOfSector(sector: string): string {
  return sector.replace(/\d.*/, '');
}
