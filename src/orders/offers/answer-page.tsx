import type { StaffCaller } from '../../platform/access/caller.js';
import type { FollowUpOrder, StaffOffer } from '../staff/follow-up.dto.js';
import type { AnswerStart, OfferMargins } from './staff-offers.service.js';
import type { RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { Fields, PostForm } from '../../platform/ui/forms/form-view.js';
import { majorUnits, priceInWords } from '../../platform/kernel/money.js';
import { OrderFormPage } from '../staff/order-form-page.js';
import { filledIn, type OfferForm } from './offer-form.js';
import { OfferTable, WantedHere } from './offers-view.js';
import { Notice } from '../../platform/ui/parts.js';
import { counted } from '../../platform/kernel/counts.js';

interface AnswerCheckPageProps {
  readonly viewer: StaffCaller;
  readonly enquiry: FollowUpOrder;
  /** As they would be stored. */
  readonly offers: readonly StaffOffer[];
  readonly margins: OfferMargins;
  /** The fields of the form. */
  readonly typed: Readonly<Record<string, string>>;
}

/** Shows an answer with its totals before it is sent. */
export function AnswerCheckPage(props: AnswerCheckPageProps) {
  const { viewer, enquiry, offers, margins, typed } = props;
  const { reference } = enquiry;
  const isAwaiting = offers.some(({ approvalReason }) => approvalReason !== null);
  const what = offers.length === 1 ? 'offer' : `${offers.length} offers`;
  return (
    <OrderFormPage title="Check before you send" {...{ viewer, order: enquiry }}>
      <WantedHere {...enquiry} />
      {isAwaiting && (
        <Notice kind="soon" title="A manager has to approve this first">
          <p>The client sees nothing until then.</p>
        </Notice>
      )}
      <OfferTable label="Offers to send" {...{ offers, margins }} />
      <PostForm
        action={`/staff/orders/${reference}/answer`}
        hidden={{ ...typed, checked: 'yes' }}
        button={
          <p class="actions">
            <button type="submit" class="primary" autofocus>
              {isAwaiting ? 'Send for approval' : `Send ${what}`}
            </button>
            <button type="submit" name="change" value="yes">
              Change
            </button>
          </p>
        }
      />
    </OrderFormPage>
  );
}

interface AnswerPageProps {
  readonly viewer: StaffCaller;
  readonly enquiry: FollowUpOrder;
  readonly form: OfferForm;
  readonly start: AnswerStart;
  readonly refused?: RefusedForm;
  /** Why the answer cannot be sent, or was not. */
  readonly conflict?: string;
}

/** Answers an enquiry with one to five offers. */
export function AnswerPage(props: AnswerPageProps) {
  const { viewer, enquiry, form, start, refused, conflict } = props;
  const { reference, version } = enquiry;
  const address = `/staff/orders/${reference}`;
  const [currency, ...last] = form.shared;
  const [first, ...others] = form.lines;
  const typed = refused ? filledIn(refused.form) : [];
  return (
    <OrderFormPage
      title={`Make an offer for ${reference}`}
      {...{ viewer, order: enquiry, refused, conflict }}
      advice={<p>Nothing was sent.</p>}
    >
      <WantedHere {...enquiry} />
      <p class="hint">{sourceOf(start, enquiry.postcode)}</p>
      <PostForm
        draft={`${reference}/answer`}
        action={`${address}/answer`}
        hidden={{ version }}
        fields={last}
        refused={refused}
        button="Check before you send"
        kind="primary"
        cancel={address}
      >
        <Fields of={[currency!]} refused={refused} />
        <fieldset>
          <legend>Offer 1</legend>
          <Fields of={first!.fields} refused={refused} />
        </fieldset>
        {others.map(({ number, fields }) => (
          <details class="further" open={typed.includes(number) || number <= start.unseen.length}>
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

/** Where the values of the form come from. */
function sourceOf({ unseen, sold, wanted, band }: AnswerStart, postcode: string): string {
  const build = band && sold === null ? ` ${bandInWords(band)}` : '';
  if (unseen.length > 0) return 'Filled in from your last offers, which the client has not seen.';
  if (sold !== null) {
    return `Filled in from the catalogue: ${sold.name}, ${counted(sold.term, 'month')} (${sold.productCode}) at ${postcode}.`;
  }
  return wanted.bandwidth === null
    ? `The client named no bandwidth: enter the offer.${build}`
    : `The catalogue has no price for this at ${postcode}: enter the price.${build}`;
}

/** What the band adds to any product. */
function bandInWords({ addSetup, addLeadTimeDays }: NonNullable<AnswerStart['band']>): string {
  const setup =
    addSetup === null
      ? 'a set-up price that is not stated'
      : `${priceInWords(majorUnits(addSetup, 'GBP'), 'GBP')} to the set-up price`;
  return `By its distance, building adds ${setup}, and ${addLeadTimeDays} days to the lead time.`;
}
