import type { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import { type VersionView, AcceptBody } from '../../catalogue/catalogue.dto.js';
import type { SupplierRow } from '../../catalogue/content/cost-fields.js';
import { dayInWords } from '../../catalogue/content/dates.js';
import type { CalendarDay } from '../../catalogue/content/browse/calendar.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { Empty, Notice, Time } from '../../platform/ui/parts.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import { Facts, Table } from '../../platform/ui/table.js';
import { AdminLayout } from '../admin-layout.js';
import { FileLinks, isTooOld, TooOld, versionPath, VersionTabs } from './catalogue-parts.js';
import { Calendar, Preview, type PreviewProps, changeInWords } from './catalogue-preview.js';
import { whole } from '../../platform/kernel/counts.js';
import type { RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { inputForm } from '../../platform/ui/forms/input-form.js';

interface VersionsProps {
  readonly viewer: StaffCaller;
  readonly versions: readonly VersionView[];
  /** Of the live version. */
  readonly calendar: readonly CalendarDay[];
  /** Cost books that end soon. */
  readonly ending: readonly SupplierRow[];
  readonly now: Date;
  readonly said?: FlashMessage | null;
}

export function VersionsPage({ viewer, versions, calendar, ending, now, said }: VersionsProps) {
  const active = versions.find(({ state }) => state === 'active');
  return (
    <AdminLayout
      title={active ? `Catalogue: version ${active.number} is live` : 'Catalogue'}
      viewer={viewer}
      here="catalogue"
      said={said}
    >
      <p class="actions">
        <a class="button primary" href="/staff/catalogue/new">
          Upload files
        </a>
        {active && (
          <>
            <a class="button" href="/staff/catalogue/adjust">
              Adjust prices
            </a>
            <a href={versionPath(active.number, 'prices')}>Browse live prices</a>
            <a href={versionPath(active.number, 'coverage')}>Browse live coverage</a>
          </>
        )}
      </p>
      {ending.length > 0 && (
        <Notice kind="soon" title="Cost books that end within 14 days, or have ended">
          {ending.map(({ label, validUntil }) => (
            <p>{`${label}: last day ${dayInWords(validUntil)}. Its prices are indicative after it.`}</p>
          ))}
        </Notice>
      )}
      <Calendar days={calendar} />
      {versions.length === 0 ? (
        <Empty title="There is no catalogue yet.">
          <p>Until there is one, every check gets status 503.</p>
        </Empty>
      ) : (
        <Table
          caption="Catalogue versions, newest first"
          rows={versions}
          columns={[
            { name: 'Version', of: ({ number }) => <VersionLink number={number} />, heads: true },
            { name: 'Name', of: ({ label }) => label, class: 'words' },
            {
              name: 'State',
              of: (version) => (
                <>
                  <State version={version} now={now} />
                  {isOutdated(version, active) && <span class="soon">, outdated</span>}
                </>
              ),
            },
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
            { name: 'Files', of: ({ number }) => <Download number={number} /> },
          ]}
        />
      )}
    </AdminLayout>
  );
}

function Download({ number }: { number: number }) {
  return (
    <a href={versionPath(number, 'files')} download>
      Download<span class="unseen">{` version ${number}`}</span> (zip)
    </a>
  );
}

function VersionLink({ number, text = String(number) }: { number: number; text?: string }) {
  return <a href={versionPath(number)}>{text}</a>;
}

/** Whether another version went live after the draft was prepared. */
function isOutdated(version: VersionView, active: VersionView | undefined): boolean {
  const { state, comparedWith } = version;
  return state === 'draft' && active !== undefined && comparedWith !== active.number;
}

function State({ version, now }: { version: VersionView; now: Date }) {
  const { state, retiredAt } = version;
  if (state === 'active') return <strong class="ok">Live</strong>;
  if (state === 'draft' || !retiredAt) return <>Draft</>;
  return (
    <>
      Retired <Time at={retiredAt} now={now} />
    </>
  );
}

export interface VersionProps {
  readonly version: VersionView;
  /** Whether it can be made again by one button. */
  readonly isAdjustment: boolean;
  readonly viewer: StaffCaller;
  readonly history: readonly AuditEntry[];
  /** Null for the live version. */
  readonly preview: PreviewProps | null;
  /** The days to come on which the live version changes something. */
  readonly calendar: readonly CalendarDay[];
  readonly now: Date;
  readonly said?: FlashMessage | null;
  readonly problem?: string;
  /** The publication, or the restore. */
  readonly refused?: RefusedForm | null;
}

export function VersionPage(props: VersionProps) {
  const { viewer, version, history, preview, calendar, now, said, problem } = props;
  const { number, label, products, prices, places, premises, contentOf } = version;
  return (
    <AdminLayout
      title={`Version ${number}, ${stateNames[version.state]}`}
      viewer={viewer}
      here="catalogue"
      said={said}
    >
      <VersionTabs version={version} here="summary" />
      {problem !== undefined && <Notice kind="bad" title={problem} />}
      <RefusedSummary refused={props.refused} />
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
          [
            'Files',
            <>
              <Download number={number} />, or one of them: <FileLinks number={number} />
            </>,
          ],
        ]}
      />
      <Outdated {...props} />
      {preview ? (
        <Preview {...preview} rails={isTooOld(version, preview.from) ? [] : preview.rails} />
      ) : (
        <Calendar days={calendar} />
      )}
      <Actions {...props} />
      <h2>History</h2>
      <ol class="bare">
        {history.map((entry) => (
          <li>
            <Time at={entry.at} now={now} />
            {`: ${actionWords[entry.action] ?? entry.action} by ${entry.actorName}${moreOf(entry)}`}
          </li>
        ))}
      </ol>
    </AdminLayout>
  );
}

