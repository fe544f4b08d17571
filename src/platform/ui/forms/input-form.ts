/** Forms whose fields, rules and messages come from the DTO of their input. The words are the page's. */
import { plainToInstance } from 'class-transformer';
import {
  fieldsOfInput,
  type InputField,
  type InputType,
  readNumber,
  validOrFaults,
} from '../../http/valid.js';
import { type FieldError, Problem, ValidationFailed } from '../../problems/problem.js';
import { Refused } from '../../problems/refused.js';
import { fromLocalInput } from '../../kernel/time-words.js';
import type { FieldChoice } from './fields.js';
import {
  CHOOSE,
  choicesOf,
  ENTER_TIME,
  type FieldLook,
  type FormField,
  plainAmount,
  type RefusedForm,
  refuseForm,
  sentText,
} from './form-spec.js';
import type { UnreadFile, Form } from './form.js';

interface Look extends Pick<
  FieldLook,
  'label' | 'hint' | 'first' | 'input' | 'unit' | 'suggestions'
> {
  /** The fault of a text that is not among the choices or, without choices, that its rules refuse. */
  readonly wrong?: string;
  /** The name of the empty choice: nothing has to be chosen. */
  readonly any?: string;
}

/** An instant may be one of some chips, or typed. The first chip is chosen at first. */
interface ChipsLook {
  readonly chips?: readonly FieldChoice[];
  readonly own?: FieldLook['own'];
}

/** The words of a property: a code has a name for each value, and a text may have several lines. */
type WordsOf<V> = Look &
  ([V] extends [boolean]
    ? { readonly names?: Readonly<Record<'yes' | 'no', string>> }
    : [V] extends [string]
      ? string extends V
        ? { readonly long?: true; readonly upper?: true; readonly choices?: readonly FieldChoice[] }
        : { readonly names: Readonly<Record<V, string>> }
      : [V] extends [readonly (infer Item extends string)[]]
        ? { readonly names: Readonly<Record<Item, string>> }
        : [V] extends [Date]
          ? ChipsLook
          : [V] extends [number]
            ? { readonly choices?: readonly FieldChoice[] }
            : unknown);

/** What a form says where a required property is empty. */
type MissingOf<T, N extends keyof T> =
  object extends Pick<T, N> ? OptionalWords : { readonly missing: string };

interface OptionalWords {
  readonly missing?: string;
  /** The form needs the property, which its input does not. */
  readonly needed?: true;
}

export type InputWords<T> = {
  readonly [N in keyof T]?: WordsOf<NonNullable<T[N]>> & MissingOf<T, N>;
};

/** Any words. */
interface SomeWords extends Look, ChipsLook, OptionalWords {
  readonly names?: Readonly<Record<string, string>>;
  readonly choices?: readonly FieldChoice[];
  readonly long?: true;
  readonly upper?: true;
}

export interface InputForm<T extends object> {
  readonly type: InputType<T>;
  /** As they are drawn, in the order of the words. */
  readonly fields: readonly FormField[];
  readonly inputs: readonly InputField[];
  readonly words: ReadonlyMap<string, SomeWords>;
  /** The input that was sent. */
  readonly read: (sent: Form) => object;
  /** Rules that depend on more than the input, which may be wrong in other ways. What they say of a wrong property is left out. */
  rules?(input: Partial<T>): readonly FieldError[];
  /** The name of the field of a fault. */
  readonly fieldAt: (pointer: string) => string;
}

/** Properties without words are hidden, or not sent. */
export function inputForm<T extends object>(
  type: InputType<T>,
  words: InputWords<T>,
): InputForm<T> {
  const inputs = fieldsOfInput(type);
  const worded = new Map(Object.entries<SomeWords>(words as Record<string, SomeWords>));
  const fields = [...worded].map(([name, of]) => {
    const input = inputs.find((one) => one.name === name);
    if (!input) throw new Error(`${type.name} has no rule for ${name}.`);
    return fieldOf(input, of);
  });
  const read = (sent: Form) => valuesIn(inputs, worded, sent);
  return { type, fields, inputs, words: worded, read, fieldAt: (pointer) => pointer.slice(1) };
}

