/** Forms as tables of their fields, which say how each is read, checked and drawn. */
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { faultsOf, type TextRule } from '../../kernel/text-rules.js';
import { fromLocalInput } from '../shell/times.js';
import type { FieldChoice, FieldFaults } from './fields.js';
import type { Form } from './form.js';

interface FieldLook {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** What the field holds before anything is typed. */
  readonly first?: string;
  /** A line of text, if left out. A `long` text has several lines, a `tick` is sent as `yes`, `ticks` as one value a box. */
  readonly kind?: 'long' | 'choice' | 'tick' | 'ticks';
  readonly choices?: readonly FieldChoice[];
  /** What a browser proposes for a line of text. */
  readonly suggestions?: readonly { readonly value: string; readonly name?: string }[];
  /** More about the input of a line: its type, or what a browser may fill in. */
  readonly input?: InputHTMLAttributes<HTMLInputElement>;
}

export type FormField = TextRule & FieldLook;

/** The fields of texts whose rules also hold elsewhere, at the command line for example. */
export function fieldsOf<Name extends string>(
  rules: readonly (TextRule & { readonly name: Name })[],
  looks: Readonly<Record<Name, FieldLook>>,
): FormField[] {
  return rules.map((rule) => ({ ...rule, ...looks[rule.name] }));
}

export function numberField(
  about: FieldLook & Pick<TextRule, 'name'>,
  range: { readonly from: number; readonly to: number; readonly optional?: boolean },
): FormField {
  const { from, to, optional } = range;
  const wrong = `Write a whole number from ${from} to ${to}${optional ? ', or nothing' : ''}.`;
  return {
    ...about,
    wrong,
    ...(!optional && { missing: wrong }),
    is: (text) => /^\d{1,15}$/.test(text) && Number(text) >= from && Number(text) <= to,
    input: { inputMode: 'numeric', maxLength: String(to).length },
  };
}

export function timeField(about: FieldLook & Pick<TextRule, 'name'>): FormField {
  return {
    ...about,
    is: (text) => fromLocalInput(text) !== null,
    wrong: 'Write a day and a time, such as 21/11/2026, 09:30.',
    input: { type: 'datetime-local' },
  };
}

/** A form that is shown again, with what was typed and what is wrong with it. */
export interface RefusedForm {
  readonly form: Form;
  readonly faults: FieldFaults;
  /** The id of each field, by its name. */
  readonly ids: Readonly<Record<string, string>>;
  /** Ends the ids of a form that a page shows several times: the id of what it is about. */
  readonly at: string;
}

/** Null where nothing is wrong. */
export function checkForm(fields: readonly FormField[], form: Form, at = ''): RefusedForm | null {
  const faults = faultsOf((name) => {
    const field = fields.find((one) => one.name === name)!;
    return field.kind === 'ticks' ? ticked(field, form).join(' ') : form.text(name);
  }, fields);
  return faults.size === 0 ? null : refuseForm(fields, form, faults, at);
}

export function refuseForm(
  fields: readonly FormField[],
  form: Form,
  faults: FieldFaults,
  at = '',
): RefusedForm {
  const ids = Object.fromEntries(fields.map((field) => [field.name, idOfField(field, at)]));
  return { form, faults, ids, at };
}

export function ticked({ name, choices = [] }: FormField, form: Form): string[] {
  return choices.map(({ value }) => value).filter((value) => form.all(name).includes(value));
}

/** Of `ticks` that of the first box: a link to the field leads there. */
export function idOfField({ name, kind, choices = [] }: FormField, at: string): string {
  if (kind === 'ticks' && choices[0]) return idOfTick(name, choices[0].value);
  return at === '' ? name : `${name}-${at}`;
}

export function idOfTick(name: string, value: string): string {
  return `${name}-${value.replaceAll(':', '-')}`;
}
