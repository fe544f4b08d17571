import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Clock } from '../../platform/kernel/clock.js';
import { type Cursor, page, readCursor } from '../../platform/http/paging.js';
import { entitiesOf, oneOf } from '../../platform/database/engine/rows.js';
import { nextTurn } from '../../platform/kernel/turns.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { Delivery, type DeliveryRecord } from '../../orders/record/delivery.entity.js';
import { NO_NEXT_STEP, Order } from '../../orders/record/order.entity.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { FollowUpFilter, FollowUpPage, FollowUpQuery } from './list.dto.js';
import { narrow, type OrderListing, orderingOf, partsOf, viewOf } from './list-filter.js';
import { printOrders } from '../../orders/staff/print-order.js';
import { findOrders, type SearchResult } from './search.js';
import { type SortKey, sortedBy } from './views.js';

/** Orders are counted up to this number. */
const MOST_COUNTED = 10_000;

/** The lists of the queue. */
@Injectable()
export class FollowUpService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /**
   * @param most the number up to which orders are counted
   * @param isByQuote shows the enquiries of a quote as one row, where nothing narrows the view
   */
  async list(
    query: FollowUpQuery,
    caller: StaffCaller,
    most = MOST_COUNTED,
    isByQuote = false,
  ): Promise<FollowUpPage> {
    const now = this.clock.now();
    return this.transactions.read(async (tx) => {
      const matches = await search(tx, query);
      const listing = { filter: query, found: matches, me: caller.staffId, now, isByQuote };
      const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor);
      const orders = await rowsOf(tx, listing, query.limit + 1, cursor);
      const isGrouped = isByQuote && orders.some(({ quoteId }) => quoteId !== null);
      const isWhole = cursor === undefined && orders.length <= query.limit && !isGrouped;
      // Each enquiry of a quote counts, as in the navigation.
      const counted = { ...listing, isByQuote: false };
      const total = isWhole ? orders.length : await count(tx, counted, most);
      const { key } = orderingOf(query);
      // A hundred orders are read, printed and written as JSON in some milliseconds each.
      await nextTurn();
      const printed = await printOrders(tx, orders, now);
      await nextTurn();
      const { items, nextCursor } = page(
        orders.map((order, i) => ({ order, shown: printed[i]! })),
        query.limit,
        ({ order }) => positionOf(order, key),
        ({ shown }) => shown,
      );
      return {
        items,
        nextCursor,
        total: Math.min(total, most),
        totalIsExact: total <= most && (matches?.complete ?? true),
      };
    });
  }

  /** The newest orders that a search finds, without their number. */
  async suggest(q: string, limit: number, caller: StaffCaller): Promise<FollowUpOrder[]> {
    const now = this.clock.now();
    return this.transactions.read(async (tx) => {
      const filter = { view: 'all', sort: '-received', q } as const;
      const matches = await search(tx, filter);
      const listing = { filter, found: matches && newest(matches, limit), me: caller.staffId, now };
      return printOrders(tx, await rowsOf(tx, listing, limit, undefined), now);
    });
  }

  /** Runs the search of a filter, for an export; null without a search. */
  find(filter: FollowUpFilter): Promise<SearchResult | null> {
    return this.transactions.read((tx) => search(tx, filter));
  }

  /** The next rows after the order `last`, for an export. */
  async after(
    listing: OrderListing,
    last: ListedOrder | undefined,
    limit: number,
  ): Promise<{ orders: ListedOrder[]; printed: FollowUpOrder[] }> {
    const { key } = orderingOf(listing.filter);
    const cursor = last && positionOf(last, key);
    return this.transactions.read(async (tx) => {
      const orders = await rowsOf(tx, listing, limit, cursor);
      return { orders, printed: await printOrders(tx, orders, listing.now) };
    });
  }
}

/** An order in a list; with `waitingSince` of its delivery, where the list is sorted by it. */
export type ListedOrder = Order & Partial<Pick<DeliveryRecord, 'waitingSince'>>;

/** The place of an order in a list. A number that is no time travels in the cursor as if it were one. */
function positionOf(order: ListedOrder, key: SortKey): Cursor {
  return { at: new Date(Number(order[key])), id: order.id };
}

async function search(tx: Tx, { q }: FollowUpFilter): Promise<SearchResult | null> {
  return q === undefined || q.trim() === '' ? null : findOrders(tx, q);
}

/** Ids start with a time: the newest orders have the highest ones. */
function newest(matches: SearchResult, limit: number): SearchResult {
  return { ...matches, ids: [...matches.ids].sort().reverse().slice(0, limit) };
}

