import type { StaffCaller } from '../../platform/access/caller.js';
import { priceInWords } from '../../platform/kernel/money.js';
import type { FollowUpOrder, StaffCharge } from '../staff/follow-up.dto.js';
import type { OrderDetail } from '../staff/detail.dto.js';
import { isTheirs } from '../staff/order-actions.service.js';
import { chargeCategoryNames, chargeStateInfo } from '../record/charge-states.js';
import { ACCEPTED_BY_ANOTHER, type AloneLimit } from '../moves/move-faults.js';
import { lowerFirst } from '../../platform/kernel/text.js';
import { stateInfo } from '../record/order-states.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { TimeElement } from '../../platform/ui/parts.js';
import { shortTime } from '../../platform/kernel/time-words.js';
import { needsColleague } from './charge-forms.js';
import { Section } from '../../platform/ui/table.js';

interface ChargesProps {
  readonly detail: OrderDetail;
  readonly viewer: StaffCaller;
  readonly now: Date;
  /** Up to which amount one person may propose a charge and record its acceptance. */
  readonly aloneUpTo: AloneLimit | null;
}

/** Whether the viewer may propose charges on the order, as it is now. */
export function mayCharge(order: FollowUpOrder, viewer: StaffCaller): boolean {
  const takesCharges = stateInfo[order.state].owned || isInDelivery(order);
  return isTheirs(order, viewer) && takesCharges && canHaveCharges(order);
}

/** Accepted, and not live yet. */
function isInDelivery({ state, delivery }: FollowUpOrder): boolean {
  return state === 'won' && delivery !== null && delivery.liveOn === null;
}

/** A firm price excludes charges, unless the client wants it sooner; an enquiry has no price. */
function canHaveCharges(order: FollowUpOrder): boolean {
  return order.product !== null && (order.product.extraChargesPossible || order.expedite);
}

/** For the head of the order: what the client has to answer, and since when; null for nothing. */
export function OpenCharges({
  detail: { charges, order },
  now,
}: Pick<ChargesProps, 'detail' | 'now'>) {
  const open = charges.filter(({ state }) => state === 'awaitingResponse');
  const [oldest] = open;
  const { product } = order;
  if (!oldest || !product) return null;
  return (
    <a href={`/staff/orders/${order.reference}#charges`} class="soon">
      {`${priceInWords(order.chargesAwaiting, product.currency)} awaiting an answer since `}
      <TimeElement at={oldest.proposedAt}>{shortTime(oldest.proposedAt, now)}</TimeElement>
    </a>
  );
}

/** The charges of an order, newest first, and what staff can do with them. */
export function Charges({ detail, viewer, now, aloneUpTo }: ChargesProps) {
  const { order, charges } = detail;
  const { acceptExtraUpTo, chargesAccepted, product } = order;
  if (!product || (charges.length === 0 && acceptExtraUpTo === null)) return null;
  const money = (amount: number) => priceInWords(amount, product.currency);
  const isOpen = charges.some(({ state }) => state === 'awaitingResponse');
  return (
    <Section id="charges" title="Extra charges">
      {acceptExtraUpTo !== null && (
        <p>{`The client accepts charges in advance up to ${money(acceptExtraUpTo)}, of which ${money(chargesAccepted)} is used.`}</p>
      )}
      <ul class="bare charges">
        {charges.toReversed().map((charge) => (
          <li>
            <p>
              <strong>{money(charge.amount)}</strong>
              {` ${chargeCategoryNames[charge.category]}. `}
              <Status charge={charge} now={now} />
            </p>
            {charge.note !== null && <blockquote class="prose">{charge.note}</blockquote>}
            {charge.state === 'awaitingResponse' &&
              needsColleague(charge, viewer, order, aloneUpTo) && (
                <p class="hint">{ACCEPTED_BY_ANOTHER}</p>
              )}
            {charge.state === 'awaitingResponse' && (
              <ChargeActions
                charge={charge}
                order={order}
                viewer={viewer}
                aloneUpTo={aloneUpTo}
                label={money(charge.amount)}
              />
            )}
          </li>
        ))}
      </ul>
      {isOpen && order.closedAt === null && (
        <p class="hint">
          An order with a charge that awaits an answer cannot be won. If you close it in another
          way, the charge is withdrawn.
        </p>
      )}
    </Section>
  );
}

function Status({ charge, now }: { charge: StaffCharge; now: Date }) {
  const { state, dueAt, proposedAt, endedAt, answeredBy } = charge;
  const { name } = chargeStateInfo[state];
  if (endedAt === null) {
    return (
      <span class="soon">
        {`${name} since `}
        <TimeElement at={proposedAt}>{shortTime(proposedAt, now)}</TimeElement>
        {', due '}
        <TimeElement at={dueAt}>{shortTime(dueAt, now)}</TimeElement>.
      </span>
    );
  }
  return (
    <>
      {`${name}${answeredBy === null ? '' : ` by ${answeredBy}`}, `}
      <TimeElement at={endedAt}>{shortTime(endedAt, now)}</TimeElement>.
    </>
  );
}

interface ActionsProps extends Pick<ChargesProps, 'viewer' | 'aloneUpTo'> {
  readonly charge: StaffCharge;
  readonly order: FollowUpOrder;
  /** The amount: tells the buttons of several charges apart. */
  readonly label: string;
}

function ChargeActions({ charge, order, viewer, aloneUpTo, label }: ActionsProps) {
  const address = `/staff/orders/${order.reference}/charges/${charge.chargeId}`;
  const answer = needsColleague(charge, viewer, order, aloneUpTo)
    ? 'Record rejection'
    : 'Record answer';
  const about = `${lowerFirst(chargeCategoryNames[charge.category])}, ${label}`;
  return (
    <div class="actions">
      <a class="button" href={`${address}/answer`} aria-label={`${answer}: ${about}`} data-dialog>
        {answer}
      </a>
      {/* Also where no further ones can be proposed. */}
      {isTheirs(order, viewer) && (
        <PostForm
          action={`${address}/withdraw`}
          button={
            <button type="submit" aria-label={`Withdraw: ${about}`}>
              Withdraw
            </button>
          }
        />
      )}
    </div>
  );
}
