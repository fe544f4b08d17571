/** The forms with which staff move an order. */
import type { StaffCaller } from '../../platform/access/caller.js';
import { isDirectClient } from '../../clients/api-client.entity.js';
import { type Calendar, addWorkingTime } from '../../platform/kernel/working-hours.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { Note, Seen, type StaffPerson } from '../../orders/staff/moves.dto.js';
import { moveBodies, moveContents } from '../../orders/staff/move-bodies.js';
import {
  cancelReasonNames,
  contactChannelNames,
  contactResultNames,
  lostReasonNames,
  scheduleReasonNames,
} from '../../orders/moves/move-fields.js';
import { confirmationWords } from '../../orders/moves/move-faults.js';
import { moverOf } from '../../orders/staff/order-actions.service.js';
import type { Move, StaffMove } from '../../orders/moves/move-contents.js';
import { type MoveRule, moveRules } from '../../orders/moves/move-rules.js';
import { refusalOf } from '../../orders/moves/plan-move.js';
import { moveNames, type MoveWords, moveWords } from '../../orders/moves/move-words.js';
import { replyFault } from '../../orders/record/message.entity.js';
import { reopeningFault } from '../../orders/record/deliveries.js';
import { CHOOSE, choicesOf } from '../../platform/ui/forms/form-spec.js';
import { type InputForm, inputForm, type InputWords } from '../../platform/ui/forms/input-form.js';
import { decimalsOf } from '../../platform/kernel/money.js';
import { NotFound } from '../../platform/problems/problem.js';
import { fromLocalInput, shortTime, toLocalInput } from '../../platform/kernel/time-words.js';
import { DAY, HOUR, MINUTE } from '../../platform/kernel/time.js';

/** Times for the next action, within working hours. */
export interface CalendarNow {
  readonly now: Date;
  readonly calendar: Calendar;
}

/** When work starts on the first working day from the day of `at` on. */
export function startOfWork(at: Date, calendar: Calendar): Date {
  const midnight = fromLocalInput(`${toLocalInput(at).slice(0, 10)}T00:00`) ?? at;
  return new Date(addWorkingTime(midnight, 1, calendar).getTime() - 1);
}

/** An hour after work starts, on the first working day from `days` days after now on. */
export function morningIn(days: number, { now, calendar }: CalendarNow): Date {
  return new Date(startOfWork(new Date(now.getTime() + days * DAY), calendar).getTime() + HOUR);
}

/** Rounded up to 5 minutes. */
export function inWorkingHours(hours: number, { now, calendar }: CalendarNow): Date {
  const at = addWorkingTime(now, hours * HOUR, calendar).getTime();
  return new Date(Math.ceil(at / (5 * MINUTE)) * 5 * MINUTE);
}

/** What the choices and first values of a form depend on. */
export interface FormContext {
  readonly order: FollowUpOrder;
  readonly people: readonly StaffPerson[];
  /** References of orders that this one may duplicate. */
  readonly twins: readonly string[];
  readonly now: Date;
  readonly calendar: Calendar;
}

type FormWords = Pick<
  MoveWords,
  'label' | 'title' | 'confirmation' | 'callerConfirmation' | 'button' | 'key' | 'atHand' | 'usual'
>;

export interface OrderForm extends FormWords {
  /** Null: a note is no move. */
  readonly move: StaffMove | null;
  readonly path: string;
  /** It has no fields: a button is enough. */
  readonly isDirect: boolean;
}

const noteForm: OrderForm = {
  move: null,
  path: 'note',
  label: 'Note',
  title: 'Add a note',
  button: 'Add note',
  key: 'e',
  isDirect: false,
};

/** In the order in which the page of an order shows them. */
export const orderForms: readonly OrderForm[] = [...moveNames.map(formOf), noteForm];

function formOf(move: StaffMove): OrderForm {
  const { path } = moveRules[move];
  return { ...moveWords[move], move, path, isDirect: moveBodies[move].type === Seen };
}

