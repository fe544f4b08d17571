import type { Actor } from '../../audit/audit.service.js';
import { nameOf } from '../../orders/moves/move-fields.js';
import type { AuditEntry } from '../../audit/audit-entry.entity.js';
import type { StaffCaller } from '../../access/caller.js';
import { isAtLeast } from '../../access/scopes.js';
import type { WrittenHtml } from '../../http/written-html.js';
import { FaultSummary, Select, TextField } from '../forms/fields.js';
import type { Form } from '../forms/form.js';
import { AdminLayout } from './admin-layout.js';
import { Empty, Time } from '../shell/parts.js';
import { page } from '../shell/render.js';
import { Scroll } from './scroll.js';

/** Entries on a page. */
export const MOST_ENTRIES = 100;

export interface AuditView {
  readonly viewer: StaffCaller;
  readonly entries: readonly AuditEntry[];
  readonly query: Form;
  readonly faults: ReadonlyMap<string, string>;
  readonly now: Date;
  /** Whether newer entries stand on a page before this one. */
  readonly continued: boolean;
  /** Where the page of earlier entries is; null where there are none. */
  readonly earlier: string | null;
}

const subjects = [
  ['', 'Everything'],
  ['order', 'Orders'],
  ['client', 'API clients'],
  ['token', 'Tokens'],
  ['webhook', 'Webhooks'],
  ['staff', 'Staff'],
  ['sign-in', 'Sign-ins of nobody known'],
  ['catalogue', 'Catalogue versions'],
  ['postcode-register', 'Postcode register'],
  ['notification', 'Notifications'],
  ['export', 'Exports'],
].map(([value = '', name = '']) => ({ value, name }));

const filters = [
  ['id', 'Id', 'Of what it is about.'],
  ['action', 'Action', 'Such as claimed or revoked.'],
  ['actor', 'By', 'The name of who did it.'],
] as const;

export function auditPage(view: AuditView): WrittenHtml {
  const { viewer, entries, query, faults, earlier } = view;
  return page(
    <AdminLayout title="Audit trail" viewer={viewer} here="audit">
      <FaultSummary faults={faults} />
      <form class="trail" action="/staff/audit">
        <Select
          name="subject"
          label="About"
          hint="What was changed."
          choices={subjects}
          value={query.text('subject')}
        />
        {filters.map(([name, label, hint]) => (
          <TextField
            name={name}
            label={label}
            hint={hint}
            value={query.text(name)}
            input={{ maxLength: 120, autocomplete: 'off' }}
          />
        ))}
        <TextField
          name="since"
          label="From"
          hint="London time."
          value={query.text('since')}
          faults={faults}
          input={{ type: 'datetime-local' }}
        />
        <TextField
          name="until"
          label="Before"
          hint="London time."
          value={query.text('until')}
          faults={faults}
          input={{ type: 'datetime-local' }}
        />
        <p class="actions">
          <button type="submit" class="primary">
            Show
          </button>
          <a href="/staff/audit">Clear</a>
        </p>
      </form>
      {faults.size > 0 ? (
        <p>Nothing is shown until this is mended.</p>
      ) : entries.length === 0 ? (
        <Empty title="Nothing fits.">
          <p>Leave a field empty to see more.</p>
        </Empty>
      ) : (
        <Entries {...view} />
      )}
      {earlier && (
        <p class="actions">
          <a class="button" href={earlier}>
            Earlier entries
          </a>
        </p>
      )}
    </AdminLayout>,
    faults.size > 0 ? 422 : undefined,
  );
}

function Entries({ viewer, entries, now, continued }: AuditView) {
  const count = entries.length === 1 ? 'one entry' : `${entries.length} entries`;
  return (
    <Scroll label="Entries">
      <table>
        <caption>{`${continued ? 'Continued, newest' : 'Newest'} first: ${count} on this page`}</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Action</th>
            <th scope="col">About</th>
            <th scope="col">By</th>
            <th scope="col">Details</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr>
              <td>
                <Time at={entry.at} now={now} />
              </td>
              <th scope="row">{entry.action}</th>
              <td>
                {entry.subjectType}
                <div>
                  <Subject entry={entry} viewer={viewer} />
                </div>
              </td>
              <td class="words">
                {entry.actorName}
                {entry.actorName !== nameOf(actorTypes, entry.actorType) && (
                  <div class="muted">{nameOf(actorTypes, entry.actorType)}</div>
                )}
              </td>
              <td class="details">
                {entry.details && <Details details={entry.details} now={now} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Where the subjects are, and who may go there. */
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

/** Shortened to its end: the beginning of ids that were made at the same time is the same. */
function Subject(props: { entry: AuditEntry; viewer: StaffCaller }) {
  const { subjectType, subjectId } = props.entry;
  const [place, role] = placesOf.get(subjectType) ?? [];
  const short = subjectId.length > 12;
  const text = (
    <code class="id" title={short ? subjectId : undefined}>
      {short ? `…${subjectId.slice(-8)}` : subjectId}
    </code>
  );
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
          <Detail value={value} now={now} />
        </div>
      ))}
    </>
  );
}

function Detail({ value, now }: { value: unknown; now: Date }) {
  if (typeof value === 'string') {
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return <Time at={new Date(value)} now={now} />;
    if (/^[0-9a-f]{64}$/.test(value)) return <code title={value}>{`${value.slice(0, 12)}…`}</code>;
    return <>{value}</>;
  }
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return <>{isList ? value.join(', ') : JSON.stringify(value)}</>;
}
