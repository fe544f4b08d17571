import { DAY } from '../platform/kernel/time.js';
import { Injectable } from '@nestjs/common';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { CheckDay } from '../availability/check-day.entity.js';
import { CheckDaysService } from '../availability/check-days.service.js';
import { inSlices, type Span } from '../platform/database/slices.js';
import { Transactions } from '../platform/database/transactions.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { BespokeOffer } from '../orders/record/bespoke-offer.entity.js';
import { Order } from '../orders/record/order.entity.js';
import { openOrders } from '../orders/views/open-orders.js';
import type { ReportFilter } from './report-query.dto.js';

// SQL expressions on a row `r` of the daily check counts.

/** The postcode area: the letters before the first digit of the sector. */
export const CHECK_AREA = `RTRIM(SUBSTR(r.sector, 1, 2), '0123456789')`;

export const NOTHING_FOUND = `r.outcome IN ('none', 'staff-none')`;

export const MADE_BY_STAFF = `r.outcome IN ('staff-available', 'staff-none')`;

/** Open orders that are read at once: a few milliseconds, or 30 when they are not in memory. */
const OPEN_SLICE = 1_000;

/** `r` is the row in every expression. */
interface CountRequest {
  /** Expressions to group by, by name. */
  readonly by?: Readonly<Record<string, string>>;
  /** Conditions for additional counts, by name. */
  readonly counting?: Readonly<Record<string, string>>;
  readonly where?: string;
}

interface OpenCountRequest extends CountRequest {
  /** Enquiries in place of orders; the filter of products does not apply. */
  readonly kind?: 'enquiry';
  /** Only counts: an index is enough. */
  readonly withoutAmounts?: true;
  /** In expressions, `f` is the accepted offer that became the order; null if it is from the catalogue. */
  readonly withOffer?: true;
}

export interface OrderCountRequest extends OpenCountRequest {
  /** The instant that has to be in the span. */
  readonly at: 'receivedAt' | 'closedAt';
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
    const { at } = question;
    const read = (tx: Tx, slice: Span) => {
      const query = tx.createQueryBuilder(Order, 'r');
      query.where(`r.${at} >= :start AND r.${at} < :end`, slice);
      return countOrders(narrowed(query, filter, at === 'receivedAt'), question);
    };
    return gather(question, inSlices(this.transactions, span, read));
  }

  openOrders(question: OpenCountRequest, filter: ReportFilter = {}): Promise<CountedGroup[]> {
    const narrow = question.kind === 'enquiry' ? narrowedEnquiries : narrowed;
    const slices = openOrders(this.transactions, OPEN_SLICE, (query) =>
      countOrders(narrow(query, filter), question),
    );
    return gather(question, slices);
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
    const read = (tx: Tx, slice: Span) => {
      const query = tx.createQueryBuilder(CheckDay, 'r').select('SUM(r.checks)', 'n');
      query.where('r.day >= :first AND r.day < :beyond', {
        first: dayFrom(slice.start),
        beyond: dayFrom(slice.end),
      });
      if (client !== undefined) query.andWhere('r.clientId = :client', { client });
      return countRows(query, question, 'r.checks');
    };
    const span = { start, end: start + days.length * DAY };
    return gather(question, inSlices(this.transactions, span, read));
  }
}

/** Adds up the rows of all slices. */
async function gather(
  { by = {}, counting = {} }: CountRequest,
  slices: AsyncIterable<CountRow[]>,
): Promise<CountedGroup[]> {
  const groups = new Map<string, CountedGroup>();
  for await (const rows of slices) {
    for (const row of rows) {
      if (row.n === null) continue; // a sum of no rows
      const values = Object.fromEntries(Object.keys(by).map((name) => [name, row[name] ?? null]));
      const key = JSON.stringify(values);
      const group: CountedGroup = groups.get(key) ?? {
        by: values,
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
  const { client, owner, family: productFamily, bandwidth, term: termMonths } = filter;
  const bandwidthMbps = bandwidth === undefined ? undefined : Math.round(bandwidth * 1_000);
  query.andWhere('r.productFamily IS NOT NULL');
  if (client !== undefined) {
    const clientId = byClient ? 'r.clientId' : unindexed('r.clientId');
    query.andWhere(`${clientId} = :client`, { client });
  }
  if (owner !== undefined) query.andWhere(`${unindexed('r.ownerId')} = :owner`, { owner });
  const columns = { productFamily, bandwidthMbps, termMonths };
  for (const [column, value] of Object.entries(columns)) {
    if (value === undefined) continue;
    query.andWhere(`${unindexed(`r.${column}`)} = :${column}`, { [column]: value });
  }
  return query;
}

/** The same for enquiries, which have no product. */
function narrowedEnquiries(
  query: SelectQueryBuilder<Order>,
  { client, owner }: ReportFilter,
): SelectQueryBuilder<Order> {
  query.andWhere(`r.kind = 'enquiry'`);
  if (client !== undefined) query.andWhere('r.clientId = :client', { client });
  if (owner !== undefined) query.andWhere('r.ownerId = :owner', { owner });
  return query;
}

/**
 * The column as an expression that no index has. SQLite prefers an index of equal values to one of a span:
 * it would read all orders of a client or owner for each slice.
 */
function unindexed(column: string): string {
  return `COALESCE(${column}, ${column})`;
}

function countOrders(
  query: SelectQueryBuilder<Order>,
  question: OpenCountRequest,
): Promise<CountRow[]> {
  query.select('COUNT(*)', 'n');
  if (question.withOffer) {
    // By the enquiry, as there is no index of offers by order.
    query.leftJoin(BespokeOffer, 'f', 'f.enquiryId = r.enquiryId AND f.orderId = r.id');
  }
  if (!question.withoutAmounts) {
    query.addSelect('r.currency', 'currency').addGroupBy('r.currency');
    query.addSelect('SUM(r.amountMinor)', 'amount');
  }
  return countRows(query, question, '1');
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
