import { type FieldError, Problem } from '../../common/problem.js';
import { Refused } from '../../common/refused.js';
import type { Faults } from '../fields.js';

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

interface Rule {
  readonly name: string;
  readonly most: number;
  /** What to write, where the field is empty. */
  readonly missing?: string;
  readonly is?: (text: string) => boolean;
  /** What to write, where `is` is false. */
  readonly wrong?: string;
}

/** What is wrong with texts of a form. */
export function faultsOf(read: (name: string) => string, rules: readonly Rule[]): Faults {
  const faults = new Map<string, string>();
  for (const { name, most, missing, is, wrong } of rules) {
    const text = read(name);
    if (text === '') {
      if (missing) faults.set(name, missing);
    } else if (text.length > most) {
      faults.set(name, `Write at most ${most} characters; these are ${text.length}.`);
    } else if (is && !is(text)) {
      faults.set(name, wrong ?? 'This is not right.');
    }
  }
  return faults;
}