/** @throws {NotFound} */
export function formAt(path: string): OrderForm {
  const form = orderForms.find((form) => form.path === path);
  if (form) return form;
  throw new NotFound('There is no such form.');
}

/** Why the viewer cannot make the move of a form now; null where it can be made. */
export function refusalFor(
  { move }: OrderForm,
  order: FollowUpOrder,
  { viewer, now }: { readonly viewer: StaffCaller; readonly now: Date },
): string | null {
  if (move === null) return null;
  const { state, client, delivery } = order;
  const refusal = refusalOf({ ...order, clientId: client.id }, move, moverOf(viewer), now);
  if (refusal) return refusal.detail;
  if (move === 'reply') {
    const to = { clientId: client.id, email: order.contact.email ?? null };
    return replyFault(order, to, delivery, now);
  }
  if (move !== 'reopen' || state !== 'won' || delivery === null) return null;
  return reopeningFault(delivery.liveOn, delivery.cancellationRequestedAt);
}

export const noteInput = inputForm(Note, {
  note: {
    label: 'Note',
    hint: 'Only staff see it. Search finds it.',
    long: true,
    missing: 'Write the note.',
  },
});

/** The labels of what is confirmed or noted with a won order. */
export const winLabels = {
  price: 'Confirmed monthly price, excl. VAT',
  setupPrice: 'Confirmed set-up price, excl. VAT',
  externalReference: 'Reference in the order system (optional)',
} as const;

/** @param order an enquiry has other words, and a caller who is no client another hint */
export function lostHint({ kind, client }: Pick<FollowUpOrder, 'kind' | 'client'>): string {
  if (isDirectClient(client)) return 'The caller is not notified: call them.';
  return kind === 'enquiry'
    ? 'The client will see that you are unable to provide it.'
    : 'If you choose “Cannot be supplied there” or “Invalid details” the client will see the order as rejected.';
}

type MoveForms = {
  readonly [N in StaffMove]: (
    about: FormContext,
  ) => InputWords<InstanceType<(typeof moveContents)[N]>>;
};

const note = { label: 'Note (optional)', long: true } as const;
const noteForOther = { ...note, hint: '“Another reason” needs a note.' } as const;
const ownReason = { label: 'Reason', long: true, missing: 'Enter a reason.' } as const;
const listedReason = { label: 'Reason', missing: 'Choose a reason.' } as const;

function newOwner({ people, order }: FormContext) {
  const others = people.filter(({ id }) => id !== order.ownerId);
  const choices = others.map((member) => ({
    value: member.id,
    name: `${member.name} (${member.role})`,
  }));
  return {
    label: 'Assign to',
    missing: 'Choose the new owner.',
    wrong: CHOOSE,
    choices: choicesOf(choices),
  };
}

