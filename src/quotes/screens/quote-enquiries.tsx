import { PickType } from '@nestjs/swagger';
import { basisInWords } from '../../catalogue/content/offer-fields.js';
import { contactChannelNames, contactResultNames } from '../../orders/moves/move-fields.js';
import { NewOffer } from '../../orders/offers/staff-offers.dto.js';
import { wantedInWords } from '../../orders/record/order.entity.js';
import { ContactLog } from '../../orders/staff/moves.dto.js';
import { StateMark } from '../../orders/staff/state-marks.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { priceInWords } from '../../platform/kernel/money.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import type { Form } from '../../platform/ui/forms/form.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { inputForm, type Refusal } from '../../platform/ui/forms/input-form.js';
import { Layout } from '../../platform/ui/layout.js';
import { Empty, Notice } from '../../platform/ui/parts.js';
import { Section, Table, type TableColumn } from '../../platform/ui/table.js';
import { UndoForm } from '../../platform/ui/undo-notice.js';
import { UNDO_TIME } from '../../orders/moves/undo.service.js';
import { SECOND } from '../../platform/kernel/time.js';
import {
  type AnsweredLine,
  answerFields,
  type AnswerField,
  canAnswer,
  type EnquiryOfQuote,
  type QuoteEnquiries,
  type TypedAnswer,
} from '../quote-enquiries.service.js';
import { counted } from '../../platform/kernel/counts.js';

class CallAboutQuote extends PickType(ContactLog, ['channel', 'result', 'note']) {}

export const callForm = inputForm(CallAboutQuote, {
  channel: { label: 'Channel', names: contactChannelNames, missing: 'Choose a channel.' },
  result: { label: 'Result', names: contactResultNames, missing: 'Choose a result.' },
  note: { label: 'Note (optional)', long: true },
});

/** The suffix of the ids of that form: both forms of the page have a note. */
export const OF_CALL = 'call';

/** What the offers of one table have in common. */
class CommonOffer extends PickType(NewOffer, ['basis', 'currency', 'validUntil', 'note']) {}

export const commonForm = inputForm(CommonOffer, {
  basis: {
    label: 'Basis',
    names: basisInWords,
    first: 'subjectToSurvey',
    missing: 'Choose a basis.',
  },
  currency: { label: 'Currency', first: 'GBP', missing: 'Enter a currency.' },
  validUntil: { label: 'Valid until (optional)', hint: 'Such as 2026-12-23; 30 days without it.' },
  note: { label: 'Note for the client (optional)', long: true },
});

export interface QuoteEnquiriesProps
  extends QuoteEnquiries, Partial<Pick<Refusal, 'refused' | 'conflict'>> {
  readonly viewer: StaffCaller;
  readonly said?: FlashMessage | null;
  /** What was typed and refused. */
  readonly typed?: Form;
  /** By `<line>.<field>`. */
  readonly faults?: ReadonlyMap<string, string>;
  readonly answered?: readonly AnsweredLine[];
}

export function QuoteEnquiriesPage(props: QuoteEnquiriesProps) {
  const { viewer, quote, client, rows, said, refused, conflict, answered, faults } = props;
  const path = `/staff/quotes/${quote.reference}`;
  const isCallRefused = refused?.at === OF_CALL;
  const waiting = rows.filter(({ enquiry }) => enquiry.state === 'waiting').length;
  const own = rows.filter((row) => canAnswer(row, viewer));
  // Those of colleagues, those that wait, and those that are closed.
  const others = rows.filter((row) => !own.includes(row));
  return (
    <Layout
      title={`Enquiries of ${quote.reference}`}
      viewer={viewer}
      here="quotes"
      width="wide"
      said={said}
    >
      <p class="crumb">
        <a href={path}>{quote.reference}</a>
      </p>
      <p class="lead">
        {`${client.name}${quote.customer === null ? '' : ` for ${quote.customer}`} · ${client.contactName} · `}
        <a href={`tel:${client.contactPhone.replaceAll(/[^+\d]/g, '')}`}>{client.contactPhone}</a>
        {' · '}
        <a href={`mailto:${client.contactEmail}`}>{client.contactEmail}</a>
      </p>
      {conflict !== undefined && <Notice kind="bad" title={conflict} />}
      <RefusedSummary refused={refused} />
      {answered && <Answered answered={answered} rows={rows} path={path} draft={draftOf(quote)} />}
      {faults && faults.size > 0 && (
        <Notice kind="bad" title="Nothing is sent yet: there is a problem">
          <ul class="bare">
            {[...faults].map(([at, detail]) => (
              <li>{`Line ${placeOf(at)}: ${detail}`}</li>
            ))}
          </ul>
        </Notice>
      )}
      {waiting > 0 && (
        <PostForm
          action={`${path}/claim`}
          button={`Claim ${counted(waiting, 'site')}`}
          kind="primary"
        />
      )}
      {own.length > 0 && (
        <Answers {...props} rows={own} path={path} refused={isCallRefused ? undefined : refused} />
      )}
      {own.length > 0 && (
        <Section title="Record a call about all of them">
          <PostForm
            action={`${path}/contact`}
            fields={callForm.fields}
            refused={isCallRefused ? refused : undefined}
            at={OF_CALL}
            button="Record the call"
          />
        </Section>
      )}
      {others.length > 0 && (
        <Section title="Others">
          <Table
            caption="Other sites of the quote"
            rows={others}
            columns={[...columns, { name: 'Owner', of: ({ enquiry }) => enquiry.ownerName ?? '–' }]}
          />
        </Section>
      )}
      {rows.length === 0 && <Empty title="No site of this quote has an enquiry." />}
    </Layout>
  );
}