async function rowsOf(
  tx: Tx,
  listing: OrderListing,
  limit: number,
  cursor: Cursor | undefined,
): Promise<ListedOrder[]> {
  const parts = partsOf(listing);
  const rows: ListedOrder[] = [];
  for (const part of parts) rows.push(...(await rowsOfPart(tx, part, limit, cursor)));
  if (parts.length === 1) return rows;
  const { key, descending } = orderingOf(listing.filter);
  const placeOf = (order: ListedOrder) =>
    endsWithoutStep(listing.filter) && isWithoutStep(order[key]) ? Infinity : Number(order[key]);
  const before = (a: ListedOrder, b: ListedOrder) => {
    const [one, other] = [placeOf(a), placeOf(b)];
    return one === other ? (a.id < b.id ? -1 : 1) : one - other;
  };
  return rows.sort((a, b) => (descending ? before(b, a) : before(a, b))).slice(0, limit);
}

/** Whether orders that need a next step end the list, by `next`, of all open orders. */
function endsWithoutStep(filter: FollowUpFilter): boolean {
  const { key, descending } = orderingOf(filter);
  return key === 'nextDueAt' && !descending && viewOf(filter) === 'open';
}

function isWithoutStep(at: unknown): boolean {
  return Number(at) === NO_NEXT_STEP.getTime();
}

/** Reads the list in two ranges of the index, where it does not start with the lowest values. */
async function rowsOfPart(
  tx: Tx,
  listing: OrderListing,
  limit: number,
  cursor: Cursor | undefined,
): Promise<ListedOrder[]> {
  if (!endsWithoutStep(listing.filter)) return rowsFrom(tx, listing, limit, cursor);
  const isInEnd = cursor !== undefined && isWithoutStep(cursor.at);
  const rows = isInEnd ? [] : await rowsFrom(tx, listing, limit, cursor, '>');
  if (rows.length === limit) return rows;
  const end = isInEnd ? cursor : undefined;
  return [...rows, ...(await rowsFrom(tx, listing, limit - rows.length, end, '='))];
}

async function rowsFrom(
  tx: Tx,
  listing: OrderListing,
  limit: number,
  cursor: Cursor | undefined,
  range?: '>' | '=',
): Promise<ListedOrder[]> {
  const { key, descending } = orderingOf(listing.filter);
  const direction = descending ? 'DESC' : 'ASC';
  const query = narrow(tx.createQueryBuilder(Order, 'o'), listing)
    .orderBy(sortedBy(key), direction)
    .addOrderBy('o.id', direction)
    .limit(limit);
  if (range) query.andWhere(`o.${key} ${range} :first`, { first: NO_NEXT_STEP.getTime() });
  if (cursor !== undefined) {
    const { at, id } = cursor;
    const beyond = descending ? '<' : '>';
    query.andWhere(`(${sortedBy(key)}, o.id) ${beyond} (:at, :id)`, { at: at.getTime(), id });
  }
  const orders = await entitiesOf(query);
  return key === 'waitingSince' ? withWaits(tx, orders) : orders;
}

async function withWaits(tx: Tx, orders: readonly Order[]): Promise<ListedOrder[]> {
  const rows = await tx.findBy(Delivery, { orderId: oneOf(orders.map(({ id }) => id)) });
  const since = new Map(rows.map(({ orderId, waitingSince }) => [orderId, waitingSince]));
  return orders.map((order) => Object.assign(order, { waitingSince: since.get(order.id) }));
}

/** Stops above `most`. */
async function count(tx: Tx, listing: OrderListing, most: number): Promise<number> {
  let total = 0;
  for (const part of partsOf(listing)) {
    if (total <= most) total += await countPart(tx, part, most - total);
  }
  return total;
}

async function countPart(tx: Tx, listing: OrderListing, most: number): Promise<number> {
  const ids = tx.createQueryBuilder(Order, 'o').select('o.id', 'id');
  // Sorted like the list, so that the databases choose the index that has what filters compare.
  const rows = narrow(ids, listing)
    .orderBy(sortedBy(orderingOf(listing.filter).key))
    .limit(most + 1);
  const counted = await tx
    .createQueryBuilder()
    .select('COUNT(*)', 'number')
    .from(`(${rows.getQuery()})`, 'counted')
    .setParameters(rows.getParameters())
    .getRawOne<{ number: number | string }>();
  return Number(counted?.number ?? 0);
}
