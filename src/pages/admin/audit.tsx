import type { AuditEntry } from '../../audit/audit-entry.entity.js';
import type { StaffCaller } from '../../common/caller.js';
import type { WrittenHtml } from '../../common/written-html.js';
import { TextField } from '../fields.js';
import type { Form } from '../form.js';
import { Layout } from '../layout.js';
import { Empty, Time } from '../parts.js';
import { page } from '../render.js';

/** Entries on a page. */
export const MOST_ENTRIES = 100;

export interface AuditView {
  readonly viewer: StaffCaller;
  readonly entries: readonly AuditEntry[];
  readonly query: Form;
  readonly faults: ReadonlyMap<string, string>;
  readonly now: Date;
  /** Where the page of earlier entries is; null where there are none. */
  readonly earlier: string | null;
}

const filters = [
  ['subject', 'About', 'order, client, staff, token, catalogue, notification'],
  ['id', 'Id', 'of what it is about'],
  ['action', 'Action', 'such as claimed or revoked'],
  ['actor', 'By', 'the name of who did it'],
] as const;

export function auditPage(view: AuditView): WrittenHtml {
  const { viewer, entries, query, faults, now, earlier } = view;
  return page(
    <Layout title="Audit trail" viewer={viewer} here="audit">
      <form class="filters" action="/staff/audit">
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
          value={query.text('since')}
          faults={faults}
          input={{ type: 'datetime-local' }}
        />
        <TextField
          name="until"
          label="Before"
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
      {entries.length === 0 ? (
        <Empty title="Nothing fits.">
          <p>Leave a field empty to see more.</p>
        </Empty>
      ) : (
        <Entries entries={entries} now={now} />
      )}
      {earlier && (
        <p>
          <a href={earlier}>Earlier entries</a>
        </p>
      )}
    </Layout>,
  );
}

function Entries({ entries, now }: { entries: readonly AuditEntry[]; now: Date }) {
  return (
    <div class="scroll">
      <table>
        <caption>Newest first, {entries.length} on this page</caption>
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
                {`${entry.subjectType} `}
                <Subject entry={entry} />
              </td>
              <td>{`${entry.actorName} (${entry.actorType})`}</td>
              <td class="details">{entry.details && <Details details={entry.details} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const placesOf: Readonly<Record<string, string>> = {
  order: '/staff/orders/',
  client: '/staff/clients/',
  staff: '/staff/members/',
};

function Subject({ entry: { subjectType, subjectId } }: { entry: AuditEntry }) {
  const place = placesOf[subjectType];
  const text = <code>{subjectId.length > 12 ? `…${subjectId.slice(-12)}` : subjectId}</code>;
  return place ? <a href={`${place}${encodeURIComponent(subjectId)}`}>{text}</a> : text;
}

function Details({ details }: { details: Record<string, unknown> }) {
  const rows = Object.entries(details).filter(([, value]) => value !== null);
  return (
    <>
      {rows
        .map(
          ([name, value]) =>
            `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
        )
        .join('; ')}
    </>
  );
}
