/** The forms with which staff move an order: what each asks for, and how what was typed is read. */
import { addWorkingTime, type Calendar } from '../../kernel/working-hours.js';
import type { FollowUpOrder } from '../../follow-up/follow-up.dto.js';
import type { StaffPerson } from '../../follow-up/moves/moves.dto.js';
import type { MoveField } from '../../orders/moves/move-fields.js';
import { type MoveName, moveRules } from '../../orders/moves/order-state.js';
import { moveNames, type MoveWords, moveWords } from '../../orders/moves/move-words.js';
import type { FieldChoice, FieldFaults } from '../forms/fields.js';
import type { Form } from '../forms/form.js';
import type { FormField } from '../forms/form-spec.js';
import { fromLocalInput, toLocalInput } from '../shell/times.js';

/** What the choices and the first values of a form depend on. */
export interface FormContext {
  readonly order: FollowUpOrder;
  readonly people: readonly StaffPerson[];
  /** References of orders that this one may repeat. */
  readonly twins: readonly string[];
  readonly now: Date;
  readonly calendar: Calendar;
}

export type Field = MoveField & { readonly name: string };

type FormWords = Pick<
  MoveWords,
  'label' | 'title' | 'confirmation' | 'button' | 'key' | 'atHand' | 'usual'
>;

export interface OrderForm extends FormWords {
  /** Null: a note is no move. */
  readonly move: MoveName | null;
  readonly path: string;
  readonly fields: readonly Field[];
}

export const noteField = {
  kind: 'long',
  name: 'note',
  label: 'Note',
  hint: 'Seen by staff only, and found by search.',
  missing: 'Write the note.',
  most: 2_000,
} as const satisfies FormField;

const noteForm: OrderForm = {
  move: null,
  path: 'note',
  label: 'Note',
  title: 'Add a note',
  button: 'Add it',
  key: 'e',
  atHand: true,
  fields: [{ ...noteField, longest: noteField.most }],
};

/** In the order in which the page of an order shows them. */
export const orderForms: readonly OrderForm[] = [...moveNames.map(formOf), noteForm];

function formOf(move: MoveName): OrderForm {
  const { path, carries } = moveRules[move];
  const fields = Object.entries<MoveField>(carries).map(([name, field]) => ({ ...field, name }));
  return { ...moveWords[move], move, path, fields };
}

export function formAt(path: string): OrderForm | undefined {
  return orderForms.find((form) => form.path === path);
}

export function choicesOf(field: Field, { people, order }: FormContext): FieldChoice[] {
  switch (field.kind) {
    case 'choice':
      return Object.entries(field.names).map(([value, name]) => ({ value, name }));
    case 'person':
      return people
        .filter(({ id }) => id !== order.ownerId)
        .map(({ id, name, role }) => ({ value: id, name: `${name} (${role})` }));
    case 'text':
    case 'long':
    case 'time':
    case 'order':
      return [];
  }
}

/** The fields of a form as a page draws them, with what each holds before anything is typed. */
export function drawnFields({ fields }: OrderForm, about: FormContext): FormField[] {
  return fields.map((field) => {
    const { name, label, hint, missing } = field;
    const common = { name, label, hint, missing };
    switch (field.kind) {
      case 'long':
        return { ...common, kind: 'long', most: field.longest };
      case 'text':
        return { ...common, most: field.longest };
      case 'choice':
      case 'person': {
        const choices = [{ value: '', name: 'Choose …' }, ...choicesOf(field, about)];
        return { ...common, kind: 'choice', choices };
      }
      case 'time': {
        const suggestions = suggestedTimes(about).map(({ name: text, at }) => {
          return { value: toLocalInput(at), name: text };
        });
        const input = { type: 'datetime-local' } as const;
        return { ...common, suggestions, first: suggestions[0]!.value, input };
      }
      case 'order': {
        const suggestions = about.twins.map((value) => ({ value }));
        return { ...common, most: 12, suggestions, first: about.twins[0] ?? '' };
      }
    }
  });
}

/** Times to choose with one press: within working hours, soonest last. */
export function suggestedTimes({ now, calendar }: FormContext): { name: string; at: Date }[] {
  const hour = 3_600_000;
  const morning = (days: number) =>
    startOfWork(new Date(now.getTime() + days * 24 * hour), calendar);
  const tomorrow = morning(1);
  return [
    {
      name: 'Next working day, an hour after work begins',
      at: new Date(tomorrow.getTime() + hour),
    },
    { name: 'In an hour of working time', at: wholeMinutes(addWorkingTime(now, hour, calendar)) },
    {
      name: 'In four hours of working time',
      at: wholeMinutes(addWorkingTime(now, 4 * hour, calendar)),
    },
    { name: 'In a week', at: new Date(morning(7).getTime() + hour) },
  ];
}

/** When work begins on the first working day from that of `at` on. */
function startOfWork(at: Date, calendar: Calendar): Date {
  const midnight = fromLocalInput(`${toLocalInput(at).slice(0, 10)}T00:00`) ?? at;
  return new Date(addWorkingTime(midnight, 1, calendar).getTime() - 1);
}

function wholeMinutes(at: Date): Date {
  return new Date(Math.ceil(at.getTime() / 300_000) * 300_000);
}

/** What was typed into a form, checked. */
export interface Typed {
  readonly values: Readonly<Record<string, string>>;
  /** What the move carries; empty fields are left out. */
  readonly input: Readonly<Record<string, string | Date>>;
  readonly faults: FieldFaults;
}

export function readOrderForm({ fields }: OrderForm, form: Form, about: FormContext): Typed {
  const values: Record<string, string> = {};
  const input: Record<string, string | Date> = {};
  const faults = new Map<string, string>();
  for (const field of fields) {
    const text = form.text(field.name);
    values[field.name] = text;
    const fault = text === '' ? (field.missing ?? null) : faultOf(field, text, about);
    if (fault !== null) faults.set(field.name, fault);
    else if (text !== '') input[field.name] = field.kind === 'time' ? fromLocalInput(text)! : text;
  }
  return { values, input, faults };
}

function faultOf(field: Field, text: string, about: FormContext): string | null {
  switch (field.kind) {
    case 'text':
    case 'long':
      return [...text].length > field.longest
        ? `At most ${field.longest} characters; these are ${[...text].length}.`
        : null;
    case 'choice':
    case 'person':
      return choicesOf(field, about).some(({ value }) => value === text)
        ? null
        : 'Choose one of the list.';
    case 'time': {
      const at = fromLocalInput(text);
      if (at === null) return 'Give a day and a time, such as 21/11/2026, 09:30.';
      return at > about.now ? null : 'Choose a time that is still to come.';
    }
    case 'order':
      return null;
  }
}
