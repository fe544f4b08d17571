import type { Calendar } from '../../kernel/working-hours.js';
import type { OrderDetail } from '../../follow-up/queue/detail.dto.js';
import type { FollowUpOrder } from '../../follow-up/follow-up.dto.js';
import { moverOf } from '../../follow-up/moves/order-actions.service.js';
import { refusalOf } from '../../orders/moves/order-state.js';
import { stateInfo } from '../../orders/moves/order-states.js';
import { Flash } from '../shell/flash.js';
import type { OrdersContext } from '../shell/orders-context.service.js';
import { Layout } from '../shell/layout.js';
import { type OrderForm, orderForms } from './order-forms.js';
import { CitedCheck, Contact, RelatedOrders, Terms } from './order-parts.js';
import { Notice, Time } from '../shell/parts.js';
import { Section } from '../shell/table.js';
import type { FlashMessage } from '../shell/flash-messages.js';
import { Timeline } from './timeline.js';
import { statusWords } from '../shell/words.js';

export interface OrderPageProps extends OrdersContext {
  readonly detail: OrderDetail;
  readonly viewers: readonly string[];
  readonly said: FlashMessage | null;
}

/** One order: facts and actions first, the timeline below. */
export function OrderPage(props: OrderPageProps) {
  const { viewer, counts, detail, viewers, now, calendar, said } = props;
  const { order } = detail;
  const title = `${order.reference}, ${order.client.name}`;
  return (
    <Layout title={title} viewer={viewer} counts={counts} width="wide">
      <Flash said={said} order={order.reference} />
      <div class="order" data-order={order.reference} data-version={order.version} id="order">
        <Standing order={order} viewers={viewers} now={now} calendar={calendar} />
        <Actions order={order} viewer={viewer} now={now} />
        <Duplicates detail={detail} />
        <div class="columns">
          <div>
            <Section id="terms" title="Ordered">
              <Terms detail={detail} />
            </Section>
            {order.notes !== null && (
              <Section id="notes" title="Notes of the client">
                <p class="prose">{order.notes}</p>
              </Section>
            )}
          </div>
          <div>
            <Section id="contact" title="Contact">
              <Contact order={order} />
            </Section>
            <CitedCheck detail={detail} now={now} />
          </div>
        </div>
        <Section id="timeline" title="Timeline">
          <Timeline entries={detail.timeline} now={now} />
        </Section>
        <RelatedOrders
          id="of-client"
          title={`Other orders of ${order.client.name}`}
          orders={detail.othersOfClient}
          show={['postcode']}
          all={`/staff/queue?view=all&client=${order.client.id}&sort=-received`}
          now={now}
          calendar={calendar}
        />
        <RelatedOrders
          id="at-postcode"
          title={`Orders of other clients at ${order.postcode}`}
          orders={detail.othersAtPostcode.filter(({ client }) => client.id !== order.client.id)}
          show={['client']}
          all={`/staff/queue?view=all&q=${encodeURIComponent(order.postcode)}&sort=-received`}
          now={now}
          calendar={calendar}
        />
      </div>
    </Layout>
  );
}

/** "Sam is viewing"; empty where nobody is. */
export function viewersWords(names: readonly string[]): string {
  if (names.length === 0) return '';
  if (names.length === 1) return `${names[0]} is viewing this.`;
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)} are viewing this.`;
}

interface StandingProps {
  readonly order: FollowUpOrder;
  readonly viewers: readonly string[];
  readonly now: Date;
  readonly calendar: Calendar;
}

function Standing({ order, viewers, now, calendar }: StandingProps) {
  const { state, next, tone } = statusWords(order, now, calendar);
  return (
    <p class="standing">
      <strong>{state}</strong>
      {next !== '' && <span class={tone === '' ? undefined : tone}>{`, ${next}`}</span>}
      {'. '}
      {order.ownerName === null ? 'Nobody has it.' : `${order.ownerName} has it.`}
      {' Received '}
      <Time at={order.receivedAt} now={now} />
      {'. '}
      <span id="viewers" class="viewers" role="status">
        {viewersWords(viewers)}
      </span>
    </p>
  );
}

/**
 * What can be done is a link to its form; what cannot is shown at the same place, greyed. Those at
 * hand are in a row, the others behind "More". Each keeps its place.
 */
function Actions({
  order,
  viewer,
  now,
}: Pick<OrderPageProps, 'viewer' | 'now'> & { order: FollowUpOrder }) {
  const { state, ownerId, closedAt, client } = order;
  const standing = { state, ownerId, closedAt, clientId: client.id };
  const isOpen = ({ move }: OrderForm) =>
    move === null || refusalOf(standing, move, moverOf(viewer), now) === null;
  const primary = orderForms.find((form) => form.usual && isOpen(form));
  const one = (form: OrderForm) => (
    <Action order={order} form={form} open={isOpen(form)} primary={form === primary} />
  );
  return (
    <div class="moves" role="group" aria-label="Actions">
      {orderForms.filter(({ atHand }) => atHand).map(one)}
      <details class="menu more">
        <summary class="button">More</summary>
        <ul>
          {orderForms
            .filter(({ atHand }) => !atHand)
            .map((form) => (
              <li>{one(form)}</li>
            ))}
        </ul>
      </details>
    </div>
  );
}

function Action(props: { order: FollowUpOrder; form: OrderForm; open: boolean; primary: boolean }) {
  const { order, form, open, primary } = props;
  const { label, key, path, fields } = form;
  const words = (
    <>
      {label}
      {key !== undefined && <kbd aria-hidden="true">{key}</kbd>}
    </>
  );
  const look = primary ? 'button primary' : 'button';
  const address = `/staff/orders/${order.reference}/${path}`;
  if (!open) {
    return (
      <button type="button" disabled>
        {words}
      </button>
    );
  }
  if (fields.length === 0) {
    return (
      <form method="post" action={address}>
        <input type="hidden" name="version" value={order.version} />
        <button type="submit" class={look} data-key={key} aria-keyshortcuts={key}>
          {words}
        </button>
      </form>
    );
  }
  return (
    <a class={look} href={address} data-dialog data-key={key} aria-keyshortcuts={key}>
      {words}
    </a>
  );
}

function Duplicates({ detail }: { detail: OrderDetail }) {
  const { possibleDuplicates, order } = detail;
  const others = possibleDuplicates.filter(({ orderId }) => orderId !== order.duplicateOf);
  const original = [...possibleDuplicates, ...detail.othersOfClient].find(
    ({ orderId }) => orderId === order.duplicateOf,
  );
  if (original) {
    return (
      <Notice kind="plain" title="This is a duplicate.">
        <p>
          {'The order that stays is '}
          <a href={`/staff/orders/${original.reference}`}>{original.reference}</a>.
        </p>
      </Notice>
    );
  }
  if (others.length === 0 || order.closedAt !== null) return null;
  return (
    <Notice kind="soon" title="This may be a duplicate.">
      <p>
        {'The same client ordered the same product at the same postcode within 24 hours: '}
        {others.map(({ reference, state }, i) => (
          <>
            {i > 0 && ', '}
            <a href={`/staff/orders/${reference}`}>{reference}</a>
            {` (${stateInfo[state].name.toLowerCase()})`}
          </>
        ))}
        .
      </p>
    </Notice>
  );
}
