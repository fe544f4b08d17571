import type { SelectQueryBuilder } from 'typeorm';
import { hasConstraint, Order } from '../../orders/record/order.entity.js';
import { waitingFor } from '../../orders/record/deliveries.js';
import { LIVE } from '../../platform/database/sides.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import type { FollowUpFilter } from './list.dto.js';
import type { SearchResult } from './search.js';
import { type ListOrder, listOrderOf, sortConditions, type View, views } from './views.js';

type Orders = SelectQueryBuilder<Order>;

export function viewOf({ view, state }: FollowUpFilter): View {
  return view ?? (state ? 'all' : 'waiting');
}

export function orderingOf(filter: FollowUpFilter): ListOrder {
  return listOrderOf(filter.sort ?? views[viewOf(filter)].sort);
}

export interface OrderListing {
  readonly filter: FollowUpFilter;
  /** Null without a search. */
  readonly found: SearchResult | null;
  /** The id of the calling staff member. */
  readonly me: string;
  readonly now: Date;
  /** The open enquiries of a quote that are alike are one row; see `firstOfQuote`. */
  readonly isByQuote?: boolean;
}

/** Adds the conditions of the listing to a query whose orders are `o`. */
export function narrow(query: Orders, { filter, found, me, now, isByQuote }: OrderListing): Orders {
  const view = views[viewOf(filter)];
  const { key } = orderingOf(filter);
  const sortable = key === listOrderOf(view.sort).key ? [] : (sortConditions[key] ?? []);
  // Each once: for two equal conditions, PostgreSQL expects too few rows and sorts them.
  const conditions = new Set([...view.where, ...sortable]);
  query.where([...conditions].join(' AND '), {
    me,
    now: now.getTime(),
    today: londonDay(now),
  });
  if (filter.state) query.andWhere('o.state IN (:...state)', { state: filter.state });
  if (filter.owner === 'none') query.andWhere('o.ownerId IS NULL');
  else if (filter.owner !== undefined) {
    query.andWhere('o.ownerId = :owner', { owner: filter.owner === 'me' ? me : filter.owner });
  }
  if (filter.constraint) query.andWhere(hasConstraint(filter.constraint));
  if (filter.waitingFor) query.andWhere(waitingFor(LIVE, filter.waitingFor));
  // A literal, for the partial index of enquiries.
  if (filter.kind) query.andWhere(`o.kind = '${filter.kind}'`);
  for (const [column, value] of Object.entries(columnsOf(filter))) {
    if (value !== undefined) query.andWhere(`o.${column} = :${column}`, { [column]: value });
  }
  within(query, 'receivedAt', filter.receivedFrom, filter.receivedTo);
  within(query, 'firstContactDueAt', filter.dueFrom, filter.dueTo);
  if (filter.duplicates === 'only') query.andWhere('o.possibleDuplicateOf IS NOT NULL');
  if (filter.duplicates === 'none') query.andWhere('o.possibleDuplicateOf IS NULL');
  if (found) among(query, found);
  if (isByQuote) query.andWhere(firstOfQuote(query));
  return query;
}

/** The columns that a filter compares, with their values. */
function columnsOf(filter: FollowUpFilter) {
  const { client: clientId, product: productCode, family: productFamily, bandwidth } = filter;
  const { term: termMonths, zone, area, basis } = filter;
  const bandwidthMbps = bandwidth === undefined ? undefined : Math.round(bandwidth * 1_000);
  return { clientId, productCode, productFamily, bandwidthMbps, termMonths, zone, area, basis };
}

/**
 * Of the open enquiries of a quote with the same state, owner and next step, only the one whose deadline is first.
 * Enquiries with a call-back are rows of their own: a row for several would hide when each is due. SQLite would use an
 * index by state and deadline, and read all orders of the state, if it could: so the cast, and no comparison of rows.
 */
function firstOfQuote(query: Orders): string {
  const others = query
    .subQuery()
    .select('1')
    .from(Order, 's')
    .where(`s.quoteId = o.quoteId AND s.kind = 'enquiry' AND CAST(s.state AS text) = o.state`)
    .andWhere(`COALESCE(s.ownerId, '${NO_ONE}') = COALESCE(o.ownerId, '${NO_ONE}')`)
    .andWhere('s.nextActionAt IS NULL')
    .andWhere('(s.firstContactAt IS NULL) = (o.firstContactAt IS NULL)')
    .andWhere(
      '(s.firstContactDueAt < o.firstContactDueAt OR (s.firstContactDueAt = o.firstContactDueAt AND s.quoteLine < o.quoteLine))',
    );
  const single = `o.quoteId IS NULL OR o.kind = 'order' OR o.closedAt IS NOT NULL`;
  return `(${single} OR o.nextActionAt IS NOT NULL OR NOT EXISTS ${others.getQuery()})`;
}

/** Of no staff member. */
const NO_ONE = '00000000-0000-0000-0000-000000000000';

function within(
  query: Orders,
  column: 'receivedAt' | 'firstContactDueAt',
  from: Date | undefined,
  to: Date | undefined,
) {
  if (from) query.andWhere(`o.${column} >= :${column}From`, { [`${column}From`]: from.getTime() });
  if (to) query.andWhere(`o.${column} < :${column}To`, { [`${column}To`]: to.getTime() });
}

/** Clients whose orders are read one client after the other. */
const MOST_PARTS = 8;

/**
 * The listing in parts without an order in common: one for each client that a search found, and one for the
 * other orders. Each part is read in the order of an index. For several clients at once, SQLite would read
 * and sort all of their orders.
 */
export function partsOf(listing: OrderListing): OrderListing[] {
  const { found } = listing;
  if (!found || found.clientIds.length > MOST_PARTS) return [listing];
  const { ids, clientIds } = found;
  if (clientIds.length + Math.min(ids.length, 1) < 2) return [listing];
  const part = (of: Partial<SearchResult>) => ({
    ...listing,
    found: { ...found, ids: [], clientIds: [], ...of },
  });
  return [
    ...clientIds.map((id) => part({ clientIds: [id] })),
    ...(ids.length > 0 ? [part({ ids, otherThan: clientIds })] : []),
  ];
}

function among(query: Orders, { ids, clientIds, otherThan }: SearchResult): void {
  const conditions = [
    ...(ids.length > 0 ? ['o.id IN (:...found)'] : []),
    ...(clientIds.length > 0 ? ['o.clientId IN (:...foundClients)'] : []),
  ];
  if (otherThan) query.andWhere('o.clientId NOT IN (:...otherThan)', { otherThan });
  query.andWhere(`(${conditions.join(' OR ') || '1 = 0'})`, {
    found: ids,
    foundClients: clientIds,
  });
}
