import { useContext } from 'preact/hooks';
import { isAtLeast } from '../../platform/access/scopes.js';
import type { CallBacks } from '../lists/counts.service.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { FollowUpPage } from '../lists/list.dto.js';
import { deliveryViews, type View, views } from '../lists/views.js';
import { BulkBar, BulkOutcome, type BulkTried } from './bulk-view.js';
import type { QuoteGroup } from '../../quotes/staff-quotes.service.js';
import type { OrdersContext } from '../../orders/staff/orders-context.service.js';
import { Layout } from '../../platform/ui/layout.js';
import { NavigationCounts } from '../../platform/ui/navigation.js';
import { Empty, Notice } from '../../platform/ui/parts.js';
import { Table, type TableColumn } from '../../platform/ui/table.js';
import { orderForms } from '../order/order-forms.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import type { Refusal } from '../../platform/ui/forms/input-form.js';
import { type OrderColumn, orderColumns } from '../lists/order-columns.js';
import type { Preferences } from '../../platform/ui/preferences.js';
import { FilterForm, Filters, type FilterChoices } from './queue-filters.js';
import {
  activeFilters,
  queueAddress,
  type QueueState,
  sortingOf,
  withoutFilters,
} from './queue-state.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import { shortTime } from '../../platform/kernel/time-words.js';
import { whole } from '../../platform/kernel/counts.js';

export interface QueueProps extends OrdersContext {
  readonly state: QueueState;
  readonly list: FollowUpPage;
  /** By the id of the first of them: the enquiries of a quote that are one row. */
  readonly quotes: ReadonlyMap<string, QuoteGroup>;
  readonly choices: FilterChoices;
  readonly preferences: Preferences;
  /** The number of the last change that the page shows; see `LiveService`. */
  readonly live: number;
  readonly said: FlashMessage | null;
  /** The viewer's call-backs of the next 24 hours, for an empty list. */
  readonly callBacks?: CallBacks;
  readonly bulk?: BulkTried;
  /** Why the list is empty. */
  readonly refusal?: Refusal;
}

/** "12" or "10,000+". */
export function countWords({ total, totalIsExact }: FollowUpPage): string {
  return `${whole(total)}${totalIsExact ? '' : '+'}`;
}

/** The home page: one view of the queue. */
export function QueuePage(props: QueueProps) {
  const { viewer, state, list, said, live, bulk, choices, refusal } = props;
  const { compact } = props.preferences;
  const title = `${views[state.view].name} ${countWords(list)}`;
  const place = placeOf(state);
  return (
    <Layout title={title} viewer={viewer} here={place} width="wide" said={said} undo={props.undo}>
      {bulk && <BulkOutcome bulk={bulk} />}
      {refusal?.conflict !== undefined && <Notice kind="bad" title={refusal.conflict} />}
      <RefusedSummary refused={refusal?.refused} />
      {place === DELIVERIES && <DeliveryTabs {...props} />}
      <div class="toolbar">
        <FilterForm state={state} choices={choices} refused={refusal?.refused} />
        {(state.view === 'mine' || state.view === 'open') && (
          <a class="button" href={queueAddress(withoutNextStep(state))}>
            Needs a next step
          </a>
        )}
        <a href={queueAddress(state, { cursor: undefined }, '/staff/queue.csv')} download>
          Export as CSV
        </a>
        <PostForm
          action="/staff/rows"
          hidden={{ back: queueAddress(state) }}
          button={
            <button type="submit" class="quiet" name="rows" value={compact ? 'normal' : 'compact'}>
              {compact ? 'Normal rows' : 'Compact rows'}
            </button>
          }
        />
      </div>
      <Filters state={state} choices={choices} />
      <div id="list" data-live={live} data-address={queueAddress(state)}>
        {list.items.length > 0 ? <List {...props} /> : <Nothing {...props} />}
      </div>
    </Layout>
  );
}

/** The place of the navigation that has the list. It has none for all orders, open and closed. */
function placeOf({ view, owner }: QueueState): View | typeof DELIVERIES {
  if (isOfDeliveries(view)) return DELIVERIES;
  if (view === 'no-next-step' && owner === 'me') return 'mine';
  return view === 'nearly-late' || view === 'no-next-step' ? 'open' : view;
}

const DELIVERIES = 'deliveries';

const isOfDeliveries = (view: View) => deliveryViews.some((delivered) => delivered === view);

function DeliveryTabs({ viewer, state }: QueueProps) {
  const counts = useContext(NavigationCounts);
  return (
    <nav class="tabs" aria-label="Deliveries">
      {deliveryViews.map((view) => (
        <a href={queueAddress({ view })} aria-current={view === state.view ? 'page' : undefined}>
          {`${views[view].name} ${whole(counts?.[view] ?? 0)}`}
        </a>
      ))}
      {isAtLeast(viewer.role, 'manager') && <a href="/staff/delivery-updates">Import updates</a>}
    </nav>
  );
}

/** The same list, of those that need a next step. */
function withoutNextStep({ view, ...state }: QueueState): QueueState {
  const mine = view === 'mine' && { owner: 'me' };
  return { ...state, ...mine, view: 'no-next-step', sort: undefined, cursor: undefined };
}

/** For the keyboard script: the forms that keys open for the focused row. */
const rowKeys = JSON.stringify({
  ...Object.fromEntries(
    orderForms.flatMap(({ key, path, title, isDirect }) =>
      key === undefined ? [] : [[key, { path, title, direct: isDirect }]],
    ),
  ),
  // On the page of an order, this key writes to the client.
  r: { path: 'call', title: 'Record a call', direct: false },
});

