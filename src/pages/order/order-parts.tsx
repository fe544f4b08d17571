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
import { Copyable, Time } from '../shell/parts.js';
import { briefTime, longTime } from '../shell/times.js';
import { standingOf } from '../shell/words.js';

/** What was ordered, and the terms as quoted beside what would be quoted now. */
export function Terms({ detail }: { detail: OrderDetail }) {
  const { order, offerNow } = detail;
  const { product } = order;
  const same = offerNow !== null && !offerNow.differs;
  return (
    <>
      <dl class="facts">
        <dt>Product</dt>
        <dd>
          {product.name} <code>{product.productCode}</code>
        </dd>
        {labelledFields()
          .filter(({ isTerm }) => !isTerm)
          .map((field) => (
            <>
              <dt>{field.label}</dt>
              <dd>{inWords(field, product)}</dd>
            </>
          ))}
        <dt>Postcode</dt>
        <dd>
          <Copyable text={order.postcode} label="postcode" />
        </dd>
        <dt>Zone</dt>
        <dd>{order.zone}</dd>
        {order.clientReference !== null && (
          <>
            <dt>Their reference</dt>
            <dd>
              <Copyable text={order.clientReference} label="their reference" />
            </dd>
          </>
        )}
        {order.externalReference !== null && (
          <>
            <dt>Our order system</dt>
            <dd>
              <Copyable text={order.externalReference} label="reference in the order system" />
            </dd>
          </>
        )}
      </dl>
      <table class="terms">
        <caption class="unseen">Terms as ordered, and as they would be quoted now</caption>
        <thead>
          <tr>
            <td></td>
            <th scope="col" class="number">
              As ordered
            </th>
            <th scope="col" class="number">
              Quoted now
            </th>
          </tr>
        </thead>
        <tbody>
          {shownTerms().map((field) => (
            <tr>
              <th scope="row">{headingOf(field)}</th>
              <td class="number">{inWords(field, product)}</td>
              <td class="number">
                {offerNow ? (
                  <Compared was={inWords(field, product)} is={inWords(field, offerNow)} />
                ) : (
                  '–'
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
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

/** Whom to ask for, each way to reach them one press away. */
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

function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <button type="button" class="quiet" data-copy={text} aria-label={`Copy ${label}`} hidden>
      Copy
    </button>
  );
}

/** What the client was shown, where the order cites the check. */
export function CitedCheck({ detail, now }: { detail: OrderDetail; now: Date }) {
  const { check, order } = detail;
  if (order.checkId === null) return null;
  return (
    <section aria-labelledby="check">
      <h2 id="check">Check that the order cites</h2>
      <dl class="facts">
        <dt>Id</dt>
        <dd>
          <Copyable text={order.checkId} label="id of the check" />
        </dd>
        {check ? (
          <>
            <dt>Made</dt>
            <dd>
              <Time at={check.checkedAt} now={now} />
            </dd>
            <dt>Shown</dt>
            <dd>
              {check.offer ? termsOnLine(check.offer) : 'This product was not among them.'}
              {` (${check.productCount} products, catalogue version ${check.catalogueVersion})`}
            </dd>
          </>
        ) : (
          <>
            <dt>Made</dt>
            <dd>Its record is no longer kept.</dd>
          </>
        )}
      </dl>
    </section>
  );
}

interface OthersProps {
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
export function Others({ id, title, orders, all, show, now, calendar }: OthersProps) {
  if (orders.length === 0) return null;
  return (
    <section aria-labelledby={id} class="others">
      <h2 id={id}>{title}</h2>
      <table class="queue">
        <caption class="unseen">{title}</caption>
        <thead>
          <tr>
            <th scope="col" class="w-order">
              Order
            </th>
            <th scope="col" class="w-age">
              Received
            </th>
            {show.includes('client') && (
              <th scope="col" class="w-client">
                Client
              </th>
            )}
            {show.includes('postcode') && (
              <th scope="col" class="w-postcode">
                Postcode
              </th>
            )}
            <th scope="col" class="w-product">
              Product
            </th>
            <th scope="col">State and next action</th>
            <th scope="col" class="w-owner">
              Owner
            </th>
          </tr>
        </thead>
        <tbody>
          {orders.map((order) => {
            const { state, next, tone } = standingOf(order, now, calendar);
            return (
              <tr>
                <th scope="row">
                  <a href={`/staff/orders/${order.reference}`}>{order.reference}</a>
                </th>
                <td>
                  <time
                    datetime={order.receivedAt.toISOString()}
                    title={longTime(order.receivedAt)}
                  >
                    {briefTime(order.receivedAt, now)}
                  </time>
                </td>
                {show.includes('client') && <td>{order.client.name}</td>}
                {show.includes('postcode') && <td>{order.postcode}</td>}
                <td>{order.product.name}</td>
                <td class="standing-cell">
                  {state}
                  {next !== '' && <span class={tone || undefined}>{`, ${next}`}</span>}
                </td>
                <td>{order.ownerName ?? <i>Nobody</i>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {all !== undefined && orders.length >= 10 && (
        <p>
          <a href={all}>All of them</a>
        </p>
      )}
    </section>
  );
}
