import type { StaffCaller } from '../../platform/access/caller.js';
import type { FlashMessage } from '../../platform/ui/flash-messages.js';
import { PostForm } from '../../platform/ui/forms/form-view.js';
import { Layout } from '../../platform/ui/layout.js';
import { Empty, Time } from '../../platform/ui/parts.js';
import { Section, Table } from '../../platform/ui/table.js';
import { UndoForm } from '../../platform/ui/undo-notice.js';
import { lacksLetters } from '../document/font-letters.js';
import { lineStates, stateWords } from '../record/line-state.js';
import type { QuoteState } from '../record/quotes.dto.js';
import type { DraftSummary } from '../quote-drafts.service.js';
import { Lines, Totals } from './quote-lines-view.js';
import { LineTicks, type OrderOfLines } from './quote-order.js';
import type { StaffQuote, StaffQuoteSummary } from '../staff-quotes.service.js';
import { counted, whole } from '../../platform/kernel/counts.js';
import { upperFirst } from '../../platform/kernel/text.js';

interface QuotesProps {
  readonly viewer: StaffCaller;
  readonly quotes: readonly StaffQuoteSummary[];
  /** Shown above the quotes. */
  readonly drafts?: readonly DraftSummary[];
  /** What was searched for; empty for all. */
  readonly q: string;
  /** The address of older quotes; null on the last page. */
  readonly older: string | null;
  readonly now: Date;
  readonly said?: FlashMessage | null;
}

export function QuotesListPage({ viewer, quotes, drafts = [], q, older, now, said }: QuotesProps) {
  return (
    <Layout title="Quotes" viewer={viewer} here="quotes" width="wide" said={said}>
      <p class="actions">
        <a class="button primary" href="/staff/quotes/new">
          Quote a client
        </a>
      </p>
      {drafts.length > 0 && <Drafts drafts={drafts} now={now} />}
      <form class="search-list" action="/staff/quotes">
        <label class="unseen" for="q">
          Search quotes by customer or reference
        </label>
        <input id="q" type="search" name="q" maxLength={100} value={q} autocomplete="off" />
        <button type="submit">Search quotes</button>
      </form>
      {quotes.length === 0 ? (
        <Empty title={q === '' ? 'No quotes yet.' : 'No quotes found.'}>
          {q === '' && <p>Quote a client to make one.</p>}
        </Empty>
      ) : (
        <QuotesTable quotes={quotes} now={now} />
      )}
      {older !== null && (
        <nav class="pager" aria-label="Pages">
          <a href={older} rel="next">
            Older quotes
          </a>
        </nav>
      )}
    </Layout>
  );
}

function Drafts({ drafts, now }: Required<Pick<QuotesProps, 'drafts' | 'now'>>) {
  return (
    <Section title="Drafts">
      <Table
        caption="Drafts that are not sent, the last changed one first"
        rows={drafts}
        columns={[
          {
            name: 'Client',
            of: ({ id, client }) => <a href={`/staff/quotes/drafts/${id}`}>{client}</a>,
            heads: true,
          },
          { name: 'Customer', of: ({ customer }) => customer ?? '–' },
          { name: 'Their reference', of: ({ clientReference }) => clientReference ?? '–' },
          { name: 'Made by', of: ({ maker }) => maker },
          { name: 'Changed', of: ({ updatedAt }) => <Time at={updatedAt} now={now} /> },
        ]}
      />
    </Section>
  );
}

export function QuotesTable({ quotes, now }: Pick<QuotesProps, 'quotes' | 'now'>) {
  return (
    <Table
      caption="Quotes, newest first"
      rows={quotes}
      columns={[
        {
          name: 'Reference',
          of: ({ quoteReference: one }) => (
            <a class="state" href={`/staff/quotes/${one}`}>
              {one}
            </a>
          ),
          heads: true,
        },
        { name: 'Client', of: ({ client }) => client.name },
        { name: 'Customer', of: ({ customer }) => customer ?? '–' },
        { name: 'Their reference', of: ({ reference }) => reference ?? '–' },
        { name: 'Made', of: ({ createdAt }) => <Time at={createdAt} now={now} /> },
        {
          name: 'Valid until',
          of: ({ state, validUntil }) =>
            state === 'open' ? <Time at={validUntil} now={now} /> : upperFirst(state),
        },
        { name: 'Lines', of: ({ counts }) => countsInWords(counts), class: 'details' },
      ]}
    />
  );
}