function List(props: QueueProps) {
  const { state, list, viewer, choices, bulk } = props;
  return (
    <form
      method="post"
      action={queueAddress(state, {}, '/staff/queue/bulk')}
      class="list"
      data-keys={rowKeys}
    >
      <Table
        class={props.preferences.compact ? 'queue compact' : 'queue'}
        bare
        caption={views[state.view].name}
        rows={list.items}
        rowAttributes={({ reference }) => ({ id: reference })}
        columns={columnsOf(props)}
      />
      <BulkBar viewer={viewer} people={choices.people} bulk={bulk} />
      <Pager {...props} />
    </form>
  );
}

function columnsOf({
  state,
  bulk,
  now,
  calendar,
  quotes,
}: QueueProps): TableColumn<FollowUpOrder>[] {
  const { received, reference, ...others } = orderColumns({ now, calendar, view: state.view });
  return [
    selectable(sortable(received, state), bulk, quotes),
    withQuote(withLastNote(reference), quotes),
    ...Object.values(others).map((column) => sortable(column, state)),
  ];
}

/** A row of several enquiries has no box: a move of selected rows would be of one of them. */
function selectable(
  column: TableColumn<FollowUpOrder>,
  bulk: BulkTried | undefined,
  quotes: QueueProps['quotes'],
): TableColumn<FollowUpOrder> {
  return {
    ...column,
    name: (
      <>
        <input type="checkbox" data-all aria-label="Select all rows" hidden />
        {column.name}
      </>
    ),
    of: (order) => (
      <>
        {!quotes.has(order.orderId) && (
          <input
            type="checkbox"
            name="order"
            value={`${order.reference}.${order.version}`}
            checked={bulk?.ticked.has(order.reference)}
            aria-label={`Select ${order.reference}`}
          />
        )}
        {column.of(order)}
      </>
    ),
  };
}

/** The row of several enquiries of a quote leads to all of them. */
function withQuote(
  column: TableColumn<FollowUpOrder>,
  quotes: QueueProps['quotes'],
): TableColumn<FollowUpOrder> {
  return {
    ...column,
    of: (order) => {
      const group = quotes.get(order.orderId);
      if (!group) return column.of(order);
      return (
        <>
          <a href={`/staff/quotes/${group.reference}/enquiries`}>{group.reference}</a>
          <br />
          <small>{`${whole(group.sites)} sites`}</small>
        </>
      );
    },
  };
}

function withLastNote(column: TableColumn<FollowUpOrder>): TableColumn<FollowUpOrder> {
  return {
    ...column,
    of: (order) => (
      <>
        {column.of(order)}
        <noscript>
          <a class="note-link" href={`/staff/orders/${order.reference}#timeline`}>
            Last note
          </a>
        </noscript>
      </>
    ),
  };
}

/** With a link in the heading, if the list can be sorted by the column. */
function sortable(column: OrderColumn, state: QueueState): TableColumn<FollowUpOrder> {
  if (!column.sorting) return column;
  const { sorted, descending, sort } = sortingOf(state, column.sorting);
  const link = sort !== null && (
    <a href={queueAddress(state, { sort, cursor: undefined })}>
      {column.name}
      {sorted && <span aria-hidden="true">{descending ? ' ↓' : ' ↑'}</span>}
    </a>
  );
  return {
    ...column,
    name: link || column.name,
    sorted: sorted ? (descending ? 'descending' : 'ascending') : undefined,
  };
}

function Pager({ state, list }: QueueProps) {
  if (list.nextCursor === null && state.cursor === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {state.cursor !== undefined && (
        <a href={queueAddress(state, { cursor: undefined })}>First page</a>
      )}
      {list.nextCursor !== null && (
        <a href={queueAddress(state, { cursor: list.nextCursor })} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}

function Nothing({ state, callBacks, now, list, refusal }: QueueProps) {
  const waiting = useContext(NavigationCounts)?.waiting ?? 0;
  if (refusal) {
    return (
      <Empty title="Correct the filter to see orders.">
        <a href={queueAddress(withoutFilters(state))}>Clear filters</a>
      </Empty>
    );
  }
  if (state.cursor !== undefined && list.total > 0) {
    return (
      <Empty title="There is no further page.">
        <a href={queueAddress(state, { cursor: undefined })}>First page</a>
      </Empty>
    );
  }
  if (activeFilters(state).length > 0) {
    return (
      <Empty title="No orders match these filters.">
        <a href={queueAddress(withoutFilters(state))}>Clear filters</a>
      </Empty>
    );
  }
  return (
    <Empty title={emptyTitles[state.view]}>
      <p>{whatNext(callBacks, now)}</p>
      {state.view !== 'waiting' && waiting > 0 && (
        <a href="/staff/queue">{`View waiting orders: ${waiting}`}</a>
      )}
    </Empty>
  );
}

const emptyTitles: Readonly<Record<View, string>> = {
  waiting: 'No orders are waiting.',
  mine: 'You have no open orders.',
  due: 'No call-backs are due.',
  'nearly-late': 'No orders are nearly late.',
  late: 'No orders are late.',
  'no-next-step': 'Every order has a next step.',
  'waiting-for-client': 'No delivery waits for a client.',
  'date-at-risk': 'No date is at risk.',
  'cancellation-requests': 'No client asks to cancel.',
  approvals: 'No offers wait for approval.',
  open: 'There are no open orders.',
  closed: 'No order has been closed yet.',
  all: 'There are no orders yet.',
};

function whatNext(callBacks: CallBacks | undefined, now: Date): string {
  const { number = 0, first = null } = callBacks ?? {};
  if (number === 0 || first === null) return 'You have no call-backs in the next 24 hours.';
  const time = shortTime(first, now);
  return number === 1
    ? `You have a call-back at ${time}.`
    : `You have ${number} call-backs, the first at ${time}.`;
}
