import type { ComponentChildren } from 'preact';
import type { StaffCaller } from '../../platform/access/caller.js';
import { isAtLeast } from '../../platform/access/scopes.js';
import { priceInWords } from '../../platform/kernel/money.js';
import { headingOf, inWords, labelledFields } from '../../catalogue/content/offers.js';
import type { FollowUpOrder, StaffOffer } from '../staff/follow-up.dto.js';
import { moverOf } from '../staff/order-actions.service.js';
import { refusalOf } from '../moves/plan-move.js';
import { isLive, offerStateInfo } from '../record/offer-states.js';
import { wantedInWords } from '../record/wanted.js';
import { ProductName, Time } from '../../platform/ui/parts.js';
import { Facts, Section } from '../../platform/ui/table.js';
import { longTime } from '../../platform/kernel/time-words.js';

/** Why the viewer cannot answer the enquiry now; null where it can be answered. */
export function answerRefusal(
  { kind, state, ownerId, closedAt, client }: FollowUpOrder,
  viewer: StaffCaller,
  now: Date,
): string | null {
  const standing = { kind, state, ownerId, closedAt, clientId: client.id };
  return refusalOf(standing, 'offer', moverOf(viewer), now)?.detail ?? null;
}

interface OffersProps {
  readonly order: FollowUpOrder;
  readonly offers: readonly StaffOffer[];
  readonly viewer: StaffCaller;
  readonly now: Date;
}

/** The offers of an enquiry, newest first. */
export function Offers({ order, offers, viewer, now }: OffersProps) {
  if (order.kind !== 'enquiry') return null;
  const address = `/staff/orders/${order.reference}`;
  const mayChange = order.ownerId === viewer.staffId || isAtLeast(viewer.role, 'manager');
  const hasLive = offers.some(({ state }) => isLive(state));
  const canAnswer = answerRefusal(order, viewer, now) === null;
  return (
    <Section id="offers" title="Offers">
      {offers.length === 0 && <p class="hint">No offers yet.</p>}
      {canAnswer && (
        <p class="actions">
          <a class={hasLive ? 'button' : 'button primary'} href={`${address}/answer`}>
            {hasLive ? 'Replace the offers' : 'Make an offer'}
          </a>
        </p>
      )}
      {offers.toReversed().map((offer) => (
        <article class="bespoke">
          <OfferFacts offer={offer} now={now} />
          <p class="actions">
            {offer.orderId !== null && <a href={`/staff/orders/${offer.orderId}`}>View order</a>}
            {offer.state === 'awaitingApproval' && isAtLeast(viewer.role, 'manager') && (
              <a class="button" href="/staff/approvals">
                View approvals
              </a>
            )}
            {mayChange && offer.state === 'open' && order.state === 'offered' && (
              <a class="button" href={`${address}/acceptance?offer=${offer.offerId}`}>
                Record acceptance
                <span class="unseen">{` of ${offer.product.productCode}`}</span>
              </a>
            )}
            {mayChange && isLive(offer.state) && order.closedAt === null && (
              <a class="button" href={`${address}/withdrawal?offer=${offer.offerId}`}>
                Withdraw
                <span class="unseen">{` ${offer.product.productCode}`}</span>
              </a>
            )}
          </p>
        </article>
      ))}
    </Section>
  );
}

/** What a client pays in all, and why a manager has to approve it. */
export function totalFact({
  product: { currency, term },
  total,
  approvalReason,
}: Pick<StaffOffer, 'product' | 'total' | 'approvalReason'>): readonly [string, ComponentChildren] {
  const sum = priceInWords(total, currency);
  const label = `Total over ${term === 1 ? '1 month' : `${term} months`}`;
  return [label, approvalReason === null ? sum : <strong>{`${sum}, ${approvalReason}`}</strong>];
}

/** What the client wants, and where. */
export function WantedHere({ postcode, wanted }: Pick<FollowUpOrder, 'postcode' | 'wanted'>) {
  return (
    <>
      <p class="intro">{`Wanted at ${postcode}: ${wantedInWords(wanted)}.`}</p>
      {wanted?.description != null && (
        <blockquote class="prose wanted">{wanted.description}</blockquote>
      )}
    </>
  );
}

interface OfferFactsProps {
  readonly offer: StaffOffer;
  readonly now: Date;
}

/** An offer with its state, terms and people. */
export function OfferFacts({ offer, now }: OfferFactsProps) {
  const { product, state, validUntil, note, authorName, approverName, createdAt, endedAt } = offer;
  return (
    <>
      <h3>
        <ProductName of={product} />
      </h3>
      <Facts
        of={[
          [
            'State',
            <>
              <strong>{offerStateInfo[state].name}</strong>
              {endedAt !== null && (
                <>
                  {', '}
                  <Time at={endedAt} now={now} />
                </>
              )}
            </>,
          ],
          ...labelledFields().map((field) => [headingOf(field), inWords(field, product)] as const),
          totalFact(offer),
          ['Valid until', longTime(validUntil)],
          note !== null && ['Note to the client', note],
          [
            'Author',
            <>
              {`${authorName ?? 'The service'}, `}
              <Time at={createdAt} now={now} />
            </>,
          ],
          approverName !== null && ['Decided by', approverName],
        ]}
      />
    </>
  );
}
