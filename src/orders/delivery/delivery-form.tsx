import type { StaffCaller } from '../../platform/access/caller.js';
import { shortDay } from '../../platform/kernel/time-words.js';
import type { FieldChoice } from '../../platform/ui/forms/fields.js';
import type { Form } from '../../platform/ui/forms/form.js';
import {
  type FormField,
  type RefusedForm,
  seenIn,
  valuesOf,
} from '../../platform/ui/forms/form-spec.js';
import { Fields, isChanged } from '../../platform/ui/forms/form-view.js';
import { inputForm, ownForm, type Refusal } from '../../platform/ui/forms/input-form.js';
import { Table } from '../../platform/ui/table.js';
import { decimalsOf, priceInWords } from '../../platform/kernel/money.js';
import type { CancellationCost, DeliveryMilestone, StaffDelivery } from '../record/delivery.dto.js';
import {
  milestoneCodes,
  milestoneNames,
  phaseInWords,
  waitingPartyNames,
} from '../record/milestones.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import { OrderActionPage } from '../staff/order-form-page.js';
import { CancellationAnswerBody, DeliveryChangeBody } from './staff-delivery.dto.js';

/** An accepted order. */
export type DeliveredOrder = FollowUpOrder & { readonly delivery: StaffDelivery };

interface DeliveryPageProps {
  readonly viewer: StaffCaller;
  readonly order: DeliveredOrder;
  readonly now: Date;
  readonly refusal?: Partial<Refusal>;
}

const kinds = { plannedFor: 'planned for', doneOn: 'done on' } as const;
const dayKinds = ['plannedFor', 'doneOn'] as const;

const parties: readonly FieldChoice[] = [
  { value: '', name: 'no one' },
  ...Object.entries(waitingPartyNames).map(([value, name]) => ({ value, name })),
];

/** What the delivery is about. */
function factFields({ committedDate, waitingFor, serviceId }: StaffDelivery): FormField[] {
  return [
    {
      ...dayField('committedDate', 'Committed date', committedDate),
      hint: 'The client sees it, and each change of it.',
      input: { type: 'date', autofocus: true },
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
  ];
}

/** A day that is removed is no longer planned or done. */
function daysOf({ code, ...days }: DeliveryMilestone): FormField[] {
  return dayKinds.map((kind) =>
    dayField(`${code}-${kind}`, `${milestoneNames[code]}, ${kinds[kind]}`, days[kind]),
  );
}

const noteField: FormField = {
  name: 'note',
  label: 'Note for colleagues',
  kind: 'long',
  most: 1000,
};

export function deliveryForm({ delivery }: DeliveredOrder) {
  const days = delivery.milestones.flatMap(daysOf);
  const fields: readonly FormField[] = [...factFields(delivery), ...days, noteField];
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

/** What is as the form was opened is left out: an import or a colleague may have changed it since. */
function changeIn(form: Form): object {
  const changed = (name: string) =>
    form.text(name) === seenIn(form, name) ? undefined : form.text(name);
  const day = (name: string) => (changed(name) === '' ? null : changed(name));
  const [party, what] = [form.text('party'), form.text('what')];
  const isWaitAsSeen = changed('party') === undefined && changed('what') === undefined;
  const waitingFor = party === '' ? null : { party, what };
  return {
    version: form.number('version'),
    milestones: milestoneCodes.map((code) => ({
      code,
      plannedFor: day(`${code}-plannedFor`),
      doneOn: day(`${code}-doneOn`),
    })),
    waitingFor: isWaitAsSeen ? undefined : waitingFor,
    committedDate: changed('committedDate') || undefined,
    serviceId: changed('serviceId') || undefined,
    note: form.text('note') || undefined,
  };
}

/** The field of a fault: `/milestones/1/doneOn` is that of the second milestone. */
function fieldAt(pointer: string): string {
  const [, first = '', second = '', third = ''] = pointer.split('/');
  if (first === 'milestones') return `${milestoneCodes[Number(second)]}-${third}`;
  return first === 'waitingFor' && second !== '' ? second : first;
}

export function DeliveryPage(props: DeliveryPageProps) {
  const { order, now, refusal } = props;
  const { fields } = deliveryForm(order);
  const refused = refusal?.refused;
  const sent = refused?.form;
  const version = sent?.number('version') || order.version;
  const seen = sent ? sent.text('seen') : JSON.stringify(valuesOf(fields));
  return (
    <OrderActionPage
      {...props}
      title="Change the delivery:"
      path="delivery"
      dialog
      hidden={{ version, seen }}
      form={{ fields: [noteField] }}
      button="Save"
    >
      <Fields of={factFields(order.delivery)} refused={refused} />
      <MilestoneFields milestones={order.delivery.milestones} refused={refused} now={now} />
    </OrderActionPage>
  );
}

interface MilestoneFieldsProps {
  readonly milestones: readonly DeliveryMilestone[];
  readonly refused?: RefusedForm | null;
  readonly now: Date;
}

/** The days of the milestones. Only those of the next one are open, and those that were changed in a refused form. */
function MilestoneFields({ milestones, refused, now }: MilestoneFieldsProps) {
  const next = milestones.find(({ doneOn }) => doneOn === null);
  return (
    <Table
      caption="Milestones"
      captioned
      class="milestones"
      rows={milestones}
      columns={[
        { name: 'Milestone', of: ({ code }) => milestoneNames[code], heads: true },
        {
          name: 'Days',
          of: (milestone) => {
            const days = daysOf(milestone);
            const fields = (
              <div class="days">
                <Fields of={days} refused={refused} />
              </div>
            );
            return milestone === next ? (
              fields
            ) : (
              <details open={isChanged(days, refused)}>
                <summary>
                  {daysInWords(milestone, now)}
                  <span class="unseen">{`: change ${milestoneNames[milestone.code]}`}</span>
                </summary>
                {fields}
              </details>
            );
          },
        },
      ]}
    />
  );
}

function daysInWords({ plannedFor, doneOn }: DeliveryMilestone, now: Date): string {
  if (doneOn !== null) return `Done on ${shortDay(doneOn, now)}`;
  return plannedFor === null ? 'Not planned' : `Planned for ${shortDay(plannedFor, now)}`;
}

/** Starts from what the cancellation costs by the catalogue. */
export function cancellationForm({ product, delivery }: FollowUpOrder) {
  const cost = delivery?.cancellation;
  const source = cost ? ` ${costInWords(cost)}.` : '';
  return inputForm(CancellationAnswerBody, {
    accept: {
      label: 'Answer',
      names: { yes: 'Cancel the order', no: 'Go on with the delivery' },
      missing: 'Choose the answer.',
    },
    amount: {
      label: `Charge (${product?.currency ?? ''})`,
      hint: `One-off, excluding VAT. With a charge, the order is cancelled when the client accepts it.${source}`,
      ...(cost && cost.amount > 0 && { first: cost.amount.toFixed(decimalsOf(cost.currency)) }),
    },
    note: {
      label: 'Note',
      hint: 'With a charge, the client reads it. Otherwise it is for colleagues.',
      long: true,
    },
  });
}

export function CancellationPage(props: Omit<DeliveryPageProps, 'now'>) {
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

/** `£250.00 after “Surveyed”, by cancellation.csv of the version in which it was ordered`. */
export function costInWords({ amount, currency, after }: CancellationCost): string {
  const price = amount === 0 ? 'Free' : priceInWords(amount, currency);
  return `${price} ${phaseInWords(after)}, by cancellation.csv of the catalogue in which it was ordered`;
}
