import type { StaffCaller } from '../../access/caller.js';
import { parseAmount, priceInWords } from '../../catalogue/content/money.js';
import type { FollowUpOrder } from '../../follow-up/follow-up.dto.js';
import { chargeCategories, chargeCategoryNames } from '../../orders/charges/charge-states.js';
import type { OrderCharge } from '../../orders/charges/charges.dto.js';
import { type FormField, type RefusedForm, timeField } from '../forms/form-spec.js';
import { PostForm, RefusedSummary } from '../forms/form-view.js';
import { Layout } from '../shell/layout.js';
import { Notice } from '../shell/parts.js';
import { fromLocalInput, toLocalInput } from '../shell/times.js';

export interface ChargePageProps {
  readonly viewer: StaffCaller;
  readonly order: FollowUpOrder;
  readonly fields: readonly FormField[];
  readonly refused?: RefusedForm | null;
  /** Why what was sent was not saved. */
  readonly conflict?: string;
}

/** @param dueAt the usual due date */
export function proposalFields({ product }: FollowUpOrder, dueAt: Date, now: Date): FormField[] {
  const { currency } = product;
  return [
    {
      name: 'category',
      label: 'Category',
      kind: 'choice',
      missing: 'Choose a category.',
      choices: [
        { value: '', name: 'Choose …' },
        ...chargeCategories.map((value) => ({ value, name: chargeCategoryNames[value] })),
      ],
      is: (text) => chargeCategories.some((one) => one === text),
      wrong: 'Choose an option from the list.',
    },
    {
      name: 'amount',
      label: `Amount (${currency})`,
      hint: 'One-off, excluding VAT.',
      missing: 'Enter an amount.',
      is: (text) => (parseAmount(text, currency) ?? 0) > 0,
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

export const answerFields: readonly FormField[] = [
  {
    name: 'accept',
    label: 'Answer',
    kind: 'choice',
    missing: 'Choose the answer.',
    choices: [
      { value: '', name: 'Choose …' },
      { value: 'yes', name: 'Accepts the charge' },
      { value: 'no', name: 'Rejects the charge' },
    ],
    is: (text) => text === 'yes' || text === 'no',
    wrong: 'Choose an option from the list.',
  },
  { name: 'by', label: 'Answered by', most: 120, missing: 'Enter the name of the person.' },
];

export function ProposalPage(props: ChargePageProps) {
  const { viewer, order, fields, refused } = props;
  const { acceptExtraUpTo, product, reference, version } = order;
  const address = `/staff/orders/${reference}`;
  return (
    <Layout title={`Propose an extra charge: ${reference}`} viewer={viewer} width="narrow">
      <Start {...props} />
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
    </Layout>
  );
}

export function AnswerPage(props: ChargePageProps & { readonly charge: OrderCharge }) {
  const { viewer, order, fields, refused, charge } = props;
  const address = `/staff/orders/${order.reference}`;
  const amount = priceInWords(charge.amount, order.product.currency);
  return (
    <Layout title={`Record the answer: ${order.reference}`} viewer={viewer} width="narrow">
      <Start {...props} />
      {charge.state === 'awaitingResponse' && (
        <PostForm
          dialog
          action={`${address}/charges/${charge.chargeId}/answer`}
          fields={fields}
          refused={refused}
          button="Record answer"
          kind="primary"
          cancel={address}
        >
          <p class="intro">{`${chargeCategoryNames[charge.category]}, ${amount}. The client sees the answer.`}</p>
        </PostForm>
      )}
    </Layout>
  );
}

function Start({ order, conflict, refused }: ChargePageProps) {
  return (
    <>
      <p class="crumb">
        <a
          href={`/staff/orders/${order.reference}`}
        >{`${order.reference}, ${order.client.name}`}</a>
      </p>
      {conflict !== undefined && (
        <div tabIndex={-1} data-focus>
          <Notice kind="bad" title={conflict}>
            <p>Nothing was saved.</p>
          </Notice>
        </div>
      )}
      <RefusedSummary refused={refused?.faults.size ? refused : null} />
    </>
  );
}
