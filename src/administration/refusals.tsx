import type { StaffCaller } from '../platform/access/caller.js';
import { type FieldError, Problem } from '../platform/problems/problem.js';
import { Refused } from '../platform/problems/refused.js';
import type { Form } from '../platform/ui/forms/form.js';
import { FormPage, type FormPageSpec } from '../platform/ui/form-page.js';
import { checkForm, refuseForm } from '../platform/ui/forms/form-spec.js';
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

/**
 * Adds what a form describes, and redirects to its page.
 * @param field shows the fault if the service refuses
 */
export async function addByForm<Code extends string>(
  spec: FormPageSpec,
  { viewer, form }: { readonly viewer: StaffCaller; readonly form: Form },
  field: string,
  messages: FlashMessages<Code>,
  said: Code,
  add: () => Promise<{ readonly id: string }>,
) {
  let refused = checkForm(spec.fields, form);
  if (!refused) {
    const outcome = await attempt(add);
    if ('result' in outcome)
      return messages.redirect(`${spec.action}/${outcome.result.id}`, said, spec.draft);
    refused = refuseForm(spec.fields, form, new Map([[field, outcome.refused]]));
  }
  return page(<FormPage {...spec} viewer={viewer} refused={refused} />, 422);
}
