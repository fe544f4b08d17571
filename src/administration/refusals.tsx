import type { StaffCaller } from '../platform/access/caller.js';
import { type FieldError, Problem } from '../platform/problems/problem.js';
import { Refused } from '../platform/problems/refused.js';
import type { Form } from '../platform/ui/forms/form.js';
import { FormPage, type FormPageSpec } from '../platform/ui/form-page.js';
import { type InputForm, send } from '../platform/ui/forms/input-form.js';
import { type FlashMessages } from '../platform/ui/flash-messages.js';
import { page } from '../platform/ui/render.js';

/**
 * @returns the result, or in words why the service refused
 * @throws any error that is not a refusal
 */
export async function attempt<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T } | { readonly refused: string }> {
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

/** Adds what a form describes, and redirects to its page. */
export async function addByForm<T extends object, Code extends string>(
  spec: FormPageSpec & { readonly form: InputForm<T> },
  { viewer, form }: { readonly viewer: StaffCaller; readonly form: Form },
  messages: FlashMessages<Code>,
  said: Code,
  add: (input: T) => Promise<{ readonly id: string }>,
) {
  const sent = await send(spec.form, form, add);
  if ('refused' in sent) {
    const { status, refused, conflict } = sent;
    return page(
      <FormPage {...spec} viewer={viewer} refused={refused} conflict={conflict} />,
      status,
    );
  }
  return messages.redirect(`${spec.action}/${sent.result.id}`, said, spec.draft);
}