/** The name of the draft of the answers: the path of the page. */
function draftOf({ reference }: QuoteEnquiries['quote']): string {
  return `quotes/${reference}/enquiries`;
}

const columns: readonly TableColumn<EnquiryOfQuote>[] = [
  { name: 'Line', of: ({ lineId }) => lineId, class: 'number' },
  {
    name: 'Site',
    of: ({ site, enquiry: { postcode, reference } }) => (
      <>
        {site !== null && `${site}, `}
        {postcode} <a href={`/staff/orders/${reference}`}>{reference}</a>
      </>
    ),
    heads: true,
  },
  { name: 'Wanted', of: wantedOf },
  { name: 'State', of: stateOf },
];

const typedFields: readonly (readonly [name: Exclude<AnswerField, 'none'>, label: string])[] = [
  ['price', 'Monthly'],
  ['setupPrice', 'Set-up'],
  ['leadTimeDays', 'Lead time, days'],
  ['term', 'Term, months'],
];

export function typedIn(form: Form, lineId: string): TypedAnswer {
  const typed = answerFields.map((name) => [name, form.text(`${lineId}.${name}`).slice(0, 20)]);
  return Object.fromEntries(typed) as TypedAnswer;
}

const CANNOT = 'Cannot provide';

/** Of a fault: `3, Monthly`. */
function placeOf(at: string): string {
  const [line, name] = at.split('.');
  return `${line}, ${typedFields.find(([field]) => field === name)?.[1] ?? CANNOT}`;
}

/** One row for each site that the viewer answers; a row without a price stays unanswered. */
function Answers({
  quote,
  rows,
  typed,
  faults,
  refused,
  path,
}: QuoteEnquiriesProps & { readonly path: string }) {
  const valueOf = (row: EnquiryOfQuote, name: AnswerField) => {
    const first = name === 'term' ? String(row.enquiry.wanted?.term ?? '') : '';
    const at = `${row.lineId}.${name}`;
    return typed?.has(at) ? typed.text(at) : first;
  };
  return (
    <Section title="Answer">
      <PostForm
        action={`${path}/answer`}
        draft={draftOf(quote)}
        fields={commonForm.fields}
        refused={refused}
        button="Send the answers"
        kind="primary"
      >
        <Table
          caption="Sites to answer. A row without a price or a tick is left for later."
          captioned
          rows={rows}
          columns={[
            ...columns,
            ...typedFields.map(([name, label]) => ({
              name: label,
              of: (row: EnquiryOfQuote) => (
                <input
                  name={`${row.lineId}.${name}`}
                  value={valueOf(row, name)}
                  inputmode="decimal"
                  size={8}
                  maxLength={12}
                  autocomplete="off"
                  aria-label={`${label} of line ${row.lineId}`}
                  aria-invalid={faults?.has(`${row.lineId}.${name}`) ? 'true' : undefined}
                />
              ),
            })),
            {
              name: CANNOT,
              of: ({ lineId }) => (
                <input
                  type="checkbox"
                  name={`${lineId}.none`}
                  value="yes"
                  checked={typed?.text(`${lineId}.none`) === 'yes'}
                  aria-label={`We cannot provide line ${lineId}`}
                  aria-invalid={faults?.has(`${lineId}.none`) ? 'true' : undefined}
                />
              ),
            },
          ]}
        />
      </PostForm>
    </Section>
  );
}

function wantedOf({ enquiry, service }: EnquiryOfQuote): string {
  return [wantedInWords(enquiry.wanted), ...(service === null ? [] : [service])].join(', ');
}

function stateOf({ enquiry: { state, offered }, awaitsApproval }: EnquiryOfQuote) {
  return (
    <>
      <StateMark state={state} />
      {awaitsApproval && (
        <small>
          {' '}
          <a href="/staff/approvals">waits for approval</a>
        </small>
      )}
      {offered !== null && <small>{` ${priceInWords(offered.price, offered.currency)}`}</small>}
    </>
  );
}

/** While it can be undone, and later. */
const outcomeWords: Readonly<Partial<Record<AnsweredLine['outcome'], readonly string[]>>> = {
  sent: ['will be sent in 10 seconds', 'sent'],
  awaitsApproval: ['waits for approval'],
  ended: [
    'in 10 seconds the client will see that you cannot provide it',
    'the client sees that you cannot provide it',
  ],
};

function Answered({
  answered,
  rows,
  path,
  draft,
}: Pick<QuoteEnquiriesProps, 'rows'> & {
  readonly answered: readonly AnsweredLine[];
  readonly path: string;
  readonly draft: string;
}) {
  const failed = answered.filter(({ outcome }) => outcome === 'failed').length;
  const made = answered.length - failed;
  const undoable = answered
    .filter(({ outcome }) => outcome === 'sent' || outcome === 'ended')
    .flatMap(({ row }) => {
      const now = rows.find(({ lineId }) => lineId === row.lineId);
      return now ? `${now.lineId}:${now.enquiry.version}` : [];
    });
  return (
    <Notice
      kind={failed > 0 ? 'bad' : 'good'}
      title={`${counted(made, 'site')} answered${failed > 0 ? `, ${failed} not` : ''}.`}
    >
      <ul class="bare" data-saved={draft}>
        {answered.map(({ row, outcome, problem }) => (
          <li>
            <a href={`/staff/orders/${row.enquiry.reference}`}>{`Line ${row.lineId}`}</a>
            {': '}
            <span data-later={outcomeWords[outcome]?.[1]}>
              {outcomeWords[outcome]?.[0] ?? problem}
            </span>
          </li>
        ))}
      </ul>
      {undoable.length > 0 && (
        <UndoForm
          action={`${path}/undo`}
          hidden={{ answered: undoable.join(' ') }}
          seconds={UNDO_TIME / SECOND}
        />
      )}
    </Notice>
  );
}