const actionWords: Readonly<Record<string, string>> = {
  imported: 'created',
  activated: 'published',
  'rolled-back': 'restored',
};

/** The reason why it was published despite a safety check. */
function moreOf({ details }: AuditEntry): string {
  const { accepted } = details ?? {};
  return typeof accepted === 'string' ? `, because: ${accepted}` : '';
}

const stateNames: Readonly<Record<VersionView['state'], string>> = {
  active: 'live',
  draft: 'a draft',
  retired: 'retired',
};

/** Whether another version went live after this draft was prepared. */
function isPreparedForAnother({ version, preview }: VersionProps): boolean {
  const live = preview?.from ?? null;
  return version.state === 'draft' && live !== null && version.comparedWith !== live;
}

function Outdated(props: VersionProps) {
  const { number, comparedWith } = props.version;
  const live = props.preview?.from ?? null;
  if (!isPreparedForAnother(props)) return null;
  return (
    <Notice
      kind="soon"
      title={`Prepared against ${comparedWith === null ? 'no version' : `version ${comparedWith}`}, but version ${live} is live now.`}
    >
      {props.isAdjustment ? (
        <PostForm
          action={versionPath(number, 'again')}
          button={`Adjust version ${live} the same way`}
          kind="primary"
        >
          <p class="hint">{`Makes a new draft from version ${live}, and discards this one.`}</p>
        </PostForm>
      ) : (
        <p>
          {`Do not publish it: it lacks the changes of version ${live}. Download the files that you changed here, compare them with `}
          <a href={versionPath(number, 'changes')}>what would change</a>
          {', and '}
          <a href="/staff/catalogue/new">{`upload only these files to version ${live}`}</a>. Then
          discard this draft.
        </p>
      )}
    </Notice>
  );
}

function Actions(props: VersionProps) {
  const { version, preview } = props;
  const { state, number } = version;
  if (state === 'active') {
    return (
      <p class="actions">
        <a class="button" href="/staff/catalogue/adjust">
          Adjust prices
        </a>
        <a class="button" href="/staff/catalogue/new">
          Upload files
        </a>
      </p>
    );
  }
  if (state === 'retired') return <Publication {...props} />;
  const live = preview?.from ?? null;
  return (
    <>
      {isTooOld(version, live) ? <TooOld live={live} /> : <Publication {...props} />}
      {!isPreparedForAnother(props) && (
        <p class="actions">
          <a href={`/staff/catalogue/adjust?base=${number}`}>Adjust prices of this draft</a>
          <a href={`/staff/catalogue/new?base=${number}`}>Add files to this draft</a>
        </p>
      )}
      <details class="with-reason">
        <summary class="button danger">Discard this draft</summary>
        <PostForm action={versionPath(number, 'discard')} button="Discard" kind="danger">
          <p class="hint">The draft is removed. Download its files first if you need them.</p>
        </PostForm>
      </details>
    </>
  );
}

export const publicationForm = inputForm(AcceptBody, {
  accept: {
    label: 'Reason for this change',
    hint: 'It is kept in the audit trail.',
    missing: 'Write the reason for this change.',
    needed: true,
  },
});

/** Behind a fold, so that it takes two steps: a button that says what will happen, and the reason where one is needed. */
function Publication({ version, preview, refused }: VersionProps) {
  if (!preview) return null;
  const { number, state } = version;
  const isRestore = state === 'retired';
  const changes = changeInWords(preview.diff);
  const button = isRestore
    ? `Restore version ${number} now${changes === null ? '' : ` (${changes})`}`
    : `Publish ${changes ?? `version ${number}`} now`;
  return (
    <details class="with-reason" open={refused !== undefined && refused !== null}>
      <summary class="button primary">
        {isRestore ? 'Restore this version' : 'Publish this draft'}
      </summary>
      <PostForm
        action={versionPath(number, isRestore ? 'restore' : 'activate')}
        hidden={{ live: preview.from ?? '' }}
        fields={preview.rails.length > 0 ? publicationForm.fields : []}
        refused={refused}
        button={button}
        kind="primary"
      >
        <p class="hint">
          {isRestore
            ? 'Publishes this content for all clients at once, under a new number.'
            : `Goes live for all clients at once.${preview.from === null ? '' : ` To take it back, open version ${preview.from} and restore it.`}`}
        </p>
      </PostForm>
    </details>
  );
}
