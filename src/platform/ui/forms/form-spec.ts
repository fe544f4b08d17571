/** Forms as tables of fields: how each field is read, checked and drawn. */
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { isDay } from '../../kernel/time.js';
import { type FieldChoice, type FieldFaults, idOfTick } from './fields.js';
import { Form } from './form.js';

export interface FieldLook {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** The value before anything is typed. */
  readonly first?: string;
  /**
   * Default `text`: one line. `long` has several lines; `tick` is sent as `yes`, `ticks` as one value per box.
   * `chips` are radio buttons, of which the last one leads to a line of text.
   */
  readonly kind?: 'text' | 'long' | 'choice' | 'tick' | 'ticks' | 'chips';
  readonly choices?: readonly FieldChoice[];
  /** Of `chips`: the name of the last one, and the label and hint of its line of text. */
  readonly own?: Pick<FieldLook, 'label' | 'hint'> & { readonly chip: string };
  /** Values that a browser proposes for a line of text. */
  readonly suggestions?: readonly { readonly value: string; readonly name?: string }[];
  /** A person may type `%` after the number. */
  readonly unit?: '%';
  /** Further attributes of a line of text. Of several lines and choices, only `autofocus`. */
  readonly input?: InputHTMLAttributes<HTMLInputElement>;
}

/** A field of a form; `inputForm` makes those of an input. */
export interface FormField extends FieldLook {
  readonly name: string;
  /** Maximum length in characters. */
  readonly most?: number;
  /** The fault of an empty text. Without it, the text is optional. */
  readonly missing?: string;
}

export const CHOOSE = 'Choose an option from the list.';
export const ENTER_TIME = 'Enter a day and a time, such as 21/11/2026, 09:30.';

/** The choices, after an empty one. */
export function choicesOf(choices: readonly FieldChoice[]): readonly FieldChoice[] {
  return [{ value: '', name: 'Choose …' }, ...choices];
}

/** The choices, and the value of an address that is not among them. */
export function withValue(
  choices: readonly FieldChoice[] = [],
  value = '',
  name = value,
): readonly FieldChoice[] {
  const isOffered = value === '' || choices.some((one) => one.value === value);
  return isOffered ? choices : [...choices, { value, name }];
}

/** A browser's date field drops any other text: the person could not correct what was refused. */
export function dateInput(name: string, refused?: RefusedForm | null): FieldLook['input'] {
  const isText = refused?.faults.has(name) && !isDay(refused.form.text(name));
  return isText ? {} : { type: 'date' };
}

/** An amount as pages show it, such as `£1,250.00`, without sign and commas. Any other text stays as it is. */
export function plainAmount(text: string): string {
  const [, amount = text] = /^£\s*(\d[\d,]*(?:\.\d+)?)$/.exec(text) ?? [];
  return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(amount) ? amount.replaceAll(',', '') : amount;
}

/** A form that is shown again, with the typed values and their faults. */
export interface RefusedForm {
  readonly form: Form;
  readonly faults: FieldFaults;
  /** The id of each field, by its name. */
  readonly ids: Readonly<Record<string, string>>;
  /** The labels of the fields whose faults do not say which field they are about. */
  readonly labels: Readonly<Record<string, string>>;
  /** The suffix of the ids, where a page shows the form several times. */
  readonly at: string;
}

export function refuseForm(
  fields: readonly FormField[],
  form: Form,
  faults: FieldFaults,
  at = '',
): RefusedForm {
  const idOf = (field: FormField) =>
    form.all(field.name)[0] === OWN ? idOfOwn(field) : idOfField(field, at);
  const ids = Object.fromEntries(fields.map((field) => [field.name, idOf(field)]));
  const labels = Object.fromEntries(
    fields
      .filter(({ name, missing }) => faults.get(name) !== missing)
      .map(({ name, label }) => [name, label.replace(/ \(optional\)$/, '')]),
  );
  return { form, faults, ids, labels, at };
}

/** The value of the last one of `chips`. */
export const OWN = 'own';

/** The name, and the id, of the line of text of `chips`. */
export function idOfOwn({ name }: Pick<FormField, 'name'>): string {
  return `${name}-${OWN}-text`;
}

/** The text of a field; of `chips`, what was chosen or typed instead. */
export function sentText(name: string, form: Form): string {
  const text = form.text(name);
  return text === OWN ? form.text(idOfOwn({ name })) : text;
}

export function ticked({ name, choices = [] }: FormField, form: Form): string[] {
  return choices.map(({ value }) => value).filter((value) => form.all(name).includes(value));
}

/** The id to which links to the field lead: of `ticks` and `chips`, that of the first box. */
export function idOfField({ name, kind, choices = [] }: FormField, at: string): string {
  if ((kind === 'ticks' || kind === 'chips') && choices[0]) return idOfTick(name, choices[0].value);
  return at === '' ? name : `${name}-${at}`;
}

export function valuesOf(fields: readonly FormField[]): Record<string, string> {
  return Object.fromEntries(fields.map(({ name, first = '' }) => [name, first]));
}

/**
 * What the member saw in a field: the hidden field `seen` has the values with which the form was opened, as JSON. Undefined
 * where the form does not say it.
 */
export function seenIn(form: Form, name: string): unknown {
  try {
    return (JSON.parse(form.text('seen')) as Record<string, unknown> | null)?.[name];
  } catch {
    return undefined;
  }
}

/** What was sent, at the stored version: what the member has not changed is as it is stored. */
export function withStored(form: Form, fields: readonly FormField[], version: number): Form {
  const stored = valuesOf(fields);
  const merged = new URLSearchParams(form.entries());
  for (const [name, value] of Object.entries(stored)) {
    if (form.text(name) === seenIn(form, name)) merged.set(name, value);
  }
  merged.set('version', String(version));
  merged.set('seen', JSON.stringify(stored));
  return Form.of(merged);
}
