import { bandwidthInWords } from '../../catalogue/content/offer-fields.js';
import { shortName } from '../../catalogue/content/offers.js';
import { priceInWords } from '../../platform/kernel/money.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { dateOf } from '../../orders/delivery/delivery-risk.js';
import type { StaffDelivery } from '../../orders/record/delivery.dto.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { DAY, HOUR, MINUTE } from '../../platform/kernel/time.js';
import { constraintsInWords } from '../../catalogue/content/zone-fields.js';
import { nearestInWords, nothingNamed, wantedInWords } from '../../orders/record/order.entity.js';
import { KindMark, StateMark } from '../../orders/staff/state-marks.js';
import type { OrdersContext } from '../../orders/staff/orders-context.service.js';
import { type Sort, type View, views } from './views.js';
import { TimeElement } from '../../platform/ui/parts.js';
import type { TableColumn } from '../../platform/ui/table.js';
import { shortDay, shortTime } from '../../platform/kernel/time-words.js';
import { type StatusWords, statusWords } from '../../orders/staff/order-words.js';

/** The mark of an open order whose price a person has to confirm. */
export const NEEDS_FIRM_OFFER = 'Price to be confirmed';

export function needsFirmOffer(order: FollowUpOrder): boolean {
  return order.product?.basis === 'indicative' && order.closedAt === null;
}

/** A column by which a list can be sorted. */
export interface ColumnSorting {
  /** The orders by which the column is sorted, without the minus of descending ones. */
  readonly by: readonly Sort[];
  /** The order to which the heading leads first; null for a heading without a link. */
  readonly first: (view: View) => Sort | null;
}

export interface OrderColumn extends TableColumn<FollowUpOrder> {
  readonly sorting?: ColumnSorting;
}

type OrderList = Pick<OrdersContext, 'now' | 'calendar'> & { readonly view?: View };

/** The columns of lists of orders, from left to right. The class of a column sets its width. */
export function orderColumns({ now, calendar, view }: OrderList) {
  const step = view && deliverySteps[view];
  const column = (
    name: string,
    cell: string,
    of: OrderColumn['of'],
    sorting?: ColumnSorting,
  ): OrderColumn => ({ name, class: cell, headClass: cell, of, sorting });
  return {
    received: column(
      'Received',
      'received',
      ({ receivedAt }) => <Received at={receivedAt} now={now} />,
      { by: ['received'], first: () => 'received' },
    ),
    reference: {
      ...column('Order', 'reference', ({ reference }) => (
        <a href={`/staff/orders/${reference}`}>{reference}</a>
      )),
      heads: true,
    },
    client: column('Client', 'client', ({ client, contact }) => (
      <>
        {client.name} <small>{contact.name ?? client.contactName}</small>
      </>
    )),
    postcode: column('Postcode', 'postcode', ({ postcode, nearest, constraints }) => (
      <>
        {postcode}
        {nearest && <small title={nearestInWords(nearest)}>{` ${nearest.distanceMetres} m`}</small>}
        {constraints.length > 0 && (
          <small title={constraintsInWords(constraints)}> Constraints</small>
        )}
      </>
    )),
    product: column('Product', 'product', (order) => {
      const product = order.product;
      if (product === null) return <WantedCell wanted={order.wanted} />;
      return <span title={product.name}>{shortName(product)}</span>;
    }),
    term: column('Term', 'term', (order) => {
      const { term } = order.product ?? order.wanted ?? { term: null };
      return term === null ? '' : `${term}\u00A0mo`;
    }),
    price: column(
      'Monthly',
      'price number',
      (order) => {
        const value = order.product ?? order.offered;
        return value === null ? '–' : priceInWords(value.price, value.currency);
      },
      // Only open orders have an index of these.
      { by: ['price'], first: (of) => (of === 'all' || of === 'closed' ? null : '-price') },
    ),
    state: column('State', 'state-cell', (order) => (
      <>
        <StateMark state={order.state} />
        {needsFirmOffer(order) && <small> {NEEDS_FIRM_OFFER}</small>}
        {order.possibleDuplicateOf !== null && order.closedAt === null && (
          <small> Possible duplicate</small>
        )}
      </>
    )),
    next: column(
      step?.name ??
        (view === 'closed' ? 'Closed' : view === 'all' ? 'Next step or end' : 'Next step'),
      'next-cell',
      (order) => {
        const { when, what, tone } =
          (order.delivery && step?.of(order.delivery, now)) ?? statusWords(order, now, calendar);
        return (
          <>
            <span class={tone === '' ? 'by' : `by ${tone}`}>{when}</span>
            {what !== '' && <small title={what}> {what}</small>}
          </>
        );
      },
      step ? undefined : { by: ['due', 'nextAction', 'closed', 'next'], first: nextSort },
    ),
    owner: column('Owner', 'owner', ({ ownerName }) =>
      ownerName === null ? (
        <Owner initials="–" name="Unassigned" />
      ) : (
        <Owner initials={initialsOf(ownerName)} name={ownerName} />
      ),
    ),
  } satisfies Readonly<Record<string, OrderColumn>>;
}

