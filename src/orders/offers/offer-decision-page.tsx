import type { StaffCaller } from '../../platform/access/caller.js';
import { priceInWords } from '../../platform/kernel/money.js';
import type { FollowUpOrder, StaffOffer } from '../staff/follow-up.dto.js';
import { OfferWithdrawal, RecordedAcceptance } from './staff-offers.dto.js';
import { inputForm, type Refusal } from '../../platform/ui/forms/input-form.js';
import { OrderActionPage } from '../staff/order-form-page.js';
import { ProductName } from '../../platform/ui/parts.js';

/** What staff enter about one offer that the client has; also the last segment of the address. */
export type OfferDecision = 'acceptance' | 'withdrawal';

export const acceptanceForm = inputForm(RecordedAcceptance, {
  by: {
    label: 'Accepted by',
    hint: 'The name of the person at the client.',
    missing: 'Enter the name of the person.',
  },
});

export const withdrawalForm = inputForm(OfferWithdrawal, {
  note: { label: 'Note (optional)', hint: 'Only staff see it.', long: true },
});

const decisions = {
  acceptance: {
    title: 'Record acceptance of an offer for',
    effect:
      'Use this when the client has accepted by phone or email. The order is placed at exactly these terms, and the other offers count as declined.',
    look: { form: acceptanceForm, button: 'Place the order' },
  },
  withdrawal: {
    title: 'Withdraw an offer of',
    effect: 'The client can no longer accept it.',
    look: {
      form: withdrawalForm,
      button: 'Withdraw',
      kind: 'danger',
      cancelText: 'Keep offer',
    },
  },
} as const;

export interface OfferOfEnquiry {
  readonly order: FollowUpOrder;
  readonly offer: StaffOffer;
}

const pathOf = (decision: OfferDecision, { offerId }: StaffOffer) => `${decision}?offer=${offerId}`;

/** The name of the draft of its form. */
export function draftOf(decision: OfferDecision, order: FollowUpOrder, offer: StaffOffer): string {
  return `${order.reference}/${pathOf(decision, offer)}`;
}

interface OfferDecisionPageProps {
  readonly decision: OfferDecision;
  readonly viewer: StaffCaller;
  readonly enquiry: FollowUpOrder;
  readonly offer: StaffOffer;
  readonly refusal?: Refusal;
}

/** The form of one decision. */
export function OfferDecisionPage(props: OfferDecisionPageProps) {
  const { decision, viewer, enquiry: order, offer, refusal } = props;
  const { title, effect, look } = decisions[decision];
  const { price, currency, term } = offer.product;
  const path = pathOf(decision, offer);
  return (
    <OrderActionPage {...{ title, viewer, order, path, refusal }} {...look}>
      <p class="intro">
        <ProductName of={offer.product} />
        {`, ${priceInWords(price, currency)} a month for ${term} months. ${effect}`}
      </p>
    </OrderActionPage>
  );
}
