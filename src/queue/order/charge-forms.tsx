import type { ComponentProps } from 'preact';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { ProductOffer } from '../../availability/availability.dto.js';
import { parseAmount, priceInWords } from '../../platform/kernel/money.js';
import type { StaffCharge } from '../charges/order-charges.dto.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { ACCEPTED_BY_ANOTHER } from '../../orders/charges/charges.service.js';
import { chargeCategories, chargeCategoryNames } from '../../orders/record/charge-states.js';
import {
  choiceField,
  type FormField,
  plainAmount,
  type RefusedForm,
  timeField,
} from '../../platform/ui/forms/form-spec.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { OrderFormPage } from '../../orders/staff/order-form-page.js';
import { fromLocalInput, toLocalInput } from '../../platform/kernel/time-words.js';

/** An order; enquiries have no charges. */
export type ChargeableOrder = FollowUpOrder & { readonly product: ProductOffer };

export interface ChargePageProps {
  readonly viewer: StaffCaller;
  readonly order: ChargeableOrder;
  readonly fields: readonly FormField[];
  readonly refused?: RefusedForm | null;
  /** Why what was sent was not saved. */
  readonly conflict?: string;
}

/** @param dueAt the usual due date */
export function proposalFields({ product }: ChargeableOrder, dueAt: Date, now: Date): FormField[] {
  const { currency } = product;
  return [
    choiceField(
      { name: 'category', label: 'Category', missing: 'Choose a category.' },
      chargeCategories.map((value) => ({ value, name: chargeCategoryNames[value] })),
    ),
    {
      name: 'amount',
      label: `Amount (${currency})`,
      hint: 'One-off, excluding VAT.',
      missing: 'Enter an amount.',
      is: (text) => (parseAmount(plainAmount(text), currency) ?? 0) > 0,
      wrong: 'Write an amount such as 250 or 249.50.',
      input: { inputMode: 'decimal', maxLength: 12 },
    },
    {
      name: 'note',
      label: 'Note for the client',
      hint: 'What the charge is for. The client reads it.',
      kind: 'long',
      most: 1_000,
      missing: 'Say what the charge is for.',
    },
    {
      ...timeField({ name: 'dueAt', label: 'Answer by' }),
      hint: 'London time. Without an answer by then, the charge lapses.',
      missing: 'Enter a day and a time.',
      is: (text) => (fromLocalInput(text) ?? now) > now,
      wrong: 'Choose a time in the future, such as 21/11/2026, 23:59.',
      first: toLocalInput(dueAt),
    },
  ];
}

const answeredBy: FormField = {
  name: 'by',
  label: 'Answered by',
  most: 120,
  missing: 'Enter the name of the person.',
};

/** Whether the viewer proposed the charge, so that only a colleague can record its acceptance. */
export function isProposer({ proposerId }: StaffCharge, { staffId }: StaffCaller): boolean {
  return proposerId === staffId;
}

/** Its proposer can only record a rejection. */
export function answerFields(charge: StaffCharge, viewer: StaffCaller): readonly FormField[] {
  return isProposer(charge, viewer) ? [answeredBy] : bothAnswers;
}

const bothAnswers: readonly FormField[] = [
  choiceField({ name: 'accept', label: 'Answer', missing: 'Choose the answer.' }, [
    { value: 'yes', name: 'Accepts the charge' },
    { value: 'no', name: 'Rejects the charge' },
  ]),
  answeredBy,
];

export function ProposalPage(props: ChargePageProps) {
  const { order, fields, refused } = props;
  const { acceptExtraUpTo, product, reference, version } = order;
  const address = `/staff/orders/${reference}`;
  return (
    <ChargePage title={`Propose an extra charge: ${reference}`} {...props}>
      <PostForm
        dialog
        draft={`${reference}/charge`}
        action={`${address}/charge`}
        hidden={{ version }}
        fields={fields}
        refused={refused}
        button="Propose charge"
        kind="primary"
        cancel={address}
      >
        {acceptExtraUpTo !== null && (
          <p class="intro">
            {`The client accepts charges in advance up to ${priceInWords(acceptExtraUpTo, product.currency)} in all.`}
          </p>
        )}
      </PostForm>
    </ChargePage>
  );
}

export function AnswerPage(props: ChargePageProps & { readonly charge: StaffCharge }) {
  const { viewer, order, fields, refused, charge } = props;
  const isOwn = isProposer(charge, viewer);
  const address = `/staff/orders/${order.reference}`;
  const amount = priceInWords(charge.amount, order.product.currency);
  return (
    <ChargePage
      title={`Record ${isOwn ? 'a rejection' : 'the answer'}: ${order.reference}`}
      {...props}
    >
      {charge.state === 'awaitingResponse' && (
        <PostForm
          dialog
          draft={`${order.reference}/charges/${charge.chargeId}/answer`}
          action={`${address}/charges/${charge.chargeId}/answer`}
          {...(isOwn && { hidden: { accept: 'no' } })}
          fields={fields}
          refused={refused}
          button={isOwn ? 'Record rejection' : 'Record answer'}
          kind="primary"
          cancel={address}
        >
          <p class="intro">{`${chargeCategoryNames[charge.category]}, ${amount}. The client sees the answer.`}</p>
          {isOwn && <p class="hint">{ACCEPTED_BY_ANOTHER}</p>}
        </PostForm>
      )}
    </ChargePage>
  );
}

function ChargePage(props: Omit<ComponentProps<typeof OrderFormPage>, 'advice'>) {
  return <OrderFormPage {...props} advice={<p>Nothing was saved.</p>} />;
}
