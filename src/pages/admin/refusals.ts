import { type FieldError, Problem } from '../../problems/problem.js';
import { Refused } from '../../problems/refused.js';

/** What a service refuses to do, in words for whoever asked; anything else goes on. */
export async function refusal(doing: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await doing();
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    if (error instanceof Problem && error.status < 500) return inWords(error);
    throw error;
  }
}

function inWords({ detail, errors }: { detail: string; errors: readonly FieldError[] }): string {
  return [detail, ...errors.map((error) => error.detail)].join(' ');
}