/** A form whose fields are not the properties of its input, such as those of a list. */
export function ownForm<T extends object>(
  form: Pick<InputForm<T>, 'type' | 'fields' | 'read' | 'fieldAt' | 'rules'>,
): InputForm<T> {
  return { ...form, inputs: [], words: new Map() };
}

function fieldOf({ name, kind, required, longest }: InputField, words: SomeWords): FormField {
  const { label, hint, first, input, names, choices, long, suggestions, chips } = words;
  const missing = required || words.needed ? words.missing : undefined;
  const field = { label, hint, first, input, suggestions, name, most: longest, missing };
  const named = names && Object.entries(names).map(([value, text]) => ({ value, name: text }));
  if (named && kind === 'list') return { ...field, kind: 'ticks', choices: named };
  const offered = named ?? choices;
  if (offered && words.any !== undefined) {
    return { ...field, kind: 'choice', choices: [{ value: '', name: words.any }, ...offered] };
  }
  if (named)
    return { ...field, kind: 'choice', choices: first === undefined ? choicesOf(named) : named };
  if (choices) return { ...field, kind: 'choice', choices };
  if (long) return { ...field, kind: 'long' };
  if (kind === 'boolean') return { ...field, kind: 'tick' };
  if (kind === 'number') {
    return { ...field, input: { inputMode: 'decimal', maxLength: 14, ...input } };
  }
  if (kind !== 'instant') return field;
  const timed: FormField = { ...field, input: { type: 'datetime-local' } };
  if (!chips) return timed;
  return { ...timed, kind: 'chips', choices: chips, own: words.own, first: chips[0]?.value };
}

/** Why an input was not taken: with the typed values, and their faults or the reason. */
export interface Refusal {
  readonly status: number;
  readonly refused: RefusedForm;
  readonly conflict?: string;
  /** What the conflict is about. */
  readonly problem?: Problem;
}

/**
 * Reads the input, checks it by the rules of its DTO, and does the work. What the service refuses is a
 * `Refusal` too, at its field if it names one.
 * @param at the suffix of the ids, where a page has the form several times
 * @throws any other error, and a problem that the page cannot show, such as 404
 */
export async function send<T extends object, R>(
  form: InputForm<T>,
  sent: Form,
  work: (input: T) => Promise<R>,
  at = '',
): Promise<{ readonly result: R } | Refusal> {
  try {
    return { result: await work(inputIn(form, sent)) };
  } catch (error) {
    return refusalOf(error, form, sent, at);
  }
}

/** Reads a query, which changes nothing: the input, or the form with its faults. */
export function readQuery<T extends object>(
  form: InputForm<T>,
  query: Form,
  at = '',
): { readonly input: T } | Refusal {
  try {
    return { input: inputIn(form, query) };
  } catch (error) {
    return refusalOf(error, form, query, at);
  }
}

/** @throws {ValidationFailed} with the faults of all rules */
export function inputIn<T extends object>(form: InputForm<T>, sent: Form): T {
  if (sent.fileFault) throw new ValidationFailed([refusedFile(sent.fileFault)]);
  const input = form.read(sent);
  const checked = validOrFaults(form.type, input);
  const refused = Array.isArray(checked) ? checked : [];
  const faults = [
    ...faultsOfWords(form, sent),
    ...refused.map(({ detail, ...fault }) => {
      const wrong =
        fault.code === 'required' ? undefined : form.words.get(form.fieldAt(fault.pointer))?.wrong;
      return { ...fault, detail: wrong ?? detail };
    }),
  ];
  const wrong = new Set(faults.map(({ pointer }) => pointer));
  const others = form.rules?.(plainToInstance(form.type, input)) ?? [];
  faults.push(...others.filter(({ pointer }) => !wrong.has(pointer)));
  if (faults.length > 0) throw new ValidationFailed(faults);
  return checked as T;
}

const refusedFile = ({ field, detail }: UnreadFile): FieldError => ({
  pointer: `/${field}`,
  code: 'not-allowed',
  detail,
});

