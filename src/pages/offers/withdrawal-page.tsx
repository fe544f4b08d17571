import type { StaffCaller } from '../../access/caller.js';
import type { FollowUpOrder } from '../../follow-up/follow-up.dto.js';
import type { StaffOffer } from '../../follow-up/offers/offers.dto.js';
import { offerStateInfo } from '../../orders/offers/offer-states.js';
import type { FormField, RefusedForm } from '../forms/form-spec.js';
import { PostForm } from '../forms/form-view.js';
import { OrderFormPage } from '../forms/order-form-page.js';
import { ProductName } from '../shell/parts.js';

export const withdrawalFields: readonly FormField[] = [
  { name: 'note', kind: 'long', label: 'Note (optional)', hint: 'Only staff see it.', most: 500 },
];

interface WithdrawalPageProps {
  readonly viewer: StaffCaller;
  readonly enquiry: FollowUpOrder;
  readonly offer: StaffOffer;
  readonly refused?: RefusedForm;
  /** Why it was not withdrawn. */
  readonly conflict?: string;
}

/** Withdraws one offer. */
export function WithdrawalPage(props: WithdrawalPageProps) {
  const { viewer, enquiry, offer, refused, conflict } = props;
  const { reference } = enquiry;
  const address = `/staff/orders/${reference}`;
  return (
    <OrderFormPage
      title={`Withdraw an offer of ${reference}`}
      {...{ viewer, order: enquiry, refused, conflict }}
    >
      <p class="intro">
        <ProductName of={offer.product} />
        {`: ${offerStateInfo[offer.state].name.toLowerCase()}. `}
        The client can no longer accept it.
      </p>
      <PostForm
        draft={`${reference}/withdrawal?offer=${offer.offerId}`}
        action={`${address}/withdrawal?offer=${offer.offerId}`}
        fields={withdrawalFields}
        refused={refused}
        button="Withdraw"
        kind="danger"
        cancel={address}
        cancelText="Keep offer"
      />
    </OrderFormPage>
  );
}
