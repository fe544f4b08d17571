import type { AuditEntry } from '../../audit/audit-entry.entity.js';
import type { DiffView, ImportView, RailView, VersionView } from '../../catalogue/catalogue.dto.js';
import type { Faults as CatalogueFaults } from '../../catalogue/content/csv-table.js';
import type { StaffCaller } from '../../access/caller.js';
import type { WrittenHtml } from '../../http/written-html.js';
import { type Faults, FaultSummary, TextField } from '../forms/fields.js';
import type { Form } from '../forms/form.js';
import { AdminLayout } from './admin-layout.js';
import { Empty, Notice, Time, whole } from '../shell/parts.js';
import { page } from '../shell/render.js';
import { Diff } from './catalogue-diff.js';
import { Scroll } from './scroll.js';

export function versionsPage(
  viewer: StaffCaller,
  versions: readonly VersionView[],
  now: Date,
): WrittenHtml {
  const active = versions.find(({ state }) => state === 'active');
  return page(
    <AdminLayout
      title={active ? `Catalogue: version ${active.number} is in service` : 'Catalogue'}
      viewer={viewer}
      here="catalogue"
    >
      <p class="actions">
        <a class="button primary" href="/staff/catalogue/new">
          Upload a catalogue
        </a>
      </p>
      {versions.length === 0 ? (
        <Empty title="There is no catalogue yet.">
          <p>Until there is one, checks are answered 503.</p>
        </Empty>
      ) : (
        <div class="scroll">
          <table>
            <caption class="unseen">Catalogue versions, newest first</caption>
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">Name</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Products
                </th>
                <th scope="col" class="number">
                  Prices
                </th>
                <th scope="col" class="number">
                  Places
                </th>
                <th scope="col">Made</th>
              </tr>
            </thead>
            <tbody>
              {versions.map((version) => (
                <tr>
                  <th scope="row">
                    <a href={`/staff/catalogue/versions/${version.number}`}>{version.number}</a>
                  </th>
                  <td>{version.label}</td>
                  <td>
                    <State version={version} now={now} />
                  </td>
                  <td class="number">{whole(version.products)}</td>
                  <td class="number">{whole(version.prices)}</td>
                  <td class="number">{whole(version.places)}</td>
                  <td>
                    <Time at={version.createdAt} now={now} />
                    {`, ${version.createdBy}`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </AdminLayout>,
  );
}

function State({ version, now }: { version: VersionView; now: Date }) {
  const { state, activatesAt, retiredAt } = version;
  if (state === 'active') return <strong class="ok">In service</strong>;
  if (state === 'scheduled' && activatesAt) {
    return (
      <>
        {'Scheduled: '}
        <Time at={activatesAt} now={now} />
      </>
    );
  }
  if (state === 'retired' && retiredAt) {
    return (
      <>
        {'Retired '}
        <Time at={retiredAt} now={now} />
      </>
    );
  }
  return <>Draft</>;
}

export interface UploadView {
  readonly viewer: StaffCaller;
  /** The name that was typed. */
  readonly label?: string;
  /** What an upload found; nothing before the first. */
  readonly report?: ImportView;
  readonly refused?: { readonly detail: string; readonly faults: CatalogueFaults };
}

export function uploadPage({ viewer, label, report, refused }: UploadView): WrittenHtml {
  return page(
    <AdminLayout title="Upload a catalogue" viewer={viewer} here="catalogue">
      {refused && <Rejected {...refused} />}
      {report && <Report report={report} />}
      <form method="post" action="/staff/catalogue/versions" encType="multipart/form-data">
        <TextField
          name="label"
          label="Name"
          hint="To tell versions apart: November rate card."
          value={label}
          input={{ maxLength: 120, required: true, autocomplete: 'off' }}
        />
        {(['products', 'prices', 'coverage'] as const).map((file) => (
          <TextField
            name={file}
            label={`${file}.csv`}
            input={{ type: 'file', accept: '.csv,text/csv', required: true }}
          />
        ))}
        {(report || refused) && (
          <p class="hint">Choose the files again: a browser does not keep them.</p>
        )}
        <p class="actions">
          <button type="submit" name="dryRun" value="true" class="primary">
            Check the files
          </button>
          <button type="submit" name="dryRun" value="false">
            Store them as a draft
          </button>
          <a href="/staff/catalogue">Cancel</a>
        </p>
        <p class="hint">
          Checking stores nothing: it says what is wrong, and what would change. A draft changes
          nothing for clients until it is activated. Very large files are imported with
          <code> catalogue import</code> at the command line.
        </p>
      </form>
    </AdminLayout>,
    refused ? 422 : undefined,
  );
}

function Rejected({ detail, faults }: { detail: string; faults: CatalogueFaults }) {
  return (
    <section class="notice bad" role="alert" tabIndex={-1} data-focus>
      <p class="notice-title">{detail}</p>
      {faults.shown.length > 0 && (
        <Scroll label="Faults">
          <table>
            <caption>
              {faults.total > faults.shown.length
                ? `The first ${whole(faults.shown.length)} of ${whole(faults.total)}`
                : 'Mend these and upload the files again.'}
            </caption>
            <thead>
              <tr>
                <th scope="col">File</th>
                <th scope="col" class="number">
                  Line
                </th>
                <th scope="col">Column</th>
                <th scope="col">There</th>
                <th scope="col">What is wrong</th>
                <th scope="col">What to write</th>
              </tr>
            </thead>
            <tbody>
              {faults.shown.map((fault) => (
                <tr>
                  <td>{fault.file}</td>
                  <td class="number">{fault.line}</td>
                  <td>{fault.column}</td>
                  <td>
                    <code>{fault.value}</code>
                  </td>
                  <td>{fault.reason}</td>
                  <td>{fault.suggestion}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}

function Report({ report }: { report: ImportView }) {
  const { comparedWith, rails, warnings, diff } = report;
  return (
    <section tabIndex={-1} data-focus>
      <Notice
        kind={rails.length > 0 ? 'soon' : 'good'}
        title={
          report.outcome === 'no-change'
            ? `This is what version ${report.version} holds already: nothing was stored.`
            : 'The files are right. Nothing is stored yet.'
        }
      >
        <p>
          {comparedWith === null
            ? 'There is nothing to compare them with.'
            : `Compared with version ${comparedWith}:`}
        </p>
      </Notice>
      <Rails rails={rails} />
      {warnings.length > 0 && (
        <Notice kind="soon" title="Odd, but not wrong">
          <ul>
            {warnings.map(({ rule, count, examples }) => (
              <li>{`${rule}: ${whole(count)}. ${examples.slice(0, 3).join('; ')}`}</li>
            ))}
          </ul>
        </Notice>
      )}
      {diff && <Diff diff={diff} />}
    </section>
  );
}

function Rails({ rails, scheduled = false }: { rails: readonly RailView[]; scheduled?: boolean }) {
  if (rails.length === 0) return null;
  return (
    <Notice
      kind="soon"
      title={
        scheduled
          ? 'Somebody said that this is meant when it was scheduled. Another time needs a reason again.'
          : 'A guard rail stops this until somebody says that it is meant.'
      }
    >
      <ul>
        {rails.map(({ rail, detail }) => (
          <li>
            <strong>{rail}</strong>
            {`: ${detail}`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

export interface VersionPageView {
  readonly viewer: StaffCaller;
  readonly version: VersionView;
  readonly history: readonly AuditEntry[];
  readonly rails: readonly RailView[];
  /** What it changes, or changed, and from which version; null where there is none to compare. */
  readonly change: { readonly from: number; readonly diff: DiffView } | null;
  readonly now: Date;
  readonly done?: string;
  readonly refused?: string;
  readonly form?: Form;
  readonly faults?: Faults;
}

export function versionPage(view: VersionPageView): WrittenHtml {
  const { viewer, version, history, change, rails, now, done, refused, faults } = view;
  return page(
    <AdminLayout title={`Version ${version.number}`} viewer={viewer} here="catalogue">
      <p class="crumb">
        <a href="/staff/catalogue">All versions</a>
      </p>
      {done && <Notice kind="good" title={done} />}
      {refused && <Notice kind="bad" title={refused} />}
      <FaultSummary faults={faults} />
      <dl class="facts">
        <dt>Name</dt>
        <dd>{version.label}</dd>
        <dt>State</dt>
        <dd>
          <State version={version} now={now} />
        </dd>
        <dt>Content</dt>
        <dd>{`${whole(version.products)} products, ${whole(version.prices)} prices, ${whole(version.places)} places`}</dd>
        {version.contentOf !== null && (
          <>
            <dt>Brings back</dt>
            <dd>
              <a
                href={`/staff/catalogue/versions/${version.contentOf}`}
              >{`Version ${version.contentOf}`}</a>
            </dd>
          </>
        )}
      </dl>
      <Actions {...view} rails={rails} />
      <h2>{change ? `What it changes from version ${change.from}` : 'What it changes'}</h2>
      {change ? <Diff diff={change.diff} /> : <p>There is no other version to compare it with.</p>}
      <h2>What was done</h2>
      <ol class="bare">
        {history.map((entry) => (
          <li>
            <Time at={entry.at} now={now} />
            {`: ${entry.action} by ${entry.actorName}${reasonOf(entry)}`}
          </li>
        ))}
      </ol>
    </AdminLayout>,
    refused ? 409 : faults ? 422 : undefined,
  );
}

/** Why it was meant although a guard rail stopped it. */
function reasonOf({ details }: AuditEntry): string {
  return typeof details?.accepted === 'string' ? `, because: ${details.accepted}` : '';
}

function Actions(view: VersionPageView) {
  const { version, rails, form, faults } = view;
  const action = (what: string) => `/staff/catalogue/versions/${version.number}/${what}`;
  const { state } = version;
  if (state === 'active') return <p>It answers every check now.</p>;
  if (state === 'retired') {
    return (
      <form method="post" action={action('rollback')}>
        <p class="hint">Takes this content into service again, at once, under a new number.</p>
        <button type="submit" class="primary">
          Go back to this version
        </button>
      </form>
    );
  }
  return (
    <>
      <Rails rails={rails} scheduled={state === 'scheduled'} />
      <form method="post" action={action('activate')}>
        {rails.length > 0 && (
          <TextField
            name="accept"
            label="Why is this meant?"
            hint="It is kept in the audit trail."
            value={form?.text('accept')}
            faults={faults}
            input={{ maxLength: 200, required: true, autocomplete: 'off' }}
          />
        )}
        <TextField
          name="at"
          label="From when on"
          hint="In London time; empty: at once. All instances switch at this instant."
          value={form?.text('at')}
          faults={faults}
          input={{ type: 'datetime-local' }}
        />
        <button type="submit" class="primary">
          {state === 'scheduled' ? 'Change the time' : 'Take it into service'}
        </button>
      </form>
      {state === 'scheduled' && (
        <form method="post" action={action('withdraw')}>
          <button type="submit">Withdraw the schedule</button>
        </form>
      )}
    </>
  );
}
