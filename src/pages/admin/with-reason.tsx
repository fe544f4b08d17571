import { reasonRule } from '../../clients/client-rules.js';
import type { FormField, RefusedForm } from '../forms/form-spec.js';
import { PostForm } from '../forms/form-view.js';

export const reasonFields: readonly FormField[] = [{ ...reasonRule, label: 'Why?' }];

interface WithReasonProps {
  /** The id of what it is about: each form of a page has its own. */
  readonly at: string;
  readonly action: string;
  readonly verb: string;
  /** "the token that ends in 4f2a". */
  readonly what: string;
  readonly hint: string;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly refused?: RefusedForm | null;
}

/** Something with consequences: a button that opens, and asks why. */
export function WithReason({ verb, what, hint, refused, ...form }: WithReasonProps) {
  const text = (
    <>
      {verb}
      <span class="unseen">{` ${what}`}</span>
    </>
  );
  const button = (
    <button type="submit" class="danger">
      {text}
    </button>
  );
  const fields = reasonFields.map((field) => ({ ...field, hint }));
  return (
    <details class="with-reason" open={refused?.at === form.at}>
      <summary>{text}</summary>
      <PostForm {...form} fields={fields} refused={refused} button={button} />
    </details>
  );
}
