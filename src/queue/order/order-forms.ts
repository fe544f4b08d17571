/** The forms with which staff move an order. */
import type { StaffCaller } from '../../platform/access/caller.js';
import { isDirectClient } from '../../clients/api-client.entity.js';
import { type Calendar, addWorkingTime } from '../../platform/kernel/working-hours.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { StaffPerson } from '../../orders/staff/moves.dto.js';
import type { MoveField } from '../../orders/moves/move-fields.js';
import { moverOf } from '../../orders/staff/order-actions.service.js';
import { moveRules, type StaffMove } from '../../orders/moves/move-rules.js';
import { refusalOf } from '../../orders/moves/plan-move.js';
import { inWordsOf, moveNames, type MoveWords, moveWords } from '../../orders/moves/move-words.js';
import { reopeningFault } from '../../orders/record/deliveries.js';
import type { Form } from '../../platform/ui/forms/form.js';
import {
  choiceField,
  type FormField,
  plainAmount,
  sentText,
  timeField,
} from '../../platform/ui/forms/form-spec.js';
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
  readonly fields: readonly (MoveField & { readonly name: string })[];
}

export const noteField = {
  kind: 'long',
  name: 'note',
  label: 'Note',
  hint: 'Only staff see it. Search finds it.',
  missing: 'Write the note.',
  most: 2_000,
} as const satisfies FormField;

const noteForm: OrderForm = {
  move: null,
  path: 'note',
  label: 'Note',
  title: 'Add a note',
  button: 'Add note',
  key: 'e',
  fields: [{ ...noteField, longest: noteField.most }],
};

/** In the order in which the page of an order shows them. */
export const orderForms: readonly OrderForm[] = [...moveNames.map(formOf), noteForm];

function formOf(move: StaffMove): OrderForm {
  const { path, carries } = moveRules[move];
  const fields = Object.entries<MoveField>(carries).map(([name, field]) => ({ ...field, name }));
  return { ...moveWords[move], move, path, fields };
}

/** @throws {NotFound} */
export function formAt(path: string): OrderForm {
  const form = orderForms.find((one) => one.path === path);
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
  if (move !== 'reopen' || state !== 'won' || delivery === null) return null;
  return reopeningFault(delivery.liveOn, delivery.cancellationRequestedAt);
}

/** The fields of a form with their rules, choices and first values. */
export function fieldsFor({ fields }: OrderForm, about: FormContext): FormField[] {
  const shown = fields.filter(({ kind }) => kind !== 'amount' || isIndicative(about.order));
  return shown.map((field): FormField => {
    const { name } = field;
    const common = { name, ...fieldWords(field, about.order) };
    switch (field.kind) {
      case 'long':
      case 'text':
        return { ...common, kind: field.kind, most: field.longest };
      case 'choice':
        return choiceField(
          common,
          Object.entries(field.names).map(([value, text]) => ({ value, name: text })),
        );
      case 'person': {
        const others = about.people.filter(({ id }) => id !== about.order.ownerId);
        return choiceField(
          common,
          others.map((one) => ({ value: one.id, name: `${one.name} (${one.role})` })),
        );
      }
      case 'amount':
        return {
          ...common,
          missing: 'Enter the amount that the client has confirmed.',
          is: (text) => amountIn(text) !== null,
          wrong: 'Enter an amount, such as 249.50.',
          first: firstAmount(field.of, about.order),
          input: { inputMode: 'decimal' },
        };
      case 'time': {
        const choices = suggestedTimes(about).map(({ name: text, at }) => {
          return { value: toLocalInput(at), name: text };
        });
        return {
          ...timeField(common),
          is: (text) => (fromLocalInput(text) ?? about.now) > about.now,
          wrong: 'Choose a time in the future, such as 21/11/2026, 09:30.',
          kind: 'chips',
          choices,
          own: { chip: 'Pick a time', label: 'Time of the next step', hint: 'London time.' },
          first: choices[0]!.value,
        };
      }
      case 'order': {
        const suggestions = about.twins.map((value) => ({ value }));
        return { ...common, most: 12, suggestions, first: about.twins[0] ?? '' };
      }
    }
  });
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

/** Null for what is no amount, such as `249.50` or `1,250`. */
export function amountIn(text: string): number | null {
  const plain = plainAmount(text.replace(/^£\s*/, ''));
  return /^\d{1,8}(\.\d{1,3})?$/.test(plain) ? Number(plain) : null;
}

function fieldWords(words: MoveField, order: FollowUpOrder) {
  const { kind } = order;
  const { label, missing } = words;
  return {
    label: inWordsOf(kind, label),
    hint: hintFor(words, order),
    missing: missing && inWordsOf(kind, missing),
  };
}

export function hintFor(
  { hint, enquiryHint, callerHint }: MoveField,
  { kind, client }: FollowUpOrder,
): string | undefined {
  if (callerHint !== undefined && isDirectClient(client)) return callerHint;
  return kind === 'enquiry' ? (enquiryHint ?? (hint && inWordsOf(kind, hint))) : hint;
}

/** Suggested times, all within working hours. */
export function suggestedTimes(about: FormContext): { name: string; at: Date }[] {
  return [
    { name: 'Next working day', at: morningIn(1, about) },
    { name: 'In 1 working hour', at: inWorkingHours(1, about) },
    { name: 'In 4 working hours', at: inWorkingHours(4, about) },
    { name: 'In a week', at: morningIn(7, about) },
  ]
    .filter(({ at }, i, all) => all.findIndex((one) => one.at.getTime() === at.getTime()) === i)
    .map(({ name, at }) => ({ name: `${name}: ${shortTime(at, about.now)}`, at }));
}

/** What the move carries: the fields that were filled in. */
export function moveInput(
  { fields }: OrderForm,
  form: Form,
): Record<string, string | Date | number> {
  const input: Record<string, string | Date | number> = {};
  for (const { name, kind } of fields) {
    const text = sentText(name, form);
    if (text === '') continue;
    if (kind === 'amount') input[name] = amountIn(text)!;
    else input[name] = kind === 'time' ? fromLocalInput(text)! : text;
  }
  return input;
}