const stateInWords: Readonly<Record<QuoteState, string>> = {
  open: ' · valid until ',
  expired: ' · expired ',
  withdrawn: ' · withdrawn ',
};

interface QuoteProps {
  readonly viewer: StaffCaller;
  readonly said: FlashMessage | null;
  readonly quote: StaffQuote;
  readonly now: Date;
  readonly order: OrderOfLines;
}

/** What people wrote of the texts in the PDF. */
function printedTexts({ client, customer, reference, lines }: StaffQuote): string {
  const ofLines = lines.flatMap(({ site, postcode, product, problem }) => [
    ...[site, postcode, product?.name, problem?.detail],
  ]);
  return [client.name, customer, reference, ...ofLines].join(' ');
}

export function QuotePage({ viewer, quote, said, now, order }: QuoteProps) {
  const { quoteReference, client, customer, reference, createdAt, validUntil, state } = quote;
  const path = `/staff/quotes/${quoteReference}`;
  const title = customer === null ? quoteReference : `${quoteReference}, ${customer}`;
  return (
    <Layout title={title} viewer={viewer} here="quotes" width="wide" said={said}>
      <p class="crumb">
        <a href="/staff/quotes">All quotes</a>
      </p>
      <p class="lead">
        {client.name}
        {reference !== null && ` · their reference ${reference}`}
        {' · made '}
        <Time at={createdAt} now={now} />
        {stateInWords[state]}
        <Time at={quote.withdrawnAt ?? validUntil} now={now} />
      </p>
      <p>
        {countsInWords(quote.counts)}. <a href={`${path}.csv`}>Export as CSV</a>
        {' · '}
        <a href={`${path}.pdf`}>PDF</a>
        {quote.counts.enquired + quote.counts.offered > 0 && (
          <>
            {' · '}
            <a href={`${path}/enquiries`}>Claim and answer enquiries</a>
          </>
        )}
      </p>
      <Undo quote={quote} path={path} />
      {lacksLetters(printedTexts(quote)) && (
        <p class="hint">
          The PDF cannot print some letters of this quote. It writes them without their marks, or as
          �. The CSV has them all.
        </p>
      )}
      <Totals totals={quote.totals} />
      {state === 'open' && quote.lines.some((line) => line.state === 'priced') ? (
        <LineTicks quote={quote} path={path} order={order} />
      ) : (
        <Lines lines={quote.lines} />
      )}
      {quote.nextCursor !== null && (
        <nav class="pager" aria-label="Pages">
          <a href={`${path}?from=${quote.nextCursor}`} rel="next">
            Next lines
          </a>
        </nav>
      )}
      {state === 'open' && quote.undo.send + quote.undo.withdrawal === 0 && (
        <Section title="Withdraw the quote">
          <p>The client keeps the quote, marked as withdrawn, and can order none of its lines.</p>
          <PostForm action={`${path}/withdrawal`} button="Withdraw quote" kind="danger" />
        </Section>
      )}
      <Section title="Sites">
        <img
          class="quote-map"
          src={`${path}/map.svg`}
          alt="Map of the sites by state. The lines above say the same."
          width={420}
          height={420}
          loading="lazy"
        />
      </Section>
    </Layout>
  );
}

/** For ten seconds after it was sent or withdrawn. */
function Undo({ quote: { undo, isDirect }, path }: { quote: StaffQuote; path: string }) {
  const seconds = undo.withdrawal || undo.send;
  if (seconds === 0) return null;
  const news = undo.withdrawal > 0 ? 'see that it was withdrawn' : 'read the quote';
  const later = undo.withdrawal > 0 ? 'sees that it was withdrawn' : 'can read the quote now';
  return (
    <UndoForm action={`${path}/reversal`} hidden={{}} seconds={seconds}>
      {!isDirect && (
        <span
          data-later={`The client ${later}.`}
        >{`In ${seconds} seconds the client can ${news}.`}</span>
      )}
    </UndoForm>
  );
}

/** `12 lines: 9 priced, 3 not available`. */
function countsInWords(counts: StaffQuoteSummary['counts']): string {
  const present = lineStates.filter((state) => counts[state] > 0);
  const total = present.reduce((sum, state) => sum + counts[state], 0);
  const parts = present.map((state) => `${whole(counts[state])} ${stateWords[state]}`);
  return `${counted(total, 'line')}: ${parts.join(', ')}`;
}
