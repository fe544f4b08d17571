import { DAY } from '../../kernel/time.js';
import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { CheckDay } from '../../availability/check-day.entity.js';
import { CheckDaysService } from '../../availability/check-days.service.js';
import { inSlices, type Span } from '../../database/slices.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { Order } from '../../orders/order.entity.js';
import type { ReportFilter } from './reports.dto.js';

// SQL expressions on a row `r` of the daily check counts.

/** The postcode area: the letters before the first digit of the sector. */
export const CHECK_AREA = `RTRIM(SUBSTR(r.sector, 1, 2), '0123456789')`;

export const NOTHING_FOUND = `r.outcome IN ('none', 'staff-none')`;

export const MADE_BY_STAFF = `r.outcome IN ('staff-available', 'staff-none')`;

/** `r` is the row in every expression. */
interface CountRequest {
  /** Expressions to group by, by name. */
  readonly by?: Readonly<Record<string, string>>;
  /** Conditions for additional counts, by name. */
  readonly counting?: Readonly<Record<string, string>>;
  readonly where?: string;
}

interface OpenCountRequest extends CountRequest {
  /** Only counts: an index is enough. */
  readonly withoutAmounts?: true;
}

export interface OrderCountRequest extends OpenCountRequest {
  /** The instant that has to be in the span. */
  readonly at: 'receivedAt' | 'closedAt';
  /** Only open orders. */
  readonly isOpen?: true;
}

/** Sums in minor units, by currency. */
export type Amounts = ReadonlyMap<string, number>;

export interface CountedGroup {
  readonly by: Readonly<Record<string, string | number | null>>;
  n: number;
  readonly counted: Record<string, number>;
  /** Of orders: their monthly prices. */
  readonly amounts: Map<string, number>;
}

type CountRow = Readonly<Record<string, string | number | null>>;

/** Counts over months in slices, so that no statement runs long. */
@Injectable()
export class ReportCountsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly checkDays: CheckDaysService,
  ) {}

  orders(
    question: OrderCountRequest,
    span: Span,
    filter: ReportFilter = {},
  ): Promise<CountedGroup[]> {
    const { at, isOpen = false, withoutAmounts = false } = question;
    return this.gather(question, span, (tx, slice) => {
      const query = tx.createQueryBuilder(Order, 'r').select('COUNT(*)', 'n');
      query.where(`r.${at} >= :start AND r.${at} < :end`, slice);
      if (isOpen) query.andWhere('r.closedAt IS NULL');
      if (!withoutAmounts) {
        query.addSelect('r.currency', 'currency').addGroupBy('r.currency');
        query.addSelect('SUM(r.amountMinor)', 'amount');
      }
      const byClient = at === 'receivedAt' && !isOpen;
      return countRows(narrowed(query, filter, byClient), question, '1');
    });
  }

  /** Counts the open orders, by when they were received: a change moves none into another slice. */
  async openOrders(
    question: OpenCountRequest,
    filter: ReportFilter = {},
  ): Promise<readonly CountedGroup[]> {
    const [first] = await this.openReceived('ASC');
    const [last] = await this.openReceived('DESC');
    if (!first || !last) return [];
    const span = { start: Number(first.at), end: Number(last.at) + 1 };
    return this.orders({ ...question, at: 'receivedAt', isOpen: true }, span, filter);
  }

  private openReceived(order: 'ASC' | 'DESC') {
    return this.rows<{ at: number | string }>((tx) =>
      tx
        .createQueryBuilder(Order, 'r')
        .select('r.receivedAt', 'at')
        .where('r.closedAt IS NULL')
        .orderBy('r.receivedAt', order)
        .limit(1),
    );
  }

  /** Sums the daily check counts, which have no product and no owner. @param days in London, in order */
  async checks(
    question: CountRequest,
    days: readonly string[],
    { client }: ReportFilter = {},
  ): Promise<CountedGroup[]> {
    await this.checkDays.countNew();
    const start = Date.parse(days[0]!);
    // The slices are of day names as UTC dates: each has 24 hours.
    return this.gather(question, { start, end: start + days.length * DAY }, (tx, slice) => {
      const query = tx.createQueryBuilder(CheckDay, 'r').select('SUM(r.checks)', 'n');
      query.where('r.day >= :first AND r.day < :beyond', {
        first: dayFrom(slice.start),
        beyond: dayFrom(slice.end),
      });
      if (client !== undefined) query.andWhere('r.clientId = :client', { client });
      return countRows(query, question, 'r.checks');
    });
  }

  /** Runs a short statement, then yields to the event loop. */
  async rows<T extends object>(
    query: (tx: Tx) => { getRawMany<R extends object>(): Promise<R[]> },
  ): Promise<T[]> {
    const rows = await this.transactions.read((tx) => query(tx).getRawMany<T>());
    await nextTurn();
    return rows;
  }

  private async gather(
    { by = {}, counting = {} }: CountRequest,
    span: Span,
    read: (tx: Tx, slice: Span) => Promise<CountRow[]>,
  ): Promise<CountedGroup[]> {
    const groups = new Map<string, CountedGroup>();
    for await (const rows of inSlices(this.transactions, span, read)) {
      for (const row of rows) {
        if (row.n === null) continue; // a sum of no rows
        const own = Object.fromEntries(Object.keys(by).map((name) => [name, row[name] ?? null]));
        const key = JSON.stringify(own);
        const group: CountedGroup = groups.get(key) ?? {
          by: own,
          n: 0,
          counted: {},
          amounts: new Map(),
        };
        groups.set(key, group);
        group.n += Number(row.n);
        addAmount(group.amounts, row.currency, row.amount);
        for (const name of Object.keys(counting)) {
          group.counted[name] = (group.counted[name] ?? 0) + Number(row[name]);
        }
      }
    }
    return [...groups.values()];
  }
}

