import type { StaffCaller } from '../../access/caller.js';
import type { FollowUpOrder } from '../../follow-up/follow-up.dto.js';
import type { OfferSuggestion } from '../../follow-up/offers/offers.dto.js';
import type { ApprovalLimit } from '../../orders/offers/bespoke-terms.js';
import type { RefusedForm } from '../forms/form-spec.js';
import { Fields, PostForm } from '../forms/form-view.js';
import { OrderFormPage } from '../forms/order-form-page.js';
import { filledIn, type OfferForm } from './offer-form.js';
import { limitInWords, WantedHere } from './offers-view.js';

interface AnswerPageProps {
  readonly viewer: StaffCaller;
  readonly enquiry: FollowUpOrder;
  readonly form: OfferForm;
  readonly suggestion: OfferSuggestion;
  /** Null if no offer needs approval. */
  readonly limit: ApprovalLimit | null;
  readonly refused?: RefusedForm;
  /** Why the answer cannot be sent, or was not. */
  readonly conflict?: string;
}

/** Answers an enquiry with one to five offers. */
export function AnswerPage(props: AnswerPageProps) {
  const { viewer, enquiry, form, suggestion, limit, refused, conflict } = props;
  const { reference, version } = enquiry;
  const address = `/staff/orders/${reference}`;
  const [first, ...others] = form.lines;
  const typed = refused ? filledIn(refused.form) : [];
  return (
    <OrderFormPage
      title={`Answer ${reference}`}
      {...{ viewer, order: enquiry, refused, conflict }}
      advice={<p>Nothing was sent.</p>}
    >
      <WantedHere {...enquiry} />
      <p class="hint">{sourceOf(suggestion, enquiry.wanted?.bandwidth ?? 0)}</p>
      {limit !== null && (
        <p class="hint">
          {`If an offer comes to more than ${limitInWords(limit)} over its term, a manager approves the answer before the client sees it.`}
        </p>
      )}
      <PostForm
        draft={`${reference}/answer`}
        action={`${address}/answer`}
        hidden={{ version }}
        fields={form.shared}
        refused={refused}
        button="Send answer"
        kind="primary"
        cancel={address}
      >
        <fieldset>
          <legend>Offer 1</legend>
          <Fields of={first!.fields} refused={refused} />
        </fieldset>
        {others.map(({ number, fields }) => (
          <details class="further" open={typed.includes(number)}>
            <summary>{`Offer ${number} (optional)`}</summary>
            <fieldset>
              <legend class="unseen">{`Offer ${number}`}</legend>
              <Fields of={fields} refused={refused} />
            </fieldset>
          </details>
        ))}
      </PostForm>
    </OrderFormPage>
  );
}

/** Where the values of the first offer come from. @param wanted Gbit/s */
function sourceOf({ product, place, metres, zone }: OfferSuggestion, wanted: number): string {
  if (product === null) return 'Nothing is sold in this postcode area, so the form starts empty.';
  const sold = `${product.productCode} of the zone ${zone ?? ''}`;
  const less =
    product.bandwidthProvisioned < wanted ? ' Its bandwidth is less than what is wanted.' : '';
  if (metres === 0) return `The form starts from ${sold}, which is sold at ${place ?? ''}.${less}`;
  const far = metres === null ? '' : `, ${(metres / 1_000).toFixed(1)} km away`;
  return `The form starts from ${sold}: the nearest sector of this area where something is sold is ${place ?? ''}${far}.${less}`;
}
