import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import {
  allOnLine,
  headingOf,
  inWords,
  labelledFields,
  shownTerms,
} from '../../catalogue/content/offers.js';
import type { OrderDetail } from '../../orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { OrdersContext } from '../../orders/staff/orders-context.service.js';
import { daysInWords, detailsInWords } from '../../orders/record/site-details.dto.js';
import { isBespoke } from '../../orders/record/bespoke-terms.js';
import { Copyable, CopyButton, Time } from '../../platform/ui/parts.js';
import { orderColumns } from '../lists/order-columns.js';
import { Facts, Section, Table } from '../../platform/ui/table.js';
import { LongText } from './timeline.js';
import { counted, whole } from '../../platform/kernel/counts.js';

/** What the head does not say: the other terms, references, the client's contact and the cited check. */
export function Asked({ detail, now }: { detail: OrderDetail; now: Date }) {
  const { order, check, offerNow } = detail;
  const { product, clientReference, externalReference, notes, checkId, quoteId, lineId } = order;
  const { client } = order;
  const { details, preferredDays } = order;
  const inHead: readonly string[] = ['price', 'setupPrice', 'term'];
  const terms = product === null ? [] : labelledFields();
  const facts = [
    notes !== null && (['Client’s notes', <LongText text={notes} />] as const),
    ...terms
      .filter(({ name }) => !inHead.includes(name))
      .map((field) => [field.label, inWords(field, product!)] as const),
    details !== null && (['Site', <LongText text={detailsInWords(details).join('\n')} />] as const),
    preferredDays !== null && (['Preferred days', daysInWords(preferredDays)] as const),
    clientReference !== null &&
      (['Client reference', <Copyable text={clientReference} label="client reference" />] as const),
    externalReference !== null &&
      ([
        'Our order system',
        <Copyable text={externalReference} label="reference in the order system" />,
      ] as const),
    namesContact(order.contact) &&
      ([
        'Contact at the client',
        <>
          {`${client.contactName}, ${client.name}`}
          <Reach phone={client.contactPhone} email={client.contactEmail} />
        </>,
      ] as const),
    quoteId !== null &&
      ([
        'Quote',
        <a href={`/staff/quotes/${quoteId}`}>{`line ${lineId} of the quote`}</a>,
      ] as const),
    checkId !== null &&
      ([
        'Availability check',
        <>
          {check === null ? 'Deleted. ' : <Time at={check.checkedAt} now={now} />}
          {check !== null && `: ${offeredIn(check, product)} `}
          <CopyButton text={checkId} label="id of the check" />
        </>,
      ] as const),
  ].filter((fact) => fact !== false);
  if (facts.length === 0) return null;
  return (
    <Section id="terms" title={order.kind === 'order' ? 'Ordered' : 'Details'}>
      <Facts of={facts} />
      {product === null ? null : isBespoke(product.productCode) ? (
        <BespokeSource enquiryId={order.enquiryId} />
      ) : (
        <ComparedTerms product={product} offerNow={offerNow} />
      )}
    </Section>
  );
}

function BespokeSource({ enquiryId }: { enquiryId: string | null }) {
  return (
    <p class="hint">
      {'The client accepted a bespoke offer with these terms'}
      {enquiryId === null ? (
        '.'
      ) : (
        <>
          {': '}
          <a href={`/staff/orders/${enquiryId}`}>view the enquiry</a>.
        </>
      )}
    </p>
  );
}

/** The terms as ordered beside the current ones, where they differ. */
function ComparedTerms(props: { product: OfferedProduct; offerNow: OrderDetail['offerNow'] }) {
  const { product, offerNow } = props;
  if (offerNow === null) return <p class="changed">No longer sold at this postcode.</p>;
  if (!offerNow.differs) return <p class="hint">Terms unchanged since the order.</p>;
  const pairs = shownTerms().map((field) => ({
    heading: headingOf(field),
    before: inWords(field, product),
    today: inWords(field, offerNow),
  }));
  return (
    <Table
      class="terms"
      bare
      captioned
      caption="The terms have changed since the order"
      rows={pairs.filter(({ before, today }) => before !== today)}
      columns={[
        { name: <span class="unseen">Term</span>, of: ({ heading }) => heading, heads: true },
        { name: 'As ordered', of: ({ before }) => before, class: 'number' },
        { name: 'Current', of: ({ today }) => <strong>{today}</strong>, class: 'number' },
      ]}
    />
  );
}

