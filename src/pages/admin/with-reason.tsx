import { TextField } from '../forms/fields.js';

interface WithReasonProps {
  /** Of the field. */
  readonly id: string;
  readonly action: string;
  /** "Revoke". */
  readonly verb: string;
  /** "the token that ends in 4f2a". */
  readonly what: string;
  readonly hint: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly refused?: { readonly fault: string; readonly reason: string };
}

/** Something with consequences: a button that opens, and asks why. */
export function WithReason(props: WithReasonProps) {
  const { id, action, verb, what, hint, fields = {}, refused } = props;
  return (
    <details class="with-reason" open={refused !== undefined}>
      <summary>
        {verb}
        <span class="unseen">{` ${what}`}</span>
      </summary>
      <form method="post" action={action}>
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <TextField
          name="reason"
          id={id}
          label="Why?"
          hint={hint}
          value={refused?.reason}
          faults={refused && new Map([['reason', refused.fault]])}
          input={{ maxLength: 200, required: true, autocomplete: 'off' }}
        />
        <button type="submit" class="danger">
          {verb}
          <span class="unseen">{` ${what}`}</span>
        </button>
      </form>
    </details>
  );
}
