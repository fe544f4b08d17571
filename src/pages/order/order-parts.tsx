import {
  headingOf,
  inWords,
  labelledFields,
  shownTerms,
  termsOnLine,
} from '../../catalogue/content/offers.js';
import type { Calendar } from '../../kernel/working-hours.js';
import type { OrderDetail } from '../../follow-up/queue/detail.dto.js';
import type { FollowUpOrder } from '../../follow-up/follow-up.dto.js';
import { Copyable, CopyButton, Time } from '../shell/parts.js';
import { Facts, Section, Table, type TableColumn } from '../shell/table.js';
import { briefTime, longTime } from '../shell/times.js';
import { statusWords } from '../shell/words.js';

/** What was ordered, and the terms as quoted beside what would be quoted now. */
export function Terms({ detail }: { detail: OrderDetail }) {
  const { order, offerNow } = detail;
  const { product, clientReference, externalReference } = order;
  const same = offerNow !== null && !offerNow.differs;
  const others = labelledFields().filter(({ isTerm }) => !isTerm);
  return (
    <>
      <Facts
        of={[
          [
            'Product',
            <>
              {product.name} <code>{product.productCode}</code>
            </>,
          ],
          ...others.map((field) => [field.label, inWords(field, product)] as const),
          ['Postcode', <Copyable text={order.postcode} label="postcode" />],
          ['Zone', order.zone],
          clientReference !== null && [
            'Their reference',
            <Copyable text={clientReference} label="their reference" />,
          ],
          externalReference !== null && [
            'Our order system',
            <Copyable text={externalReference} label="reference in the order system" />,
          ],
        ]}
      />
      <Table
        class="terms"
        bare
        caption="Terms as ordered, and as they would be quoted now"
        rows={shownTerms()}
        columns={[
          { name: <span class="unseen">Term</span>, of: headingOf, heads: true },
          { name: 'As ordered', of: (field) => inWords(field, product), class: 'number' },
          {
            name: 'Quoted now',
            of: (field) =>
              offerNow ? (
                <Compared was={inWords(field, product)} is={inWords(field, offerNow)} />
              ) : (
                '–'
              ),
            class: 'number',
          },
        ]}
      />
      <p class={same ? 'hint' : 'changed'}>
        {same
          ? 'It would be quoted the same now.'
          : offerNow
            ? 'It would be quoted differently now.'
            : 'It is not sold there now.'}
      </p>
    </>
  );
}

function Compared({ was, is }: { was: string; is: string }) {
  return was === is ? is : <strong>{is}</strong>;
}

/** Whom to call or write to, each as a link. */
export function Contact({ order }: { order: FollowUpOrder }) {
  const { client, contact } = order;
  const named = contact.name !== undefined || contact.email !== undefined || contact.phone;
  return (
    <>
      {named && (
        <>
          {contact.name !== undefined && <p class="who">{contact.name}</p>}
          <Reach phone={contact.phone} email={contact.email} />
        </>
      )}
      <p class={named ? 'who at-client' : 'who'}>
        {named ? `${client.name}: ${client.contactName}` : `${client.contactName}, ${client.name}`}
      </p>
      <Reach phone={client.contactPhone} email={client.contactEmail} />
    </>
  );
}

function Reach({ phone, email }: { phone?: string; email?: string }) {
  const number = phone?.replaceAll(/\(0\)/g, '').replaceAll(/[^\d+]/g, '') ?? '';
  return (
    <ul class="bare reach">
      {phone !== undefined && phone !== '' && (
        <li>
          {/\d/.test(number) ? <a href={`tel:${number}`}>{phone}</a> : phone}{' '}
          <CopyButton text={phone} label="telephone number" />
        </li>
      )}
      {email !== undefined && email !== '' && (
        <li>
          <a href={`mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`}>{email}</a>{' '}
          <CopyButton text={email} label="e-mail address" />
        </li>
      )}
    </ul>
  );
}

/** What the client was shown, where the order cites the check. */
export function CitedCheck({ detail, now }: { detail: OrderDetail; now: Date }) {
  const { check, order } = detail;
  if (order.checkId === null) return null;
  return (
    <Section id="check" title="Check that the order cites">
      <Facts
        of={[
          ['Id', <Copyable text={order.checkId} label="id of the check" />],
          [
            'Made',
            check ? <Time at={check.checkedAt} now={now} /> : 'Its record is no longer kept.',
          ],
          check !== null && [
            'Shown',
            <>
              {check.offer ? termsOnLine(check.offer) : 'This product was not among them.'}
              {` (${check.productCount} products, catalogue version ${check.catalogueVersion})`}
            </>,
          ],
        ]}
      />
    </Section>
  );
}

/** The state and the next action of an order, in one line. */
export function OrderStatus(props: { order: FollowUpOrder; now: Date; calendar: Calendar }) {
  const { state, next, tone } = statusWords(props.order, props.now, props.calendar);
  return (
    <>
      {state}
      {next !== '' && ', '}
      {next !== '' && <span class={tone || undefined}>{next}</span>}
    </>
  );
}

/** The columns that every list of orders has. */
export const orderColumns = {
  reference: {
    name: 'Order',
    headClass: 'w-order',
    of: ({ reference }) => <a href={`/staff/orders/${reference}`}>{reference}</a>,
    heads: true,
  },
  client: { name: 'Client', headClass: 'w-client', of: ({ client }) => client.name },
  postcode: { name: 'Postcode', headClass: 'w-postcode', of: ({ postcode }) => postcode },
  product: { name: 'Product', headClass: 'w-product', of: ({ product }) => product.name },
  owner: {
    name: 'Owner',
    headClass: 'w-owner',
    of: ({ ownerName }) => ownerName ?? <i>Nobody</i>,
  },
} satisfies Readonly<Record<string, TableColumn<FollowUpOrder>>>;

interface RelatedOrdersProps {
  readonly id: string;
  readonly title: string;
  readonly orders: readonly FollowUpOrder[];
  /** The address of the whole list, where these may not be all. */
  readonly all?: string;
  readonly show: readonly ('client' | 'postcode')[];
  readonly now: Date;
  readonly calendar: Calendar;
}

/** Up to ten orders that belong together, newest first. */
export function RelatedOrders(props: RelatedOrdersProps) {
  const { id, title, orders, all, show, now, calendar } = props;
  if (orders.length === 0) return null;
  return (
    <Section id={id} title={title} class="others">
      <Table
        class="queue"
        bare
        caption={title}
        rows={orders}
        columns={[
          orderColumns.reference,
          {
            name: 'Received',
            headClass: 'w-age',
            of: ({ receivedAt }) => (
              <time datetime={receivedAt.toISOString()} title={longTime(receivedAt)}>
                {briefTime(receivedAt, now)}
              </time>
            ),
          },
          show.includes('client') && orderColumns.client,
          show.includes('postcode') && orderColumns.postcode,
          orderColumns.product,
          {
            name: 'State and next action',
            of: (order) => <OrderStatus order={order} now={now} calendar={calendar} />,
            class: 'standing-cell',
          },
          orderColumns.owner,
        ]}
      />
      {all !== undefined && orders.length >= 10 && (
        <p>
          <a href={all}>All of them</a>
        </p>
      )}
    </Section>
  );
}