/** Of texts that this form needs, and of those that are not among their choices. */
function faultsOfWords({ words }: InputForm<object>, sent: Form): FieldError[] {
  return [...words].flatMap(([name, { choices, wrong, needed, missing = '' }]) => {
    if (!choices && !(needed && sent.has(name))) return [];
    const text = sentText(name, sent);
    if (needed && text === '') return { pointer: `/${name}`, code: 'required', detail: missing };
    const isRight = !choices || text === '' || choices.some(({ value }) => value === text);
    if (wrong === undefined || isRight) return [];
    return { pointer: `/${name}`, code: 'not-allowed', detail: wrong };
  });
}

/** @throws the error, unless the form can show it */
export function refusalOf(error: unknown, form: InputForm<object>, sent: Form, at = ''): Refusal {
  const typed = (faults: ReadonlyMap<string, string>) => refuseForm(form.fields, sent, faults, at);
  const isShown = error instanceof Problem && error.status < 500 && error.status !== 404;
  if (!isShown && !(error instanceof Refused)) throw error;
  const { field } = error;
  if (field !== undefined && form.words.has(field)) {
    const fault = { pointer: `/${field}`, code: 'not-allowed', detail: error.message };
    const faults = new Map([[field, faultInWords(form, field, fault, sent)]]);
    return { status: 422, refused: typed(faults) };
  }
  if (error instanceof Refused) {
    return { status: 409, refused: typed(new Map()), conflict: error.message };
  }
  const faults = new Map(
    form.fields.flatMap(({ name }) => {
      const fault = error.errors.find(({ pointer }) => form.fieldAt(pointer) === name);
      return fault ? [[name, faultInWords(form, name, fault, sent)] as const] : [];
    }),
  );
  const others = error.errors.filter(({ pointer }) => !faults.has(form.fieldAt(pointer)));
  const refused = typed(faults);
  if (error.errors.length > 0 && others.length === 0) return { status: 422, refused };
  const isInvalid = error instanceof ValidationFailed;
  const words = [...(isInvalid ? [] : [error.detail]), ...others.map(({ detail }) => detail)];
  return {
    status: isInvalid ? 422 : error.status,
    refused,
    conflict: words.join(' '),
    problem: error,
  };
}

/** The message of the rule, unless it speaks to a program. */
function faultInWords(
  { inputs, words }: InputForm<object>,
  name: string,
  { code, detail }: FieldError,
  sent: Form,
): string {
  const { names, choices, any, missing, wrong } = words.get(name) ?? {};
  const kind = inputs.find((input) => input.name === name)?.kind;
  if (code === 'required' || kind === 'list') return missing ?? detail;
  if (names && !Object.hasOwn(names, sentText(name, sent))) return CHOOSE;
  const isListed = choices?.some(({ value }) => value === sentText(name, sent));
  if (any !== undefined && !names && !isListed) return wrong ?? CHOOSE;
  return kind === 'instant' && code === 'wrong-type' ? ENTER_TIME : detail;
}

/** The properties that were sent. A text that cannot be read stays a text, which their rules refuse. */
function valuesIn(
  inputs: InputForm<object>['inputs'],
  words: InputForm<object>['words'],
  sent: Form,
): object {
  return Object.fromEntries(
    inputs.flatMap(({ name, kind }) => {
      const value = valueOf(sent, name, kind, words.get(name));
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function valueOf(sent: Form, name: string, kind: InputField['kind'], words?: SomeWords): unknown {
  if (kind === 'list') return sent.has(name) ? sent.all(name) : undefined;
  const text = sentText(name, sent);
  if (text === '') return kind === 'boolean' && words && !words.names ? false : undefined;
  switch (kind) {
    case 'boolean':
      return text === 'yes' ? true : text === 'no' ? false : text;
    case 'instant':
      return fromLocalInput(text)?.toISOString() ?? text;
    case 'number':
      return readNumber(plainAmount(words?.unit === '%' ? text.replace(/\s*%$/, '') : text));
    case 'text':
      return words?.upper ? text.toUpperCase() : text;
  }
}
