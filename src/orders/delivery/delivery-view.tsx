import type { StaffCaller } from '../../platform/access/caller.js';
import { shortDay, shortTime } from '../../platform/kernel/time-words.js';
import { Chips, type FieldChoice } from '../../platform/ui/forms/fields.js';
import { PostForm, Fields } from '../../platform/ui/forms/form-view.js';
import { Notice, TimeElement } from '../../platform/ui/parts.js';
import { Facts, Section, Table } from '../../platform/ui/table.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { riskInWords } from './delivery-risk.js';
import { milestoneNames, waitingPartyNames, milestoneCodes } from '../record/milestones.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import { isTheirs } from '../staff/order-actions.service.js';
import type { Form } from '../../platform/ui/forms/form.js';
import type { FormField } from '../../platform/ui/forms/form-spec.js';
import { inputForm, ownForm, type Refusal } from '../../platform/ui/forms/input-form.js';
import { seenIn, valuesOf } from '../../platform/ui/forms/seen-values.js';
import type { StaffDelivery } from '../record/delivery.dto.js';
import { OrderActionPage } from '../staff/order-form-page.js';
import { CancellationAnswerBody, DeliveryChangeBody } from './staff-delivery.dto.js';

interface DeliveryProps {
  readonly order: FollowUpOrder;
  readonly viewer: StaffCaller;
  readonly now: Date;
}

/** What happens after the order was accepted, and the keys that say that a milestone is done today. */
export function Delivery({ order, now }: DeliveryProps) {
  const { delivery, reference } = order;
  if (delivery === null) return null;
  const { acceptedOn, promisedOn, committedDate, dateChanges, milestones, waitingFor, serviceId } =
    delivery;
  const isUnderWay = order.state === 'won' && delivery.liveOn === null;
  const day = (one: string | null) => (one === null ? '' : shortDay(one, now));
  const earlier = dateChanges.flatMap(({ from }) => (from === null ? [] : [day(from)]));
  const known = milestones.filter(({ plannedFor, doneOn }) => plannedFor ?? doneOn);
  const others = milestones.filter((one) => !known.includes(one));
  const changeLink = (
    <a class="button" href={`/staff/orders/${reference}/delivery`} data-dialog>
      Change delivery
    </a>
  );
  return (
    <Section id="delivery" title="Delivery" class="delivery">
      <Facts
        of={[
          ['Accepted', day(acceptedOn)],
          ['Promised', day(promisedOn)],
          [
            'Committed date',
            `${committedDate === null ? 'none yet' : day(committedDate)}${earlier.length > 0 ? `, before: ${earlier.join(', ')}` : ''}`,
          ],
          waitingFor !== null && [
            'Waiting for',
            <>
              {`${waitingPartyNames[waitingFor.party]}: ${waitingFor.what} `}
              <small>
                {'since '}
                <TimeElement at={waitingFor.since}>{shortTime(waitingFor.since, now)}</TimeElement>
              </small>
            </>,
          ],
          serviceId !== null && ['Service id', serviceId],
          delivery.liveOn !== null && ['Live', day(delivery.liveOn)],
        ]}
      />
      {known.length > 0 && (
        <Table
          caption="Milestones"
          bare
          rows={known}
          columns={[
            { name: 'Milestone', of: ({ code }) => milestoneNames[code], heads: true },
            { name: 'Planned for', of: ({ plannedFor }) => day(plannedFor) },
            { name: 'Done on', of: ({ doneOn }) => day(doneOn) },
          ]}
        />
      )}
      {delivery.warnings.length > 0 && (
        <Notice kind="soon" title="Check the days.">
          {delivery.warnings.map((warning) => (
            <p>{warning}</p>
          ))}
        </Notice>
      )}
      {isUnderWay && others.length > 0 && (
        <p class="hint">
          {`Not planned yet: ${others.map(({ code }) => milestoneNames[code]).join(', ')}.`}
        </p>
      )}
      {isUnderWay && (
        <PostForm
          class="call"
          action={`/staff/orders/${reference}/delivery/done`}
          hidden={{ version: order.version }}
          button={
            <p class="actions">
              <button type="submit" aria-keyshortcuts="Enter">
                Done today
                <kbd aria-hidden="true">Enter</kbd>
              </button>
              {changeLink}
            </p>
          }
        >
          <Chips
            name="milestone"
            id="milestone"
            label="Done today"
            hint={
              <>
                {'Press '}
                <kbd>v</kbd>, a digit and <kbd>Enter</kbd>.
              </>
            }
            of={milestones.flatMap(({ code, doneOn }, i) =>
              doneOn === null
                ? [{ value: code, name: milestoneNames[code], key: String(i + 1) }]
                : [],
            )}
            chosen=""
          />
        </PostForm>
      )}
      {order.state === 'won' && !isUnderWay && <p class="actions">{changeLink}</p>}
    </Section>
  );
}

/** For the head of an accepted order: why its date is at risk, and what the client asks for. */
export function DeliveryAlerts(props: DeliveryProps & { readonly reason: string | null }) {
  const { order, now } = props;
  const { delivery } = order;
  if (delivery === null || order.state !== 'won') return null;
  const risk = riskInWords(delivery, londonDay(now), (day) => shortDay(day, now));
  return (
    <>
      {risk !== null && (
        <p class="standing">
          <a class="late" href="#delivery">
            {`${risk}.`}
          </a>
        </p>
      )}
      <CancellationRequest {...props} order={{ ...order, delivery }} />
    </>
  );
}

interface CancellationProps extends DeliveryProps {
  readonly order: DeliveredOrder;
  /** In the words of the client. */
  readonly reason: string | null;
}

/** What the client asks for, and who answers. */
function CancellationRequest({ order, viewer, now, reason }: CancellationProps) {
  const { cancellationRequestedAt: at } = order.delivery;
  if (at === null) return null;
  return (
    <Notice
      kind="soon"
      title={`The client asks to cancel${reason === null ? ' this order.' : `: ${reason}`}`}
    >
      <p>
        {'Asked '}
        <TimeElement at={at}>{shortTime(at, now)}</TimeElement>
        {order.chargesAwaiting > 0 && '. A charge awaits the answer of the client'}
        {'. '}
        {isTheirs(order, viewer) ? (
          <a
            class="button"
            href={`/staff/orders/${order.reference}/cancellation-answer`}
            data-dialog
          >
            Answer
          </a>
        ) : (
          'The owner or a manager answers.'
        )}
      </p>
    </Notice>
  );
}

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
  const { order, refusal } = props;
  const { fields } = deliveryForm(order);
  const sent = refusal?.refused?.form;
  const version = sent?.number('version') || order.version;
  const seen = sent ? sent.text('seen') : JSON.stringify(valuesOf(fields));
  return (
    <OrderActionPage
      {...props}
      title="Change the delivery:"
      path="delivery"
      dialog
      hidden={{ version, seen }}
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
