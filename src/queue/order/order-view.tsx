import type { OrderDetail } from '../../orders/staff/detail.dto.js';
import type { Neighbours } from '../../orders/staff/order-detail.service.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { inWordsOf } from '../../orders/moves/move-words.js';
import type { StaffMove } from '../../orders/moves/move-contents.js';
import { isUnread, moveRules } from '../../orders/moves/move-rules.js';
import { stateInfo } from '../../orders/record/order-states.js';
import type { OrdersContext } from '../../orders/staff/orders-context.service.js';
import { Layout } from '../../platform/ui/layout.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { Conflict } from '../../orders/staff/order-form-page.js';
import type { RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { CallPanel } from './call-panel.js';
import { Charges, mayCharge } from '../../orders/charges/charges-view.js';
import { Delivery, DeliveryAlerts } from '../../orders/delivery/delivery-view.js';
import { formAt, type OrderForm, orderForms, refusalFor } from './order-forms.js';
import { answerRefusal, Offers } from '../../orders/offers/offers-view.js';
import type { OfferMargins } from '../../orders/offers/staff-offers.service.js';
import { isLive } from '../../orders/record/offer-states.js';
import { NearMap } from '../../near-net/near-map.js';
import { OrderHead } from './order-head.js';
import { Asked, RelatedOrders } from './order-parts.js';
import { KindMark, StateMark } from '../../orders/staff/state-marks.js';
import { Notice, Time } from '../../platform/ui/parts.js';
import { Section } from '../../platform/ui/table.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import { isAtLeast } from '../../platform/access/scopes.js';
import { LongText, Timeline } from './timeline.js';
import { actionWords, askerOf, commentOf, statusWords } from '../../orders/staff/order-words.js';
import { upperFirst } from '../../platform/kernel/text.js';

export interface OrderPageProps extends OrdersContext {
  readonly detail: OrderDetail;
  readonly neighbours: Neighbours;
  readonly viewers: readonly string[];
  readonly margins: OfferMargins;
  readonly said: FlashMessage | null;
  /** The order that "Take next" would give, where the viewer is done with this one. */
  readonly next?: FollowUpOrder | null;
  /** The call panel as it was sent, with its faults. */
  readonly refused?: RefusedForm;
  /** Why what was sent was not saved. */
  readonly conflict?: string;
}

/** One order: facts first; then actions and call panel, with the timeline beside them on a wide screen. */
export function OrderPage(props: OrderPageProps) {
  const { viewer, detail, neighbours, now, calendar, said, refused, conflict } = props;
  const { order } = detail;
  const title = `${order.reference}, ${askerOf(order)}`;
  return (
    <Layout
      title={title}
      viewer={viewer}
      help="one-order"
      width="wide"
      said={said}
      saidOf={order.reference}
      undo={props.undo}
    >
      <div class="order" data-order={order.reference} data-version={order.version} id="order">
        <NextOrder {...props} />
        {conflict !== undefined && (
          <Conflict reason={conflict}>
            <p>Nothing was saved. What you typed is still here: check it, and save it again.</p>
          </Conflict>
        )}
        <RefusedSummary refused={refused} focusesField />
        <Unread {...props} />
        <Standing {...props} />
        <DeliveryAlerts
          order={order}
          viewer={viewer}
          now={now}
          reason={cancellationReason(detail)}
        />
        <OrderHead {...props} />
        <Duplicates detail={detail} />
        <div class="work">
          <div>
            <Actions {...props} />
            <Delivery order={order} viewer={viewer} now={now} />
            <CallPanel
              order={order}
              viewer={viewer}
              now={now}
              calendar={calendar}
              refused={refused}
            />
            <Offers
              order={order}
              offers={detail.offers}
              margins={props.margins}
              viewer={viewer}
              now={now}
              aloneUpTo={props.aloneUpTo}
            />
            <Charges detail={detail} viewer={viewer} now={now} aloneUpTo={props.aloneUpTo} />
            <Asked detail={detail} now={now} />
            {order.kind === 'enquiry' && (
              <NearMap place={order.postcode} around={props.pointsAround(order)} />
            )}
          </div>
          <Section id="timeline" title="Timeline">
            <Timeline entries={detail.timeline} now={now} />
            {isAtLeast(viewer.role, 'manager') && (
              <p class="actions">
                <a href={`/staff/audit?id=${order.reference}`}>Audit trail</a>
              </p>
            )}
          </Section>
        </div>
        <RelatedOrders
          id="of-client"
          title={(what) => `Other ${what} of ${order.client.name}`}
          orders={detail.othersOfClient}
          show={['postcode']}
          all={`/staff/queue?view=all&client=${order.client.id}&sort=-received`}
          count={detail.ordersOfClient - 1}
          now={now}
          calendar={calendar}
        />
        <RelatedOrders
          id="at-postcode"
          title={(what) => upperFirst(`${what} of other clients at ${order.postcode}`)}
          orders={neighbours.orders}
          show={['client']}
          all={`/staff/queue?view=all&q=${encodeURIComponent(order.postcode)}&sort=-received`}
          count={neighbours.count}
          now={now}
          calendar={calendar}
        />
      </div>
    </Layout>
  );
}

/** What the client wrote or amended and no one has settled, with the two ways to settle it. */
function Unread(props: OrderPageProps) {
  const { order, timeline } = props.detail;
  const { nextActionAt: since } = order;
  if (!isUnread(order) || since === null) return null;
  const messages = timeline.filter(
    ({ action, at }) =>
      (action === 'message_received' || action === 'amended') && at.getTime() >= since.getTime(),
  );
  const possible = settling.filter((form) => refusalFor(form, order, props) === null);
  return (
    <Notice
      kind="soon"
      title={upperFirst(`${statusWords(order, props.now, props.calendar).next}.`)}
    >
      {messages.map((entry) => (
        <LongText text={commentOf(entry) || upperFirst(actionWords(entry))} />
      ))}
      <div class="moves">
        {possible.map((form, i) => (
          <Action order={order} form={form} primary={i === 0} />
        ))}
      </div>
    </Notice>
  );
}

const settling = (['reply', 'settle'] as const).map((move) => formAt(moveRules[move].path));

/** Why the client asks to cancel, in its last request. */
function cancellationReason({ timeline }: OrderDetail): string | null {
  const request = timeline.findLast(({ action }) => action === 'cancellation_requested');
  const note = request?.details.note;
  return typeof note === 'string' ? note : null;
}

/** After a move that ends the work on this order for now: what comes next. */
function NextOrder({ next, now, calendar }: OrderPageProps) {
  if (!next) return null;
  const { next: due } = statusWords(next, now, calendar);
  return (
    <p class="next-order">
      {'Next: '}
      <a href={`/staff/orders/${next.reference}`}>{next.reference}</a>
      {`, ${askerOf(next)}${due && `, ${due}`} `}
      <kbd aria-hidden="true">n</kbd>
    </p>
  );
}

function Standing({ detail, viewers, now, calendar }: OrderPageProps) {
  const { order } = detail;
  const { next, tone } = statusWords(order, now, calendar);
  return (
    <p class="standing">
      <strong>
        {order.kind === 'enquiry' && <KindMark />} <StateMark state={order.state} />
      </strong>
      {next !== '' && (
        <span class={tone || undefined}>
          {order.state === 'scheduled' ? `: ${next}` : `, ${next}`}
        </span>
      )}
      {order.ownerName === null ? '. Unassigned.' : `. Owner: ${order.ownerName}.`}
      {' Received '}
      <Time at={order.receivedAt} now={now} />
      {'. '}
      <span id="viewers" class="viewers" role="status">
        {viewers.length > 0 &&
          `${names.format(viewers)} ${viewers.length > 1 ? 'are' : 'is'} viewing this.`}
      </span>
    </p>
  );
}

const names = new Intl.ListFormat('en-GB');

/** What the call panel does instead of their forms; null is the note. */
const inPanel: ReadonlySet<StaffMove | null> = new Set([
  'logContact',
  'schedule',
  'win',
  'lose',
  null,
] as const);

/** The moves that are possible now. Those at hand are buttons with keys; "More" has the others. */
function Actions(props: OrderPageProps) {
  const { detail, viewer, now } = props;
  const { order } = detail;
  const isOpen = (form: OrderForm) => refusalFor(form, order, props) === null;
  const primary = orderForms.find((form) => form.usual && isOpen(form));
  const isAbove = (form: OrderForm) => isUnread(order) && settling.includes(form);
  const actionOf = (form: OrderForm) => (
    <Action order={order} form={form} primary={form === primary} />
  );
  const address = `/staff/orders/${order.reference}`;
  const others = orderForms.filter(
    (form) => !form.atHand && !inPanel.has(form.move) && isOpen(form),
  );
  const charges = mayCharge(order, viewer);
  const amends = mayAmend(order);
  return (
    <div class="moves" role="group" aria-label="Actions">
      {orderForms.filter((form) => form.atHand && !isAbove(form) && isOpen(form)).map(actionOf)}
      {answerRefusal(order, viewer, now) === null && (
        <a class="button" href={`${address}/answer`} data-key="o" aria-keyshortcuts="o">
          {detail.offers.some(({ state }) => isLive(state)) ? 'Send new offers' : 'Make an offer'}
          <kbd aria-hidden="true">o</kbd>
        </a>
      )}
      {(charges || amends || others.length > 0) && (
        <details class="menu more">
          <summary class="button">More</summary>
          <ul>
            {charges && (
              <li>
                <a
                  class="button"
                  href={`${address}/charge`}
                  data-key="m"
                  aria-keyshortcuts="m"
                  data-dialog
                >
                  Propose charge
                  <kbd aria-hidden="true">m</kbd>
                </a>
              </li>
            )}
            {amends && (
              <li>
                <a class="button" href={`${address}/amendment`} data-dialog>
                  Amend
                </a>
              </li>
            )}
            {others.map((form) => (
              <li class={form.move === 'cancel' ? 'apart' : undefined}>{actionOf(form)}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Whether the client or staff may still change what the order says. */
function mayAmend({ closedAt, state, delivery }: FollowUpOrder): boolean {
  if (closedAt === null) return true;
  const isInstalled = delivery?.milestones.some(
    ({ code, doneOn }) => (code === 'installed' || code === 'live') && doneOn !== null,
  );
  return state === 'won' && isInstalled === false;
}

function Action(props: { order: FollowUpOrder; form: OrderForm; primary: boolean }) {
  const { order, form, primary } = props;
  const { label, path, isDirect } = form;
  const key = form.atHand ? form.key : undefined;
  const words = (
    <>
      {inWordsOf(order.kind, label)}
      {key !== undefined && <kbd aria-hidden="true">{key}</kbd>}
    </>
  );
  const address = `/staff/orders/${order.reference}/${path}`;
  const about = {
    class: primary ? 'button primary' : 'button',
    'data-key': key,
    'aria-keyshortcuts': key,
  };
  if (isDirect) {
    const button = (
      <button type="submit" {...about}>
        {words}
      </button>
    );
    return <PostForm action={address} hidden={{ version: order.version }} button={button} />;
  }
  return (
    <a {...about} href={address} data-dialog>
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
          {`The original ${order.kind} is `}
          <a href={`/staff/orders/${original.reference}`}>{original.reference}</a>.
        </p>
      </Notice>
    );
  }
  if (others.length === 0 || order.closedAt !== null) return null;
  return (
    <Notice kind="soon" title="This may be a duplicate.">
      <p>
        {order.kind === 'order'
          ? 'The same client ordered the same product at the same postcode within 24 hours: '
          : 'The same client sent an enquiry for the same postcode within 24 hours: '}
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
