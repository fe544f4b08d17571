import type { Check } from '../availability/check.entity.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { FormPage } from '../platform/ui/form-page.js';
import { inputForm, type Refusal } from '../platform/ui/forms/input-form.js';
import { Notice } from '../platform/ui/parts.js';
import { CallerWatch } from './telephone.dto.js';

export const callerForm = inputForm(CallerWatch, {
  email: {
    label: 'Email',
    input: { type: 'email', autofocus: true },
    missing: 'Enter an email address.',
  },
});

interface CallerWatchProps extends Partial<Pick<Refusal, 'refused' | 'conflict'>> {
  readonly viewer: StaffCaller;
  readonly check: Check;
  /** Whether such emails are sent. */
  readonly isOn: boolean;
}

/** Asks where a caller who is no client wants to be notified. */
export function CallerWatchPage({ viewer, check, isOn, refused, conflict }: CallerWatchProps) {
  return (
    <FormPage
      {...{ viewer, refused, conflict }}
      title={`Notify this caller about ${check.postcode}`}
      here="check"
      action={`/staff/check/${check.id}/watch`}
      fields={callerForm.fields}
      draft={`check/${check.id}/watch`}
      button="Notify this caller"
      cancel={`/staff/check/${check.id}`}
      intro={
        isOn ? (
          <p class="hint">
            The caller gets one email as soon as products can be ordered there, for a year.
          </p>
        ) : (
          <Notice kind="soon" title="Email is off: log an enquiry instead, and call them." />
        )
      }
    />
  );
}
