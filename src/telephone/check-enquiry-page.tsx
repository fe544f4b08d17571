import type { StaffCaller } from '../platform/access/caller.js';
import { isDirectClient } from '../clients/api-client.entity.js';
import { TelephoneEnquiry } from './telephone.dto.js';
import type { TelephoneCheck } from './telephone.service.js';
import type { Problem } from '../platform/problems/problem.js';
import type { RefusedForm } from '../platform/ui/forms/form-spec.js';
import { inputForm } from '../platform/ui/forms/input-form.js';
import { Fields, PostForm, RefusedSummary } from '../platform/ui/forms/form-view.js';
import { Layout } from '../platform/ui/layout.js';
import { Notice } from '../platform/ui/parts.js';
import { Facts } from '../platform/ui/table.js';
import { contactWords, otherWords } from './caller-fields.js';

const wantedWords = {
  description: {
    label: 'What the caller wants',
    hint: 'In their words. The client can see it. Optional if you enter a bandwidth.',
    long: true,
    input: { autofocus: true },
  },
  bandwidth: {
    label: 'Bandwidth in Gbit/s (optional)',
    hint: 'Such as 10, or 0.1 for 100 Mbit/s.',
  },
  term: { label: 'Term in months (optional)', input: { inputMode: 'numeric', maxLength: 3 } },
} as const;

export const enquiryForm = inputForm(TelephoneEnquiry, {
  ...wantedWords,
  ...contactWords,
  ...otherWords,
});
const fieldsOf = (words: object) => enquiryForm.fields.filter(({ name }) => name in words);

interface EnquiryObstacle {
  readonly title: string;
  readonly text: string;
}

/** Why the enquiry was refused. */
export function enquiryObstacleOf({ code, title, detail }: Problem): EnquiryObstacle {
  return code === 'idempotency-key-reused'
    ? {
        title: 'This form has already logged an enquiry',
        text: 'You changed the form since. Look for that enquiry first. To log another one, send this form again.',
      }
    : { title, text: detail };
}

interface CheckEnquiryPageProps extends Omit<TelephoneCheck, 'offers'> {
  readonly viewer: StaffCaller;
  readonly refused?: RefusedForm;
  /** The idempotency key of the form. */
  readonly onceKey: string;
  readonly obstacle?: EnquiryObstacle;
}

/** Logs an enquiry for a caller on the phone. */
export function CheckEnquiryPage(props: CheckEnquiryPageProps) {
  const { viewer, client, check, onceKey, refused, obstacle } = props;
  const isDirect = isDirectClient(client);
  const title = isDirect ? 'Log an enquiry' : `Enquiry for ${client.name}`;
  return (
    <Layout title={title} viewer={viewer} here="check" width="narrow">
      {obstacle && (
        <Notice kind="bad" title={obstacle.title}>
          <p>{obstacle.text}</p>
        </Notice>
      )}
      <RefusedSummary refused={refused} />
      <Facts
        class="terms"
        of={[
          ['Postcode', check.postcode],
          check.uprn !== null && ['UPRN', String(check.uprn)],
          ['Caller', isDirect ? 'No client yet' : client.name],
        ]}
      />
      <PostForm
        class="order-form"
        draft={`check/${check.id}/enquiry`}
        draftTitle={`${title}, ${check.postcode}`}
        action={`/staff/check/${check.id}/enquiry`}
        hidden={{ key: onceKey }}
        fields={fieldsOf(otherWords)}
        refused={refused}
        button="Log enquiry"
        kind="primary"
        cancel={`/staff/check/${check.id}`}
        cancelText="Back to the check"
      >
        <Fields of={fieldsOf(wantedWords)} refused={refused} />
        <fieldset>
          <legend>Contact for this enquiry</legend>
          <p class="hint">
            {isDirect
              ? 'Enter the name, and a phone number or an email address.'
              : `Leave blank to use ${client.contactName}, ${client.contactPhone}.`}
          </p>
          <Fields
            of={fieldsOf(contactWords).map(({ input, ...field }) => ({
              ...field,
              ...(isDirect &&
                field.name === 'name' && {
                  missing: 'Enter a name.',
                  hint: 'With the company, for example Ada Lovelace, Acme Ltd.',
                }),
              input: { ...input, autofocus: false },
            }))}
            refused={refused}
          />
        </fieldset>
      </PostForm>
    </Layout>
  );
}
