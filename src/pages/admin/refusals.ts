import { type FieldError, Problem } from '../../problems/problem.js';
import { Refused } from '../../problems/refused.js';

/** What came of a request to a service; `refused` says why it did nothing, in words for people. */
export type Attempt<T> = { readonly result: T } | { readonly refused: string };

/** @throws whatever is no refusal */
export async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    if (error instanceof Problem && error.status < 500) return { refused: inWords(error) };
    throw error;
  }
}

/** A problem with all that it says of single fields. */
export function inWords({ detail, errors }: { detail: string; errors: readonly FieldError[] }) {
  return [detail, ...errors.map((error) => error.detail)].join(' ');
}
