import type { AgreedTerms, OfferedProduct } from '../../catalogue/content/offer-fields.js';
import {
  allOnLine,
  changedTerms,
  headingOf,
  inWords,
  labelledFields,
  shownTerms,
} from '../../catalogue/content/offers.js';
import type { OrderDetail } from '../../orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { OrdersContext } from '../../orders/staff/orders-context.service.js';
import { isBespoke } from '../../orders/record/bespoke-terms.js';
import { wantedInWords } from '../../orders/record/wanted.js';
import { Copyable, CopyButton, ProductName, Time, whole } from '../../platform/ui/parts.js';
import { orderColumns } from '../lists/order-columns.js';
import { Facts, Section, Table } from '../../platform/ui/table.js';

interface AskedProps extends Pick<OrdersContext, 'zoneInWords'> {
  readonly detail: OrderDetail;
}

/** What an order or an enquiry asks for. */
export function Asked({ detail, zoneInWords }: AskedProps) {
  const product = detail.order.product;
  if (product !== null) return <Terms {...{ detail, product, zoneInWords }} />;
  const { order } = detail;
  const { wanted } = order;
  return (
    <Facts
      of={[
        ['Wanted', wantedInWords(wanted)],
        wanted?.description != null && [
          'In their words',
          <span class="prose">{wanted.description}</span>,
        ],
        ...placeFacts(order, zoneInWords),
        ...referenceFacts(order),
      ]}
    />
  );
}

function placeFacts(order: FollowUpOrder, zoneInWords: AskedProps['zoneInWords']) {
  const { uprn, zone } = order;
  return [
    uprn !== null && (['UPRN', <Copyable text={uprn} label="UPRN" />] as const),
    zone !== null && (['Zone', zoneInWords(zone)] as const),
  ];
}

function referenceFacts({ clientReference, externalReference }: FollowUpOrder) {
  return [
    clientReference !== null &&
      (['Client reference', <Copyable text={clientReference} label="client reference" />] as const),
    externalReference !== null &&
      ([
        'Our order system',
        <Copyable text={externalReference} label="reference in the order system" />,
      ] as const),
  ];
}

/** The ordered product and its terms, beside the current terms. */
function Terms({ detail, product, zoneInWords }: AskedProps & { product: OfferedProduct }) {
  const { order, offerNow } = detail;
  const others = labelledFields().filter(({ isTerm }) => !isTerm);
  // No catalogue has a bespoke product, so there is nothing to compare its terms with.
  const own = isBespoke(product.productCode) ? shownTerms() : [];
  return (
    <>
      <Facts
        of={[
          ['Product', <ProductName of={product} />],
          ...others.map((field) => [field.label, inWords(field, product)] as const),
          ...own.map((field) => [headingOf(field), inWords(field, product)] as const),
          ...placeFacts(order, zoneInWords),
          ...referenceFacts(order),
        ]}
      />
      {isBespoke(product.productCode) ? (
        <BespokeSource enquiryId={order.enquiryId} />
      ) : (
        <ComparedTerms product={product} offerNow={offerNow} />
      )}
    </>
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

function ComparedTerms(props: { product: OfferedProduct; offerNow: OrderDetail['offerNow'] }) {
  const { product, offerNow } = props;
  const same = offerNow !== null && !offerNow.differs;
  return (
    <>
      <Table
        class="terms"
        bare
        caption="Terms as ordered, and current terms"
        rows={shownTerms()}
        columns={[
          { name: <span class="unseen">Term</span>, of: headingOf, heads: true },
          { name: 'As ordered', of: (field) => inWords(field, product), class: 'number' },
          {
            name: 'Quoted now',
            of: (field) => {
              if (!offerNow) return '–';
              const now = inWords(field, offerNow);
              return now === inWords(field, product) ? now : <strong>{now}</strong>;
            },
            class: 'number',
          },
        ]}
      />
      <p class={same ? 'hint' : 'changed'}>
        {same
          ? 'Terms unchanged since the order.'
          : offerNow
            ? changeWords(product, offerNow)
            : 'No longer sold at this postcode.'}
      </p>
    </>
  );
}

/** `The terms have changed since the order. Basis: firm when ordered, today subject to survey.` */
function changeWords(ordered: OfferedProduct, now: AgreedTerms): string {
  const changed = changedTerms(ordered, now);
  const sentences = shownTerms()
    .filter(({ label }) => changed.includes(label))
    .map((field) => {
      const [before, today] = [ordered, now].map((terms) => inWords(field, terms));
      return `${field.label}: ${before} when ordered, today ${today}.`;
    });
  return ['The terms have changed since the order.', ...sentences].join(' ');
}

/** The client's own contact, where the order names another one. */
export function ClientContact({ order }: { order: FollowUpOrder }) {
  const { client, contact } = order;
  if (!namesContact(contact)) return null;
  return (
    <Section id="contact" title="Contact at the client">
      <p class="who">{`${client.contactName}, ${client.name}`}</p>
      <Reach phone={client.contactPhone} email={client.contactEmail} />
    </Section>
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

/** The check that the order cites, with what the client was shown. */
export function CitedCheck({ detail, now }: { detail: OrderDetail; now: Date }) {
  const { check, order } = detail;
  if (order.checkId === null) return null;
  return (
    <Section id="check" title="Availability check">
      <Facts
        of={[
          ['Id', <Copyable text={order.checkId} label="id of the check" />],
          [
            'Checked',
            check ? <Time at={check.checkedAt} now={now} /> : 'This check has been deleted.',
          ],
          check !== null && ['Offer', offeredIn(check, order.product)],
        ]}
      />
    </Section>
  );
}

/** An enquiry asks for no product, and no check offers a bespoke one. */
function offeredIn(
  { offer, productCount, catalogueVersion }: NonNullable<OrderDetail['check']>,
  product: OfferedProduct | null,
): string {
  const count = productCount === 1 ? '1 product' : `${productCount} products`;
  const version = `catalogue version ${catalogueVersion}`;
  if (product === null || isBespoke(product.productCode)) return `${count}, ${version}`;
  const terms = offer ? allOnLine(shownTerms(), offer) : 'The check did not offer this product.';
  return `${terms} (${count}, ${version})`;
}

interface RelatedOrdersProps extends Pick<OrdersContext, 'now' | 'calendar'> {
  readonly id: string;
  /** @param what `orders`, `enquiries` or both, in words */
  readonly title: (what: string) => string;
  readonly orders: readonly FollowUpOrder[];
  /** The address of the full list; without it, all of the orders are shown. */
  readonly all?: string;
  /** How many orders the full list has, if that is known. */
  readonly count?: number;
  readonly show: readonly ('client' | 'postcode')[];
}

const MOST_RELATED = 3;

/** The latest related orders, newest first. */
export function RelatedOrders(props: RelatedOrdersProps) {
  const { id, orders, all, count, show } = props;
  if (orders.length === 0) return null;
  const what = kindsOf(orders);
  const title = props.title(what);
  const { received, reference, client, postcode, ...others } = orderColumns(props);
  return (
    <Section id={id} title={title} class="others">
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
      {all !== undefined && orders.length > MOST_RELATED && (
        <p>
          <a href={all}>{`View all ${count === undefined ? '' : `${whole(count)} `}${what}`}</a>
        </p>
      )}
    </Section>
  );
}

function kindsOf(orders: readonly FollowUpOrder[]): string {
  const kinds = new Set(orders.map(({ kind }) => kind));
  if (kinds.size > 1) return 'orders and enquiries';
  return kinds.has('enquiry') ? 'enquiries' : 'orders';
}
