import type { StaffCaller } from '../../platform/access/caller.js';
import type { FollowUpOrder, StaffOffer } from '../staff/follow-up.dto.js';
import type { AnswerStart, AwaitedAnswer, OfferMargins } from './staff-offers.service.js';
import type { RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { Fields, isChanged, PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { majorUnits, priceInWords } from '../../platform/kernel/money.js';
import { OrderFormPage, Conflict, OrderActionPage } from '../staff/order-form-page.js';
import { filledIn, type OfferForm, type OfferLineForm } from './offer-form.js';
import { OfferTable, WantedHere } from './offers-view.js';
import { Notice, Empty, ProductName } from '../../platform/ui/parts.js';
import { counted } from '../../platform/kernel/counts.js';
import { AnswerRefusal, OfferWithdrawal, RecordedAcceptance } from './staff-offers.dto.js';
import type { Undoable } from '../../platform/ui/undo-notice.js';
import { inputForm, type Refusal } from '../../platform/ui/forms/input-form.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import { Layout } from '../../platform/ui/layout.js';
import { askerOf } from '../staff/order-words.js';

interface AnswerCheckPageProps {
  readonly viewer: StaffCaller;
  readonly enquiry: FollowUpOrder;
  /** As they would be stored. */
  readonly offers: readonly StaffOffer[];
  readonly margins: OfferMargins;
  readonly listPrices: OfferMargins;
  /** The fields of the form. */
  readonly typed: Readonly<Record<string, string>>;
}

/** Shows an answer with its totals before it is sent. */
export function AnswerCheckPage(props: AnswerCheckPageProps) {
  const { viewer, enquiry, offers, margins, listPrices, typed } = props;
  const { reference } = enquiry;
  const isAwaiting = offers.some(({ approvalReason }) => approvalReason !== null);
  const what = offers.length === 1 ? 'offer' : `${offers.length} offers`;
  return (
    <OrderFormPage title="Check before you send" viewer={viewer} order={enquiry}>
      <WantedHere {...enquiry} />
      {isAwaiting && (
        <Notice kind="soon" title="A manager has to approve this first">
          <p>The client sees nothing until then.</p>
        </Notice>
      )}
      <OfferTable
        label="Offers to send"
        offers={offers}
        margins={margins}
        listPrices={listPrices}
      />
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

interface OfferLinesProps {
  readonly lines: readonly OfferLineForm[];
  readonly refused?: RefusedForm;
  /** Offers up to this number are open. */
  readonly typed: number;
}

/** The first offer, and folded below it the next one, and so on: it needs no script, and keeps what was typed. */
function OfferLines({ lines: [line, ...others], refused, typed }: OfferLinesProps) {
  if (!line) return null;
  const { number, fields, more } = line;
  const [name, ...rest] = fields;
  // The first field has the focus: its offer is what the page is for.
  const focused = number === 1 ? { ...name!, input: { ...name!.input, autofocus: true } } : name!;
  return (
    <>
      <fieldset>
        <legend class={number === 1 ? undefined : 'unseen'}>{`Offer ${number}`}</legend>
        <Fields of={[focused, ...rest]} refused={refused} />
        <details class="further" open={isChanged(more, refused)}>
          <summary>
            More<span class="unseen">{` of offer ${number}`}</span>
          </summary>
          <Fields of={more} refused={refused} />
        </details>
      </fieldset>
      {others.length > 0 && (
        <details class="further next-offer" open={number < typed}>
          <summary>
            <span class="when-closed">Add another offer</span>
            <span class="when-open">{`Offer ${number + 1}`}</span>
          </summary>
          <OfferLines lines={others} refused={refused} typed={typed} />
        </details>
      )}
    </>
  );
}

/** Answers an enquiry with one to five offers. */
export function AnswerPage(props: AnswerPageProps) {
  const { viewer, enquiry, form, start, refused, conflict } = props;
  const { reference, version } = enquiry;
  const address = `/staff/orders/${reference}`;
  const typed = Math.max(start.unseen.length, ...(refused ? filledIn(refused.form) : []));
  return (
    <OrderFormPage
      title={`Make an offer for ${reference}`}
      viewer={viewer}
      order={enquiry}
      refused={refused}
      conflict={conflict}
      advice={<p>Nothing was sent.</p>}
    >
      <WantedHere {...enquiry} />
      <p class="hint">{sourceOf(start, enquiry.postcode)}</p>
      <PostForm
        draft={`${reference}/answer`}
        action={`${address}/answer`}
        hidden={{ version }}
        fields={form.shared}
        refused={refused}
        button="Check before you send"
        kind="primary"
        cancel={address}
      >
        <OfferLines lines={form.lines} refused={refused} typed={typed} />
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

export function OfferDecisionPage(props: OfferDecisionPageProps) {
  const { decision, viewer, enquiry: order, offer, refusal } = props;
  const { title, effect, look } = decisions[decision];
  const { price, currency, term } = offer.product;
  const path = pathOf(decision, offer);
  return (
    <OrderActionPage
      dialog
      title={title}
      viewer={viewer}
      order={order}
      path={path}
      refusal={refusal}
      {...look}
    >
      <p class="intro">
        <ProductName of={offer.product} />
        {`, ${priceInWords(price, currency)} a month for ${counted(term, 'month')}. ${effect}`}
      </p>
    </OrderActionPage>
  );
}

export const refusalForm = inputForm(AnswerRefusal, {
  reason: {
    label: 'Reason',
    hint: 'For the author, in the timeline of the enquiry.',
    long: true,
    missing: 'Enter a reason.',
  },
});

/** The id of the section of an answer. */
export function placeOfAnswer(reference: string, answer: number): string {
  return `${reference}-${answer}`;
}

/** The start of the names of these drafts. */
const DRAFTS = 'approvals#';

export function draftOfRefusal(reference: string, answer: number): string {
  return `${DRAFTS}${placeOfAnswer(reference, answer)}`;
}

interface ApprovalsPageProps {
  readonly viewer: StaffCaller;
  readonly answers: readonly AwaitedAnswer[];
  readonly margins: OfferMargins;
  readonly listPrices: OfferMargins;
  /** The viewer's last move, while it can be undone. */
  readonly undo?: Undoable | null;
  readonly now: Date;
  readonly said?: FlashMessage | null;
  readonly refused?: RefusedForm;
  /** Why the decision was not saved. */
  readonly conflict?: string;
}

/** The answers that wait for a manager, oldest first. */
export function ApprovalsPage(props: ApprovalsPageProps) {
  const { viewer, answers, margins, listPrices, undo, now, said, refused, conflict } = props;
  const reason = refused?.form.text('reason');
  return (
    <Layout title="Approvals" viewer={viewer} here="approvals" said={said} undo={undo}>
      {conflict !== undefined && (
        <Conflict reason={conflict}>{reason && <p>{`You wrote: ${reason}`}</p>}</Conflict>
      )}
      <RefusedSummary refused={refused} />
      <div data-drafts={DRAFTS}>
        {answers.length === 0 ? (
          <Empty title="Nothing waits for approval">
            <p>
              Offers far above or below what one person may offer appear here before the client sees
              them.
            </p>
          </Empty>
        ) : (
          answers.map((answer) => {
            const at = placeOfAnswer(answer.enquiry.reference, answer.answer);
            const refusal = refused?.at === at ? refused : undefined;
            return (
              <Awaited
                answer={answer}
                viewer={viewer}
                now={now}
                margins={margins}
                listPrices={listPrices}
                refused={refusal}
              />
            );
          })
        )}
      </div>
    </Layout>
  );
}

interface AwaitedProps extends Pick<
  ApprovalsPageProps,
  'viewer' | 'now' | 'refused' | 'margins' | 'listPrices'
> {
  readonly answer: AwaitedAnswer;
}

function Awaited(props: AwaitedProps) {
  const { viewer, now, refused, margins, listPrices } = props;
  const { enquiry, answer, offers } = props.answer;
  const { reference } = enquiry;
  const isOwn = offers.some(({ authorId }) => authorId === viewer.staffId);
  const hidden = { reference, answer };
  const at = placeOfAnswer(reference, answer);
  return (
    <section class="approval" aria-labelledby={at}>
      <h2 id={at}>
        <a href={`/staff/orders/${reference}`}>{reference}</a>
        {`, ${askerOf(enquiry)}`}
      </h2>
      <WantedHere {...enquiry} />
      <OfferTable
        label={`Offers for ${reference}`}
        offers={offers}
        now={now}
        margins={margins}
        listPrices={listPrices}
      />
      {isOwn ? (
        <p class="hint">You wrote this answer, so another manager has to decide.</p>
      ) : (
        <>
          <PostForm
            action="/staff/approvals"
            hidden={{ ...hidden, decision: 'approve' }}
            button={
              <button type="submit" class="primary">
                Approve<span class="unseen">{` the offers for ${reference}`}</span>
              </button>
            }
          />
          <details class="further" open={refused !== undefined}>
            <summary>{`Refuse the offers for ${reference}`}</summary>
            <PostForm
              draft={draftOfRefusal(reference, answer)}
              draftTitle={`Refuse the offers for ${reference}`}
              action="/staff/approvals"
              hidden={{ ...hidden, decision: 'refuse' }}
              fields={refusalForm.fields}
              refused={refused}
              at={at}
              button="Refuse"
              kind="danger"
            />
          </details>
        </>
      )}
    </section>
  );
}
