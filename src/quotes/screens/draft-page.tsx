import type { StaffCaller } from '../../platform/access/caller.js';
import { counted, whole } from '../../platform/kernel/counts.js';
import { upperFirst } from '../../platform/kernel/text.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import { inputForm, type Refusal } from '../../platform/ui/forms/input-form.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { Layout } from '../../platform/ui/layout.js';
import { Notice, Time } from '../../platform/ui/parts.js';
import { Section, Table } from '../../platform/ui/table.js';
import { cellOf } from '../draft-body.js';
import type { DraftView } from '../quote-drafts.service.js';
import { RULE } from '../record/choose-offer.js';
import { WantedBySite, type QuoteLineView } from '../record/quotes.dto.js';
import { sumOf, totalsOf } from '../record/contract-value.js';
import { type SiteColumn, siteColumns } from '../site-columns.js';
import type { ListedSite } from '../site-list.js';
import { listFields } from './quote-form.js';
import { answerOf, Lines, Totals } from './quote-lines-view.js';

/** Rows of the list that are shown with its columns. */
const FIRST_ROWS = 5;
/** Lines of one page. */
export const LINES = 500;

/** The cells that can be corrected; notes are for people. */
export const editedColumns: readonly SiteColumn[] = siteColumns.filter((one) => one !== 'notes');

/** What the quote says of sites that do not say it. */
export const generalForm = inputForm(WantedBySite, {
  bandwidth: { label: 'Bandwidth in Gbit/s', hint: 'Such as 1, or 0.1 for 100 Mbit/s.' },
  term: { label: 'Term in months', input: { inputMode: 'numeric', maxLength: 3 } },
  service: { label: 'Service', hint: 'Such as Internet.' },
});

interface DraftPageProps extends Partial<Pick<Refusal, 'refused' | 'conflict'>> {
  readonly viewer: StaffCaller;
  readonly draft: DraftView;
  /** The line that is shown for correction, beside those with a fault. */
  readonly edited: string;
  /** The index of the first of the other lines. */
  readonly from: number;
  readonly said: FlashMessage | null;
  readonly now: Date;
}

export function pathOf({ id }: Pick<DraftView, 'id'>): string {
  return `/staff/quotes/drafts/${id}`;
}

export function DraftPage(props: DraftPageProps) {
  const { viewer, draft, said, now, refused, conflict } = props;
  const { client, customer, clientReference, maker, updatedAt, list, isDirect, lines } = draft;
  const named = [...(isDirect ? [] : [client]), ...(customer === null ? [] : [customer])];
  const sums = lines.flatMap(({ product, constraints }, i) =>
    product ? [sumOf({ ...product, constraints }, i + 1)] : [],
  );
  const hasColumns = !draft.open.includes('columns');
  return (
    <Layout
      title={`Draft quote for ${named.join(', ')}`}
      viewer={viewer}
      here="quotes"
      width="wide"
      said={said}
    >
      <p class="crumb">
        <a href="/staff/quotes">All quotes</a>
      </p>
      <p class="lead">
        {counted(list.rows.length, 'site')}
        {clientReference !== null && ` · their reference ${clientReference}`}
        {` · made by ${maker}, changed `}
        <Time at={updatedAt} now={now} />
        {!isDirect && ' · the client sees nothing of it'}
      </p>
      {conflict !== undefined && <Notice kind="bad" title={conflict} />}
      <RefusedSummary refused={refused} />
      <Columns {...draft} />
      <Questions {...draft} />
      {hasColumns && <General {...props} />}
      {hasColumns && <Corrections {...props} />}
      {hasColumns && <Totals totals={totalsOf(sums)} />}
      {hasColumns && <OtherLines {...props} />}
      <Section title="Delete the draft">
        <PostForm action={`${pathOf(draft)}/removal`} button="Delete draft" kind="danger" />
      </Section>
    </Layout>
  );
}

