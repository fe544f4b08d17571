import type { Actor } from '../../audit/audit.service.js';
import { nameOf } from '../../orders/moves/move-fields.js';
import type { AuditEntry } from '../../audit/audit-entry.entity.js';
import type { StaffCaller } from '../../access/caller.js';
import { isAtLeast } from '../../access/scopes.js';
import type { Form } from '../forms/form.js';
import { type FormField, type RefusedForm, timeField } from '../forms/form-spec.js';
import { Fields, RefusedSummary } from '../forms/form-view.js';
import { Empty, Time } from '../shell/parts.js';
import { Table } from '../shell/table.js';
import { AdminLayout, ShortId } from './admin-layout.js';

interface AuditProps {
  readonly viewer: StaffCaller;
  readonly entries: readonly AuditEntry[];
  readonly query: Form;
  readonly refused: RefusedForm | null;
  readonly now: Date;
  /** Whether this is not the first page. */
  readonly continued: boolean;
  /** The address of the next page; null on the last. */
  readonly earlier: string | null;
}

const subjects = [
  ['', 'Everything'],
  ['order', 'Orders'],
  ['client', 'API clients'],
  ['token', 'Tokens'],
  ['webhook', 'Webhooks'],
  ['staff', 'Staff'],
  ['sign-in', 'Failed sign-ins (unknown user)'],
  ['catalogue', 'Catalogue versions'],
  ['postcode-register', 'Postcode register'],
  ['notification', 'Notifications'],
  ['export', 'Exports'],
  ['key', 'Secret keys'],
].map(([value = '', name = '']) => ({ value, name }));

/** The filter. Its texts are only compared, so that any value is allowed. */
export const auditFields: readonly FormField[] = [
  { name: 'subject', kind: 'choice', label: 'About', hint: 'What was changed.', choices: subjects },
  { name: 'id', label: 'Id', hint: 'ID of the record.', input: { maxLength: 120 } },
  {
    name: 'action',
    label: 'Action',
    hint: 'Such as claimed or revoked.',
    input: { maxLength: 120 },
  },
  { name: 'actor', label: 'By', hint: 'Name.', input: { maxLength: 120 } },
  timeField({ name: 'since', label: 'From', hint: 'London time.' }),
  timeField({ name: 'until', label: 'Before', hint: 'London time.' }),
];

export function AuditPage(props: AuditProps) {
  const { viewer, entries, query, refused, earlier } = props;
  const fields = auditFields.map((field) => ({ ...field, first: query.text(field.name) }));
  return (
    <AdminLayout title="Audit trail" viewer={viewer} here="audit">
      <RefusedSummary refused={refused} />
      <form class="trail" action="/staff/audit">
        <Fields of={fields} refused={refused} />
        <p class="actions">
          <button type="submit" class="primary">
            Show
          </button>
          <a href="/staff/audit">Clear</a>
        </p>
      </form>
      {refused ? (
        <p>Fix this to see entries.</p>
      ) : entries.length === 0 ? (
        <Empty title="No entries match.">
          <p>Leave a field empty to see more.</p>
        </Empty>
      ) : (
        <Entries {...props} />
      )}
      {earlier && (
        <p class="actions">
          <a class="button" href={earlier}>
            Earlier entries
          </a>
        </p>
      )}
    </AdminLayout>
  );
}

function Entries({ viewer, entries, now, continued }: AuditProps) {
  const count = entries.length === 1 ? 'one entry' : `${entries.length} entries`;
  return (
    <Table
      label="Entries"
      caption={`Showing ${count}${continued ? ' more' : ''}, newest first`}
      captioned
      rows={entries}
      columns={[
        { name: 'When', of: ({ at }) => <Time at={at} now={now} /> },
        { name: 'Action', of: ({ action }) => action, heads: true },
        {
          name: 'About',
          of: (entry) => (
            <>
              {entry.subjectType}
              <div>
                <Subject entry={entry} viewer={viewer} />
              </div>
            </>
          ),
        },
        { name: 'By', of: (entry) => <ActorName entry={entry} />, class: 'words' },
        {
          name: 'Details',
          of: ({ details }) => details && <Details details={details} now={now} />,
          class: 'details',
        },
      ]}
    />
  );
}

function ActorName({ entry: { actorName, actorType } }: { entry: AuditEntry }) {
  const type = nameOf(actorTypes, actorType);
  return (
    <>
      {actorName}
      {actorName !== type && <div class="muted">{type}</div>}
    </>
  );
}

/** The pages of the subjects, with the least role for each. */
const placesOf: ReadonlyMap<string, readonly [path: string, role: StaffCaller['role']]> = new Map([
  ['order', ['/staff/orders/', 'agent']],
  ['client', ['/staff/clients/', 'admin']],
  ['staff', ['/staff/members/', 'admin']],
  ['catalogue', ['/staff/catalogue/versions/', 'admin']],
]);

const actorTypes: Readonly<Record<Actor['type'], string>> = {
  client: 'API client',
  staff: 'staff',
  operator: 'command line',
  system: 'the service',
};

function Subject(props: { entry: AuditEntry; viewer: StaffCaller }) {
  const { subjectType, subjectId } = props.entry;
  const [place, role] = placesOf.get(subjectType) ?? [];
  const text = <ShortId id={subjectId} />;
  const leads = place !== undefined && role !== undefined && isAtLeast(props.viewer.role, role);
  return leads ? <a href={`${place}${encodeURIComponent(subjectId)}`}>{text}</a> : text;
}

function Details({ details, now }: { details: Record<string, unknown>; now: Date }) {
  const rows = Object.entries(details).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return (
    <>
      {rows.map(([name, value]) => (
        <div>
          {`${name}: `}
          <Detail name={name} value={value} now={now} />
        </div>
      ))}
    </>
  );
}

/** The details that the service sets to an instant. All others may hold a person's own words. */
const instants: ReadonlySet<string> = new Set([
  'activatesAt',
  'expiresAt',
  'failingSince',
  'nextActionAt',
]);

function Detail({ name, value, now }: { name: string; value: unknown; now: Date }) {
  if (typeof value === 'string') {
    if (instants.has(name)) return <Time at={new Date(value)} now={now} />;
    if (/^[0-9a-f]{64}$/.test(value)) return <code title={value}>{`${value.slice(0, 12)}…`}</code>;
    return <>{value}</>;
  }
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return <>{isList ? value.join(', ') : JSON.stringify(value)}</>;
}