/** The fields of the form of each move. Their limits and rules are those of its body. */
const moveForms: MoveForms = {
  claim: () => ({}),
  assign: (about) => ({ ownerId: newOwner(about), note }),
  logContact: () => ({
    channel: { label: 'Channel', names: contactChannelNames, missing: 'Choose a channel.' },
    result: { label: 'Outcome', names: contactResultNames, missing: 'Choose an outcome.' },
    note,
  }),
  schedule: (about) => ({
    nextActionAt: {
      label: 'When',
      missing: 'Enter the time of the next step.',
      chips: suggestedTimes(about).map(({ name, at }) => ({ value: toLocalInput(at), name })),
      own: { chip: 'Pick a time', label: 'Time of the next step', hint: 'London time.' },
    },
    reason: { ...listedReason, names: scheduleReasonNames },
    note,
  }),
  resume: () => ({ note }),
  handOver: (about) => ({
    ownerId: newOwner(about),
    note: { label: 'Handover note', long: true, missing: 'Enter a handover note.' },
  }),
  release: () => ({ reason: ownReason }),
  win: ({ order }) => ({
    ...(isIndicative(order) && {
      price: confirmed('price', order),
      setupPrice: confirmed('setupPrice', order),
    }),
    externalReference: { label: winLabels.externalReference },
    note,
  }),
  lose: ({ order }) => ({
    reason: { ...listedReason, hint: lostHint(order), names: lostReasonNames },
    note: noteForOther,
  }),
  duplicate: ({ twins, order }) => ({
    of: {
      label: 'Duplicate of',
      hint: `The reference of the original ${order.kind}, of the same client.`,
      missing: `Enter the reference of the original ${order.kind}.`,
      wrong: 'There is no order with this reference.',
      first: twins[0] ?? '',
      suggestions: twins.map((value) => ({ value })),
      input: { maxLength: 12 },
    },
    note,
  }),
  cancel: () => ({
    reason: { ...listedReason, names: cancelReasonNames },
    note: noteForOther,
  }),
  reply: ({ order }) => ({
    text: {
      label: 'Message',
      hint: isDirectClient(order.client)
        ? 'The caller gets it by email.'
        : 'The client reads it by the API, and its contact gets it by email.',
      long: true,
      missing: 'Enter a message.',
    },
  }),
  settle: () => ({}),
  reopen: () => ({ reason: ownReason }),
};

function confirmed(name: 'price' | 'setupPrice', order: FollowUpOrder) {
  return {
    label: winLabels[name],
    missing: confirmationWords[name],
    needed: true,
    first: firstAmount(name, order),
  } as const;
}

/**
 * The form of a move for one order, or of a note.
 * @param originalId the order that a duplicate names, if there is one with that reference
 */
export function inputOf(
  { move }: OrderForm,
  about: FormContext,
  originalId?: string,
): InputForm<object> {
  if (move === null) return noteInput;
  const { order, now } = about;
  const form = inputForm<object>(moveContents[move], moveForms[move](about));
  const { kind, client, ownerId, product } = order;
  const subject = {
    id: order.orderId,
    kind,
    clientId: client.id,
    ownerId,
    basis: product?.basis,
    currency: product?.currency,
  };
  return {
    ...form,
    read: (sent) => ({
      ...form.read(sent),
      ...(originalId !== undefined && { of: originalId }),
    }),
    rules: (input: { ownerId?: string }) => {
      const owner = input.ownerId === undefined ? undefined : { id: input.ownerId, name: '' };
      const rule: MoveRule<Move> = moveRules[move];
      return rule.faults?.(subject, { ...input, owner, of: undefined }, now) ?? [];
    },
  };
}

/** Whether a person has to confirm the price of the order. */
export function isIndicative({ product }: Pick<FollowUpOrder, 'product'>): boolean {
  return product?.basis === 'indicative';
}

/** The amount of the order, or what was confirmed before; empty where none is stated. */
export function firstAmount(
  of: 'price' | 'setupPrice',
  { product, confirmed }: Pick<FollowUpOrder, 'product' | 'confirmed'>,
): string {
  const amount = confirmed?.[of] ?? product?.[of] ?? null;
  return amount === null ? '' : amount.toFixed(decimalsOf(product?.currency ?? 'GBP'));
}

/** Suggested times, all within working hours. */
export function suggestedTimes(about: FormContext): { name: string; at: Date }[] {
  return [
    { name: 'Next working day', at: morningIn(1, about) },
    { name: 'In 1 working hour', at: inWorkingHours(1, about) },
    { name: 'In 4 working hours', at: inWorkingHours(4, about) },
    { name: 'In a week', at: morningIn(7, about) },
  ]
    .filter(
      ({ at }, i, all) => all.findIndex((choice) => choice.at.getTime() === at.getTime()) === i,
    )
    .map(({ name, at }) => ({ name: `${name}: ${shortTime(at, about.now)}`, at }));
}
