/** The views of the queue and the sort orders of lists. */

import { inDelivery, waitingFor } from '../../orders/record/deliveries.js';
import { LIVE } from '../../platform/database/sides.js';

/** Conditions, all of which an order meets. */
type Conditions = readonly string[];

export const uncontacted: Conditions = ['o.closedAt IS NULL', 'o.firstContactAt IS NULL'];

const sortKeys = {
  received: 'receivedAt',
  due: 'firstContactDueAt',
  nextAction: 'nextActionAt',
  closed: 'closedAt',
  next: 'nextDueAt',
  price: 'amountMinor',
  /** Since when the delivery waits; of lists of deliveries that wait. */
  waiting: 'waitingSince',
} as const;

type Ascending = keyof typeof sortKeys;
export type Sort = Ascending | `-${Ascending}`;
export type SortKey = (typeof sortKeys)[Ascending];
export const sorts = Object.keys(sortKeys).flatMap((key) => [key, `-${key}`]) as Sort[];

/**
 * The name, the conditions and the default order of each view. Conditions of partial indexes are literals:
 * neither database can use such an index with a parameter.
 */
export const views = {
  waiting: { name: 'Waiting', where: [`o.state = 'waiting'`], sort: 'received' },
  mine: { name: 'Mine', where: ['o.closedAt IS NULL', 'o.ownerId = :me'], sort: 'received' },
  due: { name: 'Due', where: ['o.nextActionAt <= :now'], sort: 'nextAction' },
  'nearly-late': {
    name: 'Nearly late',
    where: [...uncontacted, 'o.firstContactDueAt > :now', 'o.firstContactWarnAt <= :now'],
    sort: 'due',
  },
  late: { name: 'Late', where: [...uncontacted, 'o.firstContactDueAt <= :now'], sort: 'due' },
  'no-next-step': {
    name: 'Needs a next step',
    where: ['o.closedAt IS NULL', `o.state = 'in_progress'`, 'o.firstContactAt IS NOT NULL'],
    sort: 'received',
  },
  open: { name: 'All open', where: ['o.closedAt IS NULL'], sort: 'received' },
  'waiting-for-client': {
    name: 'Waiting for the client',
    where: [waitingFor(LIVE, 'client')],
    sort: 'waiting',
  },
  'date-at-risk': {
    name: 'Date at risk',
    where: [inDelivery('risk_on <= :today')],
    sort: 'closed',
  },
  'cancellation-requests': {
    name: 'Requests to cancel',
    where: [inDelivery('cancellation_asked_at IS NOT NULL')],
    sort: 'closed',
  },
  approvals: {
    name: 'Waiting for approval',
    where: [
      // In this form, no index of open orders is chosen before that of the offers.
      'COALESCE(o.closedAt, 0) = 0',
      `o.id IN (SELECT enquiry_id FROM offers WHERE ended_at IS NULL AND state = 'awaitingApproval')`,
    ],
    sort: 'received',
  },
  closed: { name: 'Closed', where: ['o.closedAt IS NOT NULL'], sort: '-closed' },
  all: { name: 'All orders', where: ['1 = 1'], sort: 'received' },
} as const satisfies Record<string, { name: string; where: Conditions; sort: Sort }>;

export type View = keyof typeof views;
/** The tabs of the place _Deliveries_. */
export const deliveryViews = [
  'date-at-risk',
  'cancellation-requests',
  'waiting-for-client',
] as const;
/** Views that show the enquiries of a quote as one row. The others count and list what is due, one by one. */
export const viewsByQuote: ReadonlySet<View> = new Set(['waiting', 'mine', 'open', 'all'] as const);
export const viewNames = Object.keys(views) as View[];

/**
 * Orders without a value of the key are not in a list that is sorted by it. The default order of a view
 * needs no condition: all orders of the view have a value.
 */
export const sortConditions: Readonly<Partial<Record<SortKey, Conditions>>> = {
  nextActionAt: ['o.nextActionAt IS NOT NULL'],
  closedAt: ['o.closedAt IS NOT NULL'],
  // Only open orders have an index of these.
  nextDueAt: ['o.closedAt IS NULL'],
  amountMinor: ['o.closedAt IS NULL', 'o.amountMinor IS NOT NULL'],
  waitingSince: [inDelivery('waiting_since IS NOT NULL')],
};

/** What orders `o` of a list are sorted by, in SQL. */
export function sortedBy(key: SortKey): string {
  return key === 'waitingSince'
    ? '(SELECT w.waiting_since FROM deliveries w WHERE w.order_id = o.id)'
    : `o.${key}`;
}

export interface ListOrder {
  readonly key: SortKey;
  readonly descending: boolean;
}

export function listOrderOf(sort: Sort): ListOrder {
  const key = sortKeys[sort.replace('-', '') as Ascending];
  return { key, descending: sort.startsWith('-') };
}