/** What the columns of the list are: open where a person has to say it. */
function Columns(draft: DraftView) {
  const { columns, ignored } = draft.list;
  const read = columns.flatMap(({ name, letter, meaning }) =>
    meaning === null ? [] : `${name || letter} (${meaning})`,
  );
  const isOpen = draft.open.includes('columns');
  const lacksPostcode = !columns.some(({ meaning }) => meaning === 'postcode');
  return (
    <Section title="What we read">
      {isOpen && (
        <Notice
          kind="soon"
          title={
            lacksPostcode
              ? 'Which column is the postcode?'
              : 'Check what the columns of the list are.'
          }
        >
          <p>Your choice is kept for the next list of this client.</p>
        </Notice>
      )}
      <p>
        {`Columns: ${read.join(', ')}.`}
        {ignored.length > 0 && ` Left out: ${ignored.join(', ')}.`}
      </p>
      <details open={isOpen}>
        <summary>Columns and first rows</summary>
        <PostForm
          action={`${pathOf(draft)}/columns`}
          button="Use these columns"
          kind={isOpen ? 'primary' : undefined}
        >
          <FirstRows list={draft.list} />
        </PostForm>
      </details>
    </Section>
  );
}

function FirstRows({ list: { columns, rows } }: Pick<DraftView, 'list'>) {
  return (
    <Table
      class="list-columns"
      caption="The first rows of the list, with what each column is"
      rows={rows.slice(0, FIRST_ROWS)}
      columns={columns.map(({ name, letter, meaning }, at) => ({
        name: (
          <>
            <label for={`column-${letter}`}>{name || `Column ${letter}`}</label>
            <select id={`column-${letter}`} name={letter}>
              <option value="">Left out</option>
              {siteColumns.map((column) => (
                <option value={column} selected={column === meaning}>
                  {columnName(column)}
                </option>
              ))}
            </select>
          </>
        ),
        of: ({ cells }: ListedSite) => cells[at]!.slice(0, 80),
      }))}
    />
  );
}

function columnName(column: SiteColumn): string {
  return column === 'uprn' ? 'UPRN' : upperFirst(column);
}

function Questions(draft: DraftView) {
  const { open, list, services } = draft;
  const action = `${pathOf(draft)}/answers`;
  const doubtful = list.rows.filter(({ faults }) =>
    faults.some((one) => one.column === 'bandwidth'),
  );
  const any = ['', 'Any: the cheapest at each site'] as const;
  return (
    <>
      {open.includes('unit') && (
        <Notice
          kind="soon"
          title={`${counted(doubtful.length, 'bandwidth has', 'bandwidths have')} no unit. Which one is it?`}
        >
          <Choice action={action} name="unit" of={units} />
        </Notice>
      )}
      {open.includes('service') && (
        <Notice
          kind="soon"
          title="The list does not say a service. Which one does the customer want?"
        >
          <Choice action={action} name="service" of={[...services.map(sameWords), any]} />
        </Notice>
      )}
    </>
  );
}

const units = [
  ['m', 'Mbit/s'],
  ['g', 'Gbit/s'],
] as const;
const sameWords = (text: string) => [text, text] as const;

/** A button for each answer. */
function Choice(props: {
  readonly action: string;
  readonly name: string;
  readonly of: readonly (readonly [value: string, text: string])[];
}) {
  return (
    <form method="post" action={props.action} class="actions">
      {props.of.map(([value, text]) => (
        <button type="submit" name={props.name} value={value}>
          {text}
        </button>
      ))}
    </form>
  );
}

/** What holds for all sites that do not say it: open where some lack a bandwidth. */
function General({ draft, refused }: DraftPageProps) {
  const { body, list } = draft;
  const without = list.rows.filter((_row, i) => cellOf(list, i, 'bandwidth') === '').length;
  const isOpen = without > 0 && body.bandwidth === null;
  const first = { bandwidth: body.bandwidth, term: body.term, service: body.service };
  const said = [
    body.bandwidth === null ? [] : `${body.bandwidth} Gbit/s`,
    body.term === null ? [] : counted(body.term, 'month'),
    body.service ?? [],
  ].flat();
  return (
    <details class="further" open={isOpen || refused !== undefined}>
      <summary>
        {isOpen
          ? `${counted(without, 'site has', 'sites have')} no bandwidth`
          : `For sites that do not say it: ${said.join(', ') || 'nothing'}`}
      </summary>
      <PostForm
        action={`${pathOf(draft)}/general`}
        fields={generalForm.fields.map((field) => ({
          ...field,
          first: String(first[field.name as keyof typeof first] ?? ''),
        }))}
        refused={refused}
        button="Use for these sites"
      />
    </details>
  );
}