export function namesContact({ name, phone, email }: FollowUpOrder['contact']): boolean {
  return name !== undefined || phone !== undefined || email !== undefined;
}

interface ReachProps {
  readonly phone?: string;
  readonly email?: string;
  /** Shows the number to be read at a glance. */
  readonly large?: true;
}

export function Reach({ phone = '', email = '', large }: ReachProps) {
  const number = phone.replaceAll('(0)', '').replaceAll(/[^\d+]/g, '');
  return (
    <ul class={large ? 'bare reach large' : 'bare reach'}>
      {phone !== '' && (
        <li class="phone">
          {/\d/.test(number) ? <a href={`tel:${number}`}>{phone}</a> : phone}{' '}
          <CopyButton text={phone} label="phone number" />
        </li>
      )}
      {email !== '' && (
        <li>
          <a href={`mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`}>{email}</a>{' '}
          <CopyButton text={email} label="email address" />
        </li>
      )}
    </ul>
  );
}

/** How much the check found, and what it offered where that is not what was ordered. */
function offeredIn(
  { offer, productCount, catalogueVersion }: NonNullable<OrderDetail['check']>,
  product: OfferedProduct | null,
): string {
  const count = productCount === 0 ? 'nothing available' : counted(productCount, 'product');
  const products = `${count} (catalogue version ${catalogueVersion})`;
  if (product === null || isBespoke(product.productCode)) return products;
  if (!offer) return `${products}, not this product`;
  const terms = allOnLine(shownTerms(), offer);
  return terms === allOnLine(shownTerms(), product)
    ? products
    : `${products}, this one at ${terms}`;
}

interface RelatedOrdersProps extends Pick<OrdersContext, 'now' | 'calendar'> {
  readonly id: string;
  /** @param what `orders`, `enquiries` or both, in words */
  readonly title: (what: string) => string;
  readonly orders: readonly FollowUpOrder[];
  /** The address of the full list; with it, the latest are folded, without it, all are shown. */
  readonly all?: string;
  /** How many orders the full list has; otherwise those given. */
  readonly count?: number;
  readonly show: readonly ('client' | 'postcode')[];
}

const MOST_RELATED = 3;

/** The latest related orders, newest first. */
export function RelatedOrders(props: RelatedOrdersProps) {
  const { id, orders, all, show, count = orders.length } = props;
  if (orders.length === 0) return null;
  const what = kindsOf(orders);
  const title = props.title(what);
  const { received, reference, client, postcode, ...others } = orderColumns(props);
  const table = (
    <Table
      class="queue"
      bare
      caption={title}
      rows={all === undefined ? orders : orders.slice(0, MOST_RELATED)}
      columns={[
        reference,
        received,
        show.includes('client') && client,
        show.includes('postcode') && postcode,
        ...Object.values(others),
      ]}
    />
  );
  if (all === undefined) {
    return (
      <Section id={id} title={title} class="others">
        {table}
      </Section>
    );
  }
  return (
    <details class="others further" id={id}>
      <summary>{`${title}: ${whole(count)}`}</summary>
      {table}
      {orders.length > MOST_RELATED && <a href={all}>{`View all ${what}`}</a>}
    </details>
  );
}

function kindsOf(orders: readonly FollowUpOrder[]): string {
  const kinds = new Set(orders.map(({ kind }) => kind));
  if (kinds.size > 1) return 'orders and enquiries';
  return kinds.has('enquiry') ? 'enquiries' : 'orders';
}
