import type { StaffCaller } from '../../platform/access/caller.js';
import type { FieldChoice } from '../../platform/ui/forms/fields.js';
import type { Form } from '../../platform/ui/forms/form.js';
import type { FormField } from '../../platform/ui/forms/form-spec.js';
import { Fields } from '../../platform/ui/forms/form-view.js';
import { inputForm, ownForm, type Refusal } from '../../platform/ui/forms/input-form.js';
import { milestoneCodes, milestoneNames, waitingPartyNames } from '../record/milestones.js';
import type { StaffDelivery } from '../record/delivery.dto.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import { OrderActionPage } from '../staff/order-form-page.js';
import { CancellationAnswerBody, DeliveryChangeBody } from './staff-delivery.dto.js';

/** An accepted order. */
export type DeliveredOrder = FollowUpOrder & { readonly delivery: StaffDelivery };

interface DeliveryPageProps {
  readonly viewer: StaffCaller;
  readonly order: DeliveredOrder;
  readonly refusal?: Partial<Refusal>;
}

/** Fields with the days of milestones. */
const DAYS = 2 * milestoneCodes.length;

const kinds = { plannedFor: 'planned for', doneOn: 'done on' } as const;

const parties: readonly FieldChoice[] = [
  { value: '', name: 'no one' },
  ...Object.entries(waitingPartyNames).map(([value, name]) => ({ value, name })),
];

/** Two days for each milestone, and what else can change. A day that is removed is no longer planned or done. */
export function deliveryForm({ delivery }: DeliveredOrder) {
  const { committedDate, waitingFor, serviceId } = delivery;
  const fields: readonly FormField[] = [
    ...delivery.milestones.flatMap(({ code, ...days }) =>
      (['plannedFor', 'doneOn'] as const).map((kind) =>
        dayField(`${code}-${kind}`, `${milestoneNames[code]}, ${kinds[kind]}`, days[kind]),
      ),
    ),
    {
      ...dayField('committedDate', 'Committed date', committedDate),
      hint: 'The client sees it, and each change of it.',
    },
    {
      name: 'party',
      label: 'Waiting for',
      kind: 'choice',
      choices: parties,
      first: waitingFor?.party ?? '',
    },
    {
      name: 'what',
      label: 'What they have to do',
      hint: 'The client reads it.',
      first: waitingFor?.what ?? '',
      most: 200,
    },
    { name: 'serviceId', label: 'Service id', first: serviceId ?? '', most: 64 },
    { name: 'note', label: 'Note for colleagues', kind: 'long', most: 1000 },
  ];
  return ownForm({ type: DeliveryChangeBody, fields, read: changeIn, fieldAt });
}

/** Without fields: it was sent from the order's page. */
export function doneForm(today: string) {
  return ownForm({
    type: DeliveryChangeBody,
    fields: [],
    read: (form) => ({
      version: form.number('version'),
      milestones: [{ code: form.text('milestone'), doneOn: today }],
    }),
    fieldAt,
  });
}

function dayField(name: string, label: string, day: string | null): FormField {
  return { name, label, first: day ?? '', input: { type: 'date' } };
}

function changeIn(form: Form): object {
  const text = (name: string) => form.text(name) || undefined;
  const party = text('party');
  return {
    version: form.number('version'),
    milestones: milestoneCodes.map((code) => ({
      code,
      plannedFor: text(`${code}-plannedFor`) ?? null,
      doneOn: text(`${code}-doneOn`) ?? null,
    })),
    waitingFor: party === undefined ? null : { party, what: form.text('what') },
    committedDate: text('committedDate'),
    serviceId: text('serviceId'),
    note: text('note'),
  };
}

/** The field of a fault: `/milestones/1/doneOn` is that of the second milestone. */
function fieldAt(pointer: string): string {
  const [, first = '', second = '', third = ''] = pointer.split('/');
  if (first === 'milestones') return `${milestoneCodes[Number(second)]}-${third}`;
  return first === 'waitingFor' && second !== '' ? second : first;
}

export function DeliveryPage(props: DeliveryPageProps) {
  const { order, refusal } = props;
  const { fields } = deliveryForm(order);
  return (
    <OrderActionPage
      {...props}
      title="Change the delivery:"
      path="delivery"
      dialog
      hidden={{ version: order.version }}
      form={{ fields: fields.slice(DAYS) }}
      button="Save"
    >
      <div class="days">
        <Fields of={fields.slice(0, DAYS)} refused={refusal?.refused} />
      </div>
    </OrderActionPage>
  );
}

export function cancellationForm({ product }: FollowUpOrder) {
  return inputForm(CancellationAnswerBody, {
    accept: {
      label: 'Answer',
      names: { yes: 'Cancel the order', no: 'Go on with the delivery' },
      missing: 'Choose the answer.',
    },
    amount: {
      label: `Charge (${product?.currency ?? ''})`,
      hint: 'One-off, excluding VAT. With a charge, the order is cancelled when the client accepts it.',
    },
    note: {
      label: 'Note',
      hint: 'With a charge, the client reads it. Otherwise it is for colleagues.',
      long: true,
    },
  });
}

export function CancellationPage(props: DeliveryPageProps) {
  const { order } = props;
  return (
    <OrderActionPage
      {...props}
      title="Answer the request to cancel:"
      path="cancellation-answer"
      dialog
      hidden={{ version: order.version }}
      form={cancellationForm(order)}
      button="Send answer"
    />
  );
}
