import type { StaffCaller } from '../../platform/access/caller.js';
import { priceInWords } from '../../platform/kernel/money.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { StaffOffer } from './offers.dto.js';
import { offerStateInfo } from '../../orders/record/offer-states.js';
import type { FormField, RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { OrderFormPage } from '../../orders/staff/order-form-page.js';
import { ProductName } from '../../platform/ui/parts.js';

/** What staff enter about one offer that the client has; also the last segment of the address. */
export type OfferDecision = 'acceptance' | 'withdrawal';

interface DecisionWords {
  /** Before the reference of the enquiry. */
  readonly title: string;
  readonly effect: string;
  readonly fields: readonly FormField[];
  readonly button: string;
  readonly kind: 'primary' | 'danger';
  readonly cancelText?: string;
}

export const offerDecisionWords: Readonly<Record<OfferDecision, DecisionWords>> = {
  acceptance: {
    title: 'Record an acceptance of',
    effect:
      'Use this when the client has accepted by phone or email. The order is placed at exactly these terms, and the other offers count as declined.',
    fields: [
      {
        name: 'by',
        label: 'Accepted by',
        hint: 'The person who told you.',
        most: 120,
        missing: 'Enter the name of the person.',
      },
    ],
    button: 'Place the order',
    kind: 'primary',
  },
  withdrawal: {
    title: 'Withdraw an offer of',
    effect: 'The client can no longer accept it.',
    fields: [
      {
        name: 'note',
        kind: 'long',
        label: 'Note (optional)',
        hint: 'Only staff see it.',
        most: 500,
      },
    ],
    button: 'Withdraw',
    kind: 'danger',
    cancelText: 'Keep offer',
  },
};

interface OfferDecisionPageProps {
  readonly decision: OfferDecision;
  readonly viewer: StaffCaller;
  readonly enquiry: FollowUpOrder;
  readonly offer: StaffOffer;
  readonly refused?: RefusedForm;
  /** Why it was not done. */
  readonly conflict?: string;
}

/** The form of one decision. */
export function OfferDecisionPage(props: OfferDecisionPageProps) {
  const { decision, viewer, enquiry, offer, refused, conflict } = props;
  const { title, effect, fields, button, kind, cancelText } = offerDecisionWords[decision];
  const { reference } = enquiry;
  const { price, currency, term } = offer.product;
  const address = `/staff/orders/${reference}`;
  return (
    <OrderFormPage
      title={`${title} ${reference}`}
      {...{ viewer, order: enquiry, refused, conflict }}
    >
      <p class="intro">
        <ProductName of={offer.product} />
        {`, ${priceInWords(price, currency)} a month for ${term} months: ${offerStateInfo[offer.state].name.toLowerCase()}. ${effect}`}
      </p>
      <PostForm
        draft={`${reference}/${decision}?offer=${offer.offerId}`}
        action={`${address}/${decision}?offer=${offer.offerId}`}
        cancel={address}
        {...{ fields, refused, button, kind, cancelText }}
      />
    </OrderFormPage>
  );
}
