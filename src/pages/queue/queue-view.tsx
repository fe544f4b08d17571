import type { CallBacks } from '../../follow-up/queue/counts.service.js';
import type { FollowUpOrder, FollowUpPage } from '../../follow-up/follow-up.dto.js';
import type { View } from '../../follow-up/queue/views.js';
import { BulkBar, BulkOutcome, type BulkTried } from './bulk-view.js';
import { Flash } from '../shell/flash.js';
import type { OrdersContext } from '../shell/orders-context.service.js';
import { Layout } from '../shell/layout.js';
import { Empty } from '../shell/parts.js';
import { Table, type TableColumn } from '../shell/table.js';
import { orderForms } from '../order/order-forms.js';
import { orderColumns, OrderStatus } from '../order/order-parts.js';
import type { Preferences } from '../shell/preferences.js';
import { FilterForm, Filters, type FilterChoices } from './queue-filters.js';
import { queueAddress, type QueueState, type SortColumn, sorting } from './queue-state.js';
import type { FlashMessage } from '../shell/flash-messages.js';
import { briefTime, dayOnly, duration, longTime, shortTime } from '../shell/times.js';
import { viewNames } from '../shell/words.js';

export interface QueueProps extends OrdersContext {
  readonly state: QueueState;
  readonly list: FollowUpPage;
  readonly choices: FilterChoices;
  readonly preferences: Preferences;
  /** The number of changes that the page has seen; see `LiveService`. */
  readonly live: number;
  readonly said: FlashMessage | null;
  /** The viewer's call-backs of today, where the list is empty. */
  readonly callBacks?: CallBacks;
  readonly bulk?: BulkTried;
}

/** "12", or "more than 10,000". */
export function countWords({ total, totalIsExact }: FollowUpPage): string {
  return `${totalIsExact ? '' : 'more than '}${total.toLocaleString('en-GB')}`;
}

/** The home page: one view of the queue. */
export function QueuePage(props: QueueProps) {
  const { viewer, state, list, counts, said, live, bulk, preferences } = props;
  const title = `${viewNames[state.view]} ${countWords(list)}`;
  const place = Object.hasOwn(counts, state.view) || state.view === 'closed' ? state.view : 'open';
  return (
    <Layout title={title} viewer={viewer} here={place} counts={counts} width="wide">
      <Flash said={said} />
      {bulk && <BulkOutcome bulk={bulk} />}
      <div class="toolbar">
        <FilterForm state={state} choices={props.choices} />
        <a href={queueAddress(state, { cursor: undefined }, '/staff/queue.csv')} download>
          Export as CSV
        </a>
        <form method="post" action="/staff/rows">
          <input type="hidden" name="back" value={queueAddress(state)} />
          <button
            type="submit"
            class="quiet"
            name="rows"
            value={preferences.compact ? 'normal' : 'compact'}
          >
            {preferences.compact ? 'Normal rows' : 'Compact rows'}
          </button>
        </form>
      </div>
      <Filters state={state} choices={props.choices} />
      <div id="list" data-live={live} data-address={queueAddress(state)}>
        {list.items.length > 0 ? <List {...props} /> : <Nothing {...props} />}
      </div>
    </Layout>
  );
}

/** For the script of the keyboard: the forms that keys open for the row that has the focus. */
const rowKeys = JSON.stringify(
  Object.fromEntries(
    orderForms.flatMap(({ key, path, fields }) =>
      key === undefined ? [] : [[key, { path, direct: fields.length === 0 }]],
    ),
  ),
);

function List(props: QueueProps) {
  const { state, list, preferences } = props;
  return (
    <form
      method="post"
      action={queueAddress(state, {}, '/staff/queue/bulk')}
      class="list"
      data-keys={rowKeys}
    >
      <Table
        class={preferences.compact ? 'queue compact' : 'queue'}
        bare
        caption={`${viewNames[state.view]}: orders to follow up`}
        rows={list.items}
        rowAttributes={({ reference }) => ({ id: reference })}
        columns={columnsOf(props)}
      />
      <BulkBar viewer={props.viewer} people={props.choices.people} bulk={props.bulk} />
      <Pager {...props} />
    </form>
  );
}