/** The lines with a fault, to be corrected in place, and the button that sends the quote. */
function Corrections({ draft, edited }: DraftPageProps) {
  const { lines, open, list, version, isDirect } = draft;
  const path = pathOf(draft);
  const faulty = lines.filter(({ lineId, problem }) => problem !== null || lineId === edited);
  const left = faulty.filter(({ problem }) => problem !== null).length;
  const priced = lines.filter(({ product }) => product !== null).length;
  const send = isDirect ? 'Make the quote' : 'Send quote';
  return (
    <Section
      title={left > 0 ? `${counted(left, 'line has', 'lines have')} a fault` : 'Send the quote'}
    >
      <p class="hint">{RULE}</p>
      {faulty.length > 0 && (
        <p>
          Correct them here, or <a href={`${path}.csv`}>download the list</a>, correct it, and
          upload it below.
        </p>
      )}
      <form method="post" action={`${path}/send`} data-rows={`${path}/lines`}>
        <input type="hidden" name="version" value={version} />
        {faulty.length > 0 && <EditedLines faulty={faulty} list={list} />}
        <p class="actions">
          {faulty.length > 0 && (
            <button type="submit" formAction={`${path}/corrections`}>
              Save corrections
            </button>
          )}
          {open.length === 0 ? (
            <button type="submit" class="primary">
              {left > 0 ? `${send} without ${counted(left, 'line')}` : send}
            </button>
          ) : (
            <strong>Answer the questions above, then send it.</strong>
          )}
        </p>
      </form>
      <p class="hint">
        {`${whole(priced)} of ${counted(lines.length, 'site has', 'sites have')} a price. `}
        {isDirect
          ? 'Print it as a PDF for the caller afterwards.'
          : 'You can undo it for ten seconds. Then the client reads it as its own, and can order from it.'}
      </p>
      <details class="further">
        <summary>Upload a corrected list</summary>
        <PostForm
          action={`${path}/list`}
          isUpload
          fields={listFields}
          button="Read the list again"
        />
      </details>
    </Section>
  );
}

function EditedLines(props: { faulty: readonly QuoteLineView[]; list: DraftView['list'] }) {
  const { faulty, list } = props;
  return (
    <Table
      caption="Lines to correct"
      class="edited-lines"
      rows={faulty}
      columns={[
        { name: 'Line', of: ({ lineId }) => lineId, class: 'number' },
        ...editedColumns.map((column) => ({
          name: list.columns.find(({ meaning }) => meaning === column)?.name ?? columnName(column),
          of: ({ lineId }: QuoteLineView) => (
            <input
              name={`${lineId}.${column}`}
              value={cellOf(list, Number(lineId) - 1, column)}
              size={column === 'site' ? 16 : 9}
              maxLength={256}
              autocomplete="off"
              aria-label={`${columnName(column)} of line ${lineId}`}
            />
          ),
        })),
        { name: 'Answer', of: (line) => <LineAnswer line={line} />, class: 'details' },
      ]}
    />
  );
}

/** The answer to a line that is corrected. A script replaces it while a person types. */
export function LineAnswer({ line, version }: { line: QuoteLineView; version?: number }) {
  return (
    <div
      data-answer={line.lineId}
      data-version={version}
      class={line.problem === null ? undefined : 'fault'}
    >
      {answerOf(line)}
    </div>
  );
}

function OtherLines({ draft, edited, from }: DraftPageProps) {
  const others = draft.lines.filter((one) => one.problem === null && one.lineId !== edited);
  if (others.length === 0) return null;
  const path = pathOf(draft);
  return (
    <>
      <Lines
        lines={others.slice(from, from + LINES)}
        title="Lines without a fault"
        editAt={(lineId) => `${path}?edit=${lineId}`}
      />
      {others.length > from + LINES && (
        <nav class="pager" aria-label="Pages">
          <a href={`${path}?from=${from + LINES}`} rel="next">
            Next lines
          </a>
        </nav>
      )}
    </>
  );
}