/** Adds a sum of one currency, as a query returned it. */
export function addAmount(amounts: Map<string, number>, currency: unknown, minor: unknown): void {
  if (typeof currency !== 'string') return;
  amounts.set(currency, (amounts.get(currency) ?? 0) + Number(minor));
}

/**
 * Adds the conditions of a filter to a query of orders `r`, and leaves out enquiries: they have no product.
 * The indexes of the lists have its family, and not the kind.
 * @param byClient for all orders by their arrival, which have an index by client
 */
export function narrowed<Q extends SelectQueryBuilder<Order>>(
  query: Q,
  filter: ReportFilter,
  byClient = false,
): Q {
  const { client, owner, product } = filter;
  query.andWhere('r.productFamily IS NOT NULL');
  if (client !== undefined) {
    const clientId = byClient ? 'r.clientId' : unindexed('r.clientId');
    query.andWhere(`${clientId} = :client`, { client });
  }
  if (owner !== undefined) query.andWhere(`${unindexed('r.ownerId')} = :owner`, { owner });
  if (product === undefined) return query;
  if (!product.endsWith('*')) return query.andWhere('r.productCode = :product', { product });
  const start = product.slice(0, -1);
  return query.andWhere('SUBSTR(r.productCode, 1, :length) = :start_', {
    length: start.length,
    start_: start,
  });
}

/**
 * The column as an expression that no index has. SQLite prefers an index of equal values to one of a span:
 * it would read all orders of a client or owner for each slice.
 */
function unindexed(column: string): string {
  return `COALESCE(${column}, ${column})`;
}

/** @param weight the SQL value that a row adds */
function countRows<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { by = {}, counting = {}, where }: CountRequest,
  weight: string,
): Promise<CountRow[]> {
  for (const [name, condition] of Object.entries(counting)) {
    query.addSelect(`SUM(CASE WHEN ${condition} THEN ${weight} ELSE 0 END)`, name);
  }
  for (const [name, expression] of Object.entries(by)) {
    query.addSelect(expression, name).addGroupBy(expression);
  }
  if (where !== undefined) query.andWhere(where);
  return query.getRawMany<CountRow>();
}

/** The first UTC day that starts at this instant or later. */
function dayFrom(instant: number): string {
  return new Date(Math.ceil(instant / DAY) * DAY).toISOString().slice(0, 10);
}
