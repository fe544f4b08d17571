import { type FieldError, Problem } from '../../problems/problem.js';
import { Refused } from '../../problems/refused.js';
import type { Form } from '../forms/form.js';
import { checkForm, type FormField, refuseForm, type RefusedForm } from '../forms/form-spec.js';

/** What came of a request to a service; `refused` says why it did nothing, in words for people. */
export type ServiceReply<T> = { readonly result: T } | { readonly refused: string };

/** @throws whatever is no refusal */
export async function attempt<T>(work: () => Promise<T>): Promise<ServiceReply<T>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    if (error instanceof Problem && error.status < 500) return { refused: inWords(error) };
    throw error;
  }
}

export function inWords({ detail, errors }: { detail: string; errors: readonly FieldError[] }) {
  return [detail, ...errors.map((error) => error.detail)].join(' ');
}

/** Checks a form, then has a service do what it asks for: what that refuses is a fault of `field`. */
export async function submit<T>(
  fields: readonly FormField[],
  form: Form,
  field: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T } | { readonly refused: RefusedForm }> {
  const faulty = checkForm(fields, form);
  if (faulty) return { refused: faulty };
  const outcome = await attempt(work);
  if ('result' in outcome) return outcome;
  return { refused: refuseForm(fields, form, new Map([[field, outcome.refused]])) };
}
