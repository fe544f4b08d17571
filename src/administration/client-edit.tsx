import type { ApiClient } from '../clients/api-client.entity.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { FormPage } from '../platform/ui/form-page.js';
import type { FormField, RefusedForm } from '../platform/ui/forms/form-spec.js';
import { Notice, Time } from '../platform/ui/parts.js';
import { Facts } from '../platform/ui/table.js';

/** What a colleague has saved since the form was opened. */
interface EditConflict {
  readonly by: string;
  readonly at: Date | null;
  /** The fields whose stored value differs from the typed one. */
  readonly theirs: readonly FormField[];
  readonly now: Date;
}

interface ClientEditProps {
  readonly viewer: StaffCaller;
  readonly client: ApiClient;
  readonly fields: readonly FormField[];
  /** The version that the form replaces. */
  readonly version: number;
  readonly refused?: RefusedForm;
  readonly conflict?: EditConflict;
  /** Why else what was sent was not saved. */
  readonly reason?: string;
}

/** The name of the draft of the form. */
export function draftOfEdit({ id }: Pick<ApiClient, 'id'>): string {
  return `clients/${id}/edit`;
}

export function ClientEditPage(props: ClientEditProps) {
  const { viewer, client, fields, version, refused, conflict } = props;
  return (
    <FormPage
      title={`Edit ${client.name}`}
      viewer={viewer}
      here="clients"
      draft={draftOfEdit(client)}
      replaces
      action={`/staff/clients/${client.id}/edit`}
      hidden={{ version: Number.isNaN(version) ? '' : version }}
      fields={fields}
      refused={refused}
      conflict={props.reason}
      button="Save"
      cancel={`/staff/clients/${client.id}`}
      intro={conflict && <Conflict {...conflict} />}
    />
  );
}

function Conflict({ by, at, theirs, now }: EditConflict) {
  return (
    <Notice kind="bad" title={`${by} has edited this client since you opened the form.`}>
      <p>
        {'Nothing of yours is saved yet. Saved '}
        {at ? <Time at={at} now={now} /> : 'meanwhile'}
        {theirs.length > 0 ? ', and different from what you typed:' : '. You typed the same.'}
      </p>
      {theirs.length > 0 && (
        <Facts of={theirs.map(({ label, first }) => [label, first || '(empty)'] as const)} />
      )}
      <p>To replace these values with yours, save again.</p>
    </Notice>
  );
}
