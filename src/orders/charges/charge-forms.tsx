import type { StaffCaller } from '../../platform/access/caller.js';
import { priceInWords } from '../../platform/kernel/money.js';
import { chargeCategoryNames, proposedCategoryNames } from '../record/charge-states.js';
import { ACCEPTED_BY_ANOTHER, type AloneLimit, mayBindAlone } from '../moves/move-faults.js';
import type { FollowUpOrder, StaffCharge } from '../staff/follow-up.dto.js';
import { OrderActionPage } from '../staff/order-form-page.js';
import type { ProductOffer } from '../../availability/availability.dto.js';
import { type InputForm, inputForm, type Refusal } from '../../platform/ui/forms/input-form.js';
import { toLocalInput } from '../../platform/kernel/time-words.js';
import { ChargeProposalBody, HeardAnswer } from './staff-charges.dto.js';

/** An order; enquiries have no charges. */
export type ChargeableOrder = FollowUpOrder & { readonly product: ProductOffer };

interface ChargePageProps {
  readonly viewer: StaffCaller;
  readonly order: ChargeableOrder;
  readonly refusal?: Partial<Refusal>;
}

/** @param dueAt the usual due date */
export function proposalForm({ product }: ChargeableOrder, dueAt: Date) {
  return inputForm(ChargeProposalBody, {
    category: { label: 'Category', names: proposedCategoryNames, missing: 'Choose a category.' },
    amount: {
      label: `Amount (${product.currency})`,
      hint: 'One-off, excluding VAT.',
      missing: 'Enter an amount.',
    },
    note: {
      label: 'Note for the client',
      hint: 'What the charge is for. The client reads it.',
      long: true,
      missing: 'Say what the charge is for.',
    },
    dueAt: {
      label: 'Answer by',
      hint: 'London time. Without an answer by then, the charge lapses.',
      first: toLocalInput(dueAt),
    },
  });
}

/** Whether only a colleague of the viewer can record that the client accepts the charge. */
export function needsColleague(
  { proposerId: authorId, amount }: StaffCharge,
  { staffId }: StaffCaller,
  { product }: Pick<FollowUpOrder, 'product'>,
  limit: AloneLimit | null,
): boolean {
  return !mayBindAlone({ authorId, amount, currency: product?.currency ?? '' }, staffId, limit);
}

/** @param isOwn see `needsColleague`: only a rejection */
export function answerForm(isOwn: boolean): InputForm<HeardAnswer> {
  const by = { label: 'Answered by', missing: 'Enter the name of the person.' };
  if (isOwn) return inputForm(HeardAnswer, { by });
  const names = { yes: 'Accepts the charge', no: 'Rejects the charge' };
  return inputForm(HeardAnswer, {
    accept: { label: 'Answer', names, missing: 'Choose the answer.' },
    by,
  });
}

export function ProposalPage(
  props: ChargePageProps & { readonly form: InputForm<ChargeProposalBody> },
) {
  const { acceptExtraUpTo, product, version } = props.order;
  return (
    <OrderActionPage
      {...props}
      title="Propose an extra charge:"
      path="charge"
      dialog
      hidden={{ version }}
      button="Propose charge"
    >
      {acceptExtraUpTo !== null && (
        <p class="intro">
          {`The client accepts charges in advance up to ${priceInWords(acceptExtraUpTo, product.currency)} in all.`}
        </p>
      )}
    </OrderActionPage>
  );
}

export function AnswerPage(
  props: ChargePageProps & { readonly charge: StaffCharge; readonly isOwn: boolean },
) {
  const { order, charge, isOwn } = props;
  const amount = priceInWords(charge.amount, order.product.currency);
  return (
    <OrderActionPage
      {...props}
      title={`Record ${isOwn ? 'a rejection' : 'the answer'}:`}
      path={`charges/${charge.chargeId}/answer`}
      dialog
      {...(isOwn && { hidden: { accept: 'no' } })}
      {...(charge.state === 'awaitingResponse' && { form: answerForm(isOwn) })}
      button={isOwn ? 'Record rejection' : 'Record answer'}
    >
      <p class="intro">{`${chargeCategoryNames[charge.category]}, ${amount}. The client sees the answer.`}</p>
      {isOwn && <p class="hint">{ACCEPTED_BY_ANOTHER}</p>}
    </OrderActionPage>
  );
}
