import type { AuditEntry } from '../../audit/audit-entry.entity.js';
import type { DiffView, ImportView, RailView, VersionView } from '../../catalogue/catalogue.dto.js';
import { catalogueFileNames, fileInfo } from '../../catalogue/content/catalogue-files.js';
import type { FileFaults as CatalogueFaults } from '../../catalogue/content/csv-table.js';
import type { StaffCaller } from '../../access/caller.js';
import { type FormField, type RefusedForm, timeField } from '../forms/form-spec.js';
import { Fields, PostForm, RefusedSummary } from '../forms/form-view.js';
import { Empty, Notice, Time, whole } from '../shell/parts.js';
import type { FlashMessage } from '../shell/flash-messages.js';
import { Facts, Table } from '../shell/table.js';
import { AdminLayout, ListPage } from './admin-layout.js';
import { Diff } from './catalogue-diff.js';

interface VersionsProps {
  readonly viewer: StaffCaller;
  readonly versions: readonly VersionView[];
  readonly now: Date;
}

export function VersionsPage({ viewer, versions, now }: VersionsProps) {
  const active = versions.find(({ state }) => state === 'active');
  return (
    <ListPage
      title={active ? `Catalogue: version ${active.number} is live` : 'Catalogue'}
      viewer={viewer}
      here="catalogue"
      add={{ href: '/staff/catalogue/new', text: 'Upload a catalogue' }}
      empty={
        <Empty title="There is no catalogue yet.">
          <p>Until there is one, every check gets status 503.</p>
        </Empty>
      }
      caption="Catalogue versions, newest first"
      rows={versions}
      columns={[
        { name: 'Version', of: ({ number }) => <VersionLink number={number} />, heads: true },
        { name: 'Name', of: ({ label }) => label },
        { name: 'State', of: (version) => <State version={version} now={now} /> },
        { name: 'Products', of: ({ products }) => whole(products), class: 'number' },
        { name: 'Prices', of: ({ prices }) => whole(prices), class: 'number' },
        { name: 'Coverage rows', of: ({ places }) => whole(places), class: 'number' },
        {
          name: 'Created',
          of: ({ createdAt, createdBy }) => (
            <>
              <Time at={createdAt} now={now} />
              {`, ${createdBy}`}
            </>
          ),
        },
      ]}
    />
  );
}

function VersionLink({ number, text = String(number) }: { number: number; text?: string }) {
  return <a href={`/staff/catalogue/versions/${number}`}>{text}</a>;
}

function State({ version, now }: { version: VersionView; now: Date }) {
  const { state, activatesAt, retiredAt } = version;
  if (state === 'active') return <strong class="ok">Live</strong>;
  const [words, at] =
    state === 'scheduled' ? ['Scheduled: ', activatesAt] : ['Retired ', retiredAt];
  if (state === 'draft' || !at) return <>Draft</>;
  return (
    <>
      {words}
      <Time at={at} now={now} />
    </>
  );
}

export interface UploadProps {
  readonly viewer: StaffCaller;
  readonly label?: string;
  /** Missing before the first upload. */
  readonly report?: ImportView;
  readonly refused?: { readonly detail: string; readonly faults: CatalogueFaults };
}

const uploadFields: readonly FormField[] = [
  {
    name: 'label',
    label: 'Name',
    hint: 'For example, November rate card.',
    most: 120,
    input: { required: true },
  },
  ...catalogueFileNames.map((file): FormField => {
    const { fileName, isOptional } = fileInfo(file);
    return {
      name: file,
      label: isOptional ? `${fileName} (optional)` : fileName,
      input: { type: 'file', accept: '.csv,text/csv', required: !isOptional },
    };
  }),
];

export function UploadPage({ viewer, label, report, refused }: UploadProps) {
  const [labelField, ...fileFields] = uploadFields;
  return (
    <AdminLayout title="Upload a catalogue" viewer={viewer} here="catalogue">
      {refused && <Rejected {...refused} />}
      {report && <Report report={report} />}
      <form method="post" action="/staff/catalogue/versions" encType="multipart/form-data">
        <Fields of={[{ ...labelField!, first: label }, ...fileFields]} />
        {(report || refused) && (
          <p class="hint">Choose the files again: the browser does not keep them.</p>
        )}
        <p class="actions">
          <button type="submit" name="dryRun" value="true" class="primary">
            Check the files
          </button>
          <button type="submit" name="dryRun" value="false">
            Save as a draft
          </button>
          <a href="/staff/catalogue">Cancel</a>
        </p>
        <p class="hint">
          A check shows errors and changes, and stores nothing. A draft changes nothing for clients
          until you publish it. Import very large files with
          <code> catalogue import</code> at the command line.
        </p>
      </form>
    </AdminLayout>
  );
}