interface DeliveryStep {
  readonly name: string;
  readonly of: (delivery: StaffDelivery, now: Date) => Omit<StatusWords, 'state' | 'next'> | null;
}

/** What the lists of deliveries show instead of the next step. */
const deliverySteps: Readonly<Partial<Record<View, DeliveryStep>>> = {
  'waiting-for-client': {
    name: 'Waiting since',
    of: ({ waitingFor: wait, remindedAt }, now) =>
      wait && {
        when: shortTime(wait.since, now),
        what: `${remindedAt ? `reminded ${shortTime(remindedAt, now)}: ` : ''}${wait.what}`,
        tone: '',
      },
  },
  'date-at-risk': {
    name: 'Date',
    of: (delivery, now) => {
      const date = dateOf(delivery);
      const what = delivery.committedDate === null ? 'promised' : 'committed';
      return { when: shortDay(date, now), what, tone: date < londonDay(now) ? 'late' : 'soon' };
    },
  },
  'cancellation-requests': {
    name: 'Asked',
    of: ({ cancellationRequestedAt: at }, now) =>
      at && { when: shortTime(at, now), what: '', tone: '' },
  },
};

function nextSort(view: View): Sort | null {
  if (view === 'all') return null;
  // What is due next for a waiting order is its deadline, for which the list has an index.
  if (view === 'waiting') return 'due';
  const { sort } = views[view];
  return sort === 'received' ? 'next' : sort;
}

/** The column of the term shows the wanted term. */
function WantedCell({ wanted }: Pick<FollowUpOrder, 'wanted'>) {
  const { bandwidth, description } = wanted ?? nothingNamed;
  const all = [wantedInWords(wanted), ...(description === null ? [] : [description])].join('. ');
  return (
    <span title={all}>
      <KindMark />
      {bandwidth !== null && <small> {bandwidthInWords(bandwidth)}</small>}
      {bandwidth === null && description !== null && <small> {startOf(description)}</small>}
    </span>
  );
}

/** Characters of a description in a cell. */
const MOST_SHOWN = 40;

function startOf(text: string): string {
  const characters = [...text];
  return characters.length <= MOST_SHOWN
    ? text
    : `${characters.slice(0, MOST_SHOWN).join('').trimEnd()}…`;
}

/** "7 h", "3 d"; its title has the time. */
function Received({ at, now }: { at: Date; now: Date }) {
  return <TimeElement at={at}>{age(now.getTime() - at.getTime())}</TimeElement>;
}

function age(milliseconds: number): string {
  if (milliseconds < MINUTE) return 'just now';
  if (milliseconds < HOUR) return `${Math.floor(milliseconds / MINUTE)} min`;
  if (milliseconds < DAY) return `${Math.floor(milliseconds / HOUR)} h`;
  return `${Math.floor(milliseconds / DAY)} d`;
}

/** On narrower screens only the initials are seen. */
function Owner({ initials, name }: { initials: string; name: string }) {
  return (
    <>
      <span class="initials" aria-hidden="true" title={name}>
        {initials}
      </span>{' '}
      <span class="name">{name}</span>
    </>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const shown = words.length > 1 ? [words[0]!, words.at(-1)!] : words;
  return shown
    .map(([first = '']) => first)
    .join('')
    .toUpperCase();
}