function columnsOf({ state, now, calendar, bulk }: QueueProps): TableColumn<FollowUpOrder>[] {
  const { age, state: status } = sorting(state);
  return [
    {
      name: (
        <>
          <input type="checkbox" data-all aria-label="Select all rows" hidden />
          <SortLink state={state} column={age} name="Age" />
        </>
      ),
      headClass: 'w-age',
      // Oldest first is the earliest time first, and so the greatest age.
      sorted: age.sorted ? (age.descending ? 'ascending' : 'descending') : undefined,
      of: ({ reference, version, receivedAt }) => (
        <>
          <input
            type="checkbox"
            name="order"
            value={`${reference}.${version}`}
            checked={bulk?.ticked.has(reference)}
            aria-label={`Select ${reference}`}
          />
          <Age at={receivedAt} now={now} />
        </>
      ),
    },
    orderColumns.reference,
    orderColumns.client,
    orderColumns.postcode,
    orderColumns.product,
    {
      name: <SortLink state={state} column={status} name="State and next action" />,
      sorted: status.sorted ? (status.descending ? 'descending' : 'ascending') : undefined,
      of: (order) => (
        <>
          <OrderStatus order={order} now={now} calendar={calendar} />
          {order.possibleDuplicateOf !== null && order.closedAt === null && (
            <small> duplicate?</small>
          )}
        </>
      ),
      class: 'standing-cell',
    },
    orderColumns.owner,
  ];
}

function SortLink(props: { state: QueueState; column: SortColumn; name: string }) {
  const { state, column, name } = props;
  if (column.sort === null) return <>{name}</>;
  return (
    <a href={queueAddress(state, { sort: column.sort, cursor: undefined })}>
      {name}
      {column.sorted && <span aria-hidden="true">{column.descending ? ' ↓' : ' ↑'}</span>}
    </a>
  );
}

/** "2 h 5 min" and the time beside it; beyond a day the date alone. */
function Age({ at, now }: { at: Date; now: Date }) {
  const distance = now.getTime() - at.getTime();
  return (
    <time datetime={at.toISOString()} title={longTime(at)}>
      {distance < 86_400_000 ? (
        <>
          {`${duration(Math.max(distance, 0))} `}
          <small>{briefTime(at, now)}</small>
        </>
      ) : (
        dayOnly(at)
      )}
    </time>
  );
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

function Nothing({ state, counts, callBacks, now, list }: QueueProps) {
  const filtered = Object.keys(state).some((name) => !['view', 'sort', 'cursor'].includes(name));
  if (state.cursor !== undefined && list.total > 0) {
    return (
      <Empty title="There is no further page.">
        <p>
          <a href={queueAddress(state, { cursor: undefined })}>Go to the first page</a>
        </p>
      </Empty>
    );
  }
  if (filtered) {
    return (
      <Empty title="No order fits these filters.">
        <p>
          <a href={queueAddress({ view: state.view })}>Take them off</a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title={emptyTitles[state.view]}>
      <p>{whatNext(callBacks, now)}</p>
      {state.view !== 'waiting' && counts.waiting > 0 && (
        <p>
          <a href="/staff/queue">{`${counts.waiting} waiting: take the next one`}</a>
        </p>
      )}
    </Empty>
  );
}

const emptyTitles: Readonly<Record<View, string>> = {
  waiting: 'Nothing waiting.',
  mine: 'You have no open orders.',
  due: 'No call-back is due.',
  'nearly-late': 'Nothing is nearly late.',
  late: 'Nothing is late.',
  open: 'There are no open orders.',
  closed: 'No order has been closed yet.',
  all: 'There are no orders yet.',
};

function whatNext(callBacks: CallBacks | undefined, now: Date): string {
  const { number = 0, first = null } = callBacks ?? {};
  if (number === 0 || first === null) return 'No call-back of yours is due in the next 24 hours.';
  const time = shortTime(first, now);
  return number === 1
    ? `A call-back of yours is due at ${time}.`
    : `${number} call-backs of yours are due from ${time} on.`;
}