function Rejected({ detail, faults }: { detail: string; faults: CatalogueFaults }) {
  const { shown, total } = faults;
  return (
    <section class="notice bad" role="alert" tabIndex={-1} data-focus>
      <p class="notice-title">{detail}</p>
      {shown.length > 0 && (
        <Table
          label="Faults"
          caption={
            total > shown.length
              ? `The first ${whole(shown.length)} of ${whole(total)}`
              : 'Fix these and upload the files again.'
          }
          captioned
          rows={shown}
          columns={[
            { name: 'File', of: ({ file }) => file },
            { name: 'Line', of: ({ line }) => line, class: 'number' },
            { name: 'Column', of: ({ column }) => column },
            { name: 'Value', of: ({ value }) => <code>{value}</code> },
            { name: 'What is wrong', of: ({ reason }) => reason },
            { name: 'How to fix', of: ({ suggestion }) => suggestion },
          ]}
        />
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
            ? `Version ${report.version} has the same content. Nothing was stored.`
            : 'No errors found. Nothing is stored yet.'
        }
      >
        <p>
          {comparedWith === null
            ? 'There is no earlier version to compare with.'
            : `Compared with version ${comparedWith}:`}
        </p>
      </Notice>
      <Rails rails={rails} />
      {warnings.length > 0 && (
        <Notice kind="soon" title="Warnings">
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
          ? 'Confirmed when it was scheduled. To change the time, give a reason again.'
          : 'Safety check: confirm this large change before you publish it.'
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

export interface VersionProps {
  readonly viewer: StaffCaller;
  readonly version: VersionView;
  readonly history: readonly AuditEntry[];
  readonly rails: readonly RailView[];
  /** The changes and the version compared with; null without one. */
  readonly change: { readonly from: number; readonly diff: DiffView } | null;
  readonly now: Date;
  readonly said?: FlashMessage | null;
  readonly problem?: string;
  readonly refused?: RefusedForm;
}

export function VersionPage(props: VersionProps) {
  const { viewer, version, history, change, now, said, problem, refused } = props;
  const { number, label, products, prices, places, premises, contentOf } = version;
  return (
    <AdminLayout title={`Version ${number}`} viewer={viewer} here="catalogue" said={said}>
      <p class="crumb">
        <a href="/staff/catalogue">All versions</a>
      </p>
      {problem && <Notice kind="bad" title={problem} />}
      <RefusedSummary refused={refused} />
      <Facts
        of={[
          ['Name', label],
          ['State', <State version={version} now={now} />],
          [
            'Content',
            `${whole(products)} products, ${whole(prices)} prices, ${whole(places)} places${premises > 0 ? `, ${whole(premises)} premises` : ''}`,
          ],
          contentOf !== null && [
            'Restored from',
            <VersionLink number={contentOf} text={`Version ${contentOf}`} />,
          ],
        ]}
      />
      <Actions {...props} />
      <h2>{change ? `Changes from version ${change.from}` : 'Changes'}</h2>
      {change ? <Diff diff={change.diff} /> : <p>There is no other version to compare it with.</p>}
      <h2>History</h2>
      <ol class="bare">
        {history.map((entry) => (
          <li>
            <Time at={entry.at} now={now} />
            {`: ${entry.action} by ${entry.actorName}${reasonOf(entry)}`}
          </li>
        ))}
      </ol>
    </AdminLayout>
  );
}

/** The reason why it was published despite a safety check. */
function reasonOf({ details }: AuditEntry): string {
  return typeof details?.accepted === 'string' ? `, because: ${details.accepted}` : '';
}

export const activateFields: readonly FormField[] = [
  {
    name: 'accept',
    label: 'Reason for this change',
    hint: 'It is kept in the audit trail.',
    most: 200,
    input: { required: true },
  },
  timeField({
    name: 'at',
    label: 'Publish at',
    hint: 'In London time. Leave it empty to publish now.',
  }),
];

function Actions({ version, rails, refused }: VersionProps) {
  const { state, number } = version;
  const place = `/staff/catalogue/versions/${number}`;
  if (state === 'active') return <p>Live: used for all checks.</p>;
  if (state === 'retired') {
    return (
      <PostForm action={`${place}/rollback`} button="Restore this version" kind="primary">
        <p class="hint">Publishes this content now, under a new number.</p>
      </PostForm>
    );
  }
  const isScheduled = state === 'scheduled';
  return (
    <>
      <Rails rails={rails} scheduled={isScheduled} />
      <PostForm
        action={`${place}/activate`}
        fields={rails.length > 0 ? activateFields : activateFields.slice(1)}
        refused={refused}
        button={isScheduled ? 'Change the time' : 'Publish'}
        kind="primary"
      />
      {isScheduled && <PostForm action={`${place}/withdraw`} button="Cancel the schedule" />}
    </>
  );
}
