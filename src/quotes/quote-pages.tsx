import type { ComponentChildren } from 'preact';
import { basisInWords } from '../catalogue/content/offer-fields.js';
import { wantedInWords } from '../orders/record/order.entity.js';
import { detailsInWords } from '../orders/record/site-details.dto.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { priceInWords } from '../platform/kernel/money.js';
import type { FlashMessage } from '../platform/ui/flash-messages.js';
import { PostForm } from '../platform/ui/forms/form-view.js';
import { Layout } from '../platform/ui/layout.js';
import { Empty, Time } from '../platform/ui/parts.js';
import { Section, Table } from '../platform/ui/table.js';
import { UndoForm } from '../platform/ui/undo-notice.js';
import { lacksLetters } from './document/font-letters.js';
import { RULE } from './record/choose-offer.js';
import { lineStates, stateWords } from './record/line-state.js';
import type { QuoteLineView, QuoteState, QuoteTotalView } from './record/quotes.dto.js';
import { inColumns } from './site-columns.js';
import type { StaffQuote, StaffQuoteSummary } from './staff-quotes.service.js';
import { counted, whole } from '../platform/kernel/counts.js';
import { upperFirst } from '../platform/kernel/text.js';

interface QuotesProps {
  readonly viewer: StaffCaller;
  readonly quotes: readonly StaffQuoteSummary[];
  /** What was searched for; empty for all. */
  readonly q: string;
  /** The address of older quotes; null on the last page. */
  readonly older: string | null;
  readonly now: Date;
}

export function QuotesListPage({ viewer, quotes, q, older, now }: QuotesProps) {
  return (
    <Layout title="Quotes" viewer={viewer} here="quotes" width="wide">
      <p class="actions">
        <a class="button primary" href="/staff/quotes/new">
          Quote a client
        </a>
      </p>
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
        <QuotesTable {...{ quotes, now }} />
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
}

/** What people wrote of the texts in the PDF. */
function printedTexts({ client, customer, reference, lines }: StaffQuote): string {
  const ofLines = lines.flatMap(({ site, postcode, product, problem }) => [
    ...[site, postcode, product?.name, problem?.detail],
  ]);
  return [client.name, customer, reference, ...ofLines].join(' ');
}

export function QuotePage({ viewer, quote, said, now }: QuoteProps) {
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
      {quote.undo.withdrawal > 0 && (
        <UndoForm action={`${path}/reversal`} hidden={{}} seconds={quote.undo.withdrawal}>
          <span data-later="The client sees that it was withdrawn.">
            In 10 seconds the client will see that it was withdrawn.
          </span>
        </UndoForm>
      )}
      {lacksLetters(printedTexts(quote)) && (
        <p class="hint">
          The PDF cannot print some letters of this quote. It writes them without their marks, or as
          �. The CSV has them all.
        </p>
      )}
      <Totals totals={quote.totals} />
      <Lines lines={quote.lines} />
      {quote.nextCursor !== null && (
        <nav class="pager" aria-label="Pages">
          <a href={`${path}?from=${quote.nextCursor}`} rel="next">
            Next lines
          </a>
        </nav>
      )}
      {state === 'open' && quote.undo.withdrawal === 0 && (
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

function Totals({ totals }: { totals: readonly QuoteTotalView[] }) {
  if (totals.length === 0) return null;
  const money = (amount: number | null, currency: string) =>
    amount === null ? 'not stated for all' : priceInWords(amount, currency);
  return (
    <Section title="Totals, excluding VAT">
      <Table
        class="totals"
        caption="Totals, excluding VAT"
        label="Totals"
        rows={totals}
        columns={[
          { name: 'Basis', of: ({ basis }) => basisInWords[basis], heads: true },
          { name: 'Lines', of: ({ lines }) => whole(lines), class: 'number' },
          {
            name: 'Monthly',
            of: ({ monthly, currency }) => money(monthly, currency),
            class: 'number',
          },
          {
            name: 'Set-up',
            of: ({ setup, currency }) => (setup === 0 ? 'free' : money(setup, currency)),
            class: 'number',
          },
          {
            name: 'Over the terms',
            of: ({ contract, currency }) => money(contract, currency),
            class: 'number',
          },
        ]}
      />
    </Section>
  );
}

function Lines({ lines }: { lines: readonly QuoteLineView[] }) {
  return (
    <Section title="Lines">
      <Table
        class="quote-lines"
        caption="Lines"
        rows={lines}
        columns={[
          { name: 'Line', of: ({ lineId }) => lineId, class: 'number' },
          { name: 'Site', of: (line) => <Site {...line} />, heads: true },
          { name: 'Postcode', of: ({ postcode }) => <PostcodeLink postcode={postcode} /> },
          { name: 'Wanted', of: wantedOf },
          { name: 'Product', of: answerOf, class: 'details' },
          {
            name: 'Monthly',
            of: ({ product }) => product && priceInWords(product.price, product.currency),
            class: 'number',
          },
          { name: 'State', of: (line) => <State line={line} /> },
        ]}
      />
      <p class="hint">{RULE}</p>
    </Section>
  );
}

function Site({ site, notes, details }: Pick<QuoteLineView, 'site' | 'notes' | 'details'>) {
  return (
    <>
      {site ?? '–'}
      {details !== null && <div class="muted">{detailsInWords(details).join(', ')}</div>}
      {notes !== null && <div class="muted">{notes}</div>}
    </>
  );
}

function PostcodeLink({ postcode }: { postcode: string }) {
  return (
    <a class="state" href={`/staff/check?${new URLSearchParams({ postcode }).toString()}`}>
      {postcode || '–'}
    </a>
  );
}

function wantedOf({ wanted }: QuoteLineView): string {
  if (wanted === null) return '–';
  return [wantedInWords(wanted), wanted.service ?? []].flat().join(', ');
}

/** The product, or why there is none. */
function answerOf({
  product,
  reasons,
  problem,
  nearest,
  discountPercent,
}: QuoteLineView): ComponentChildren {
  if (product === null) {
    return problem ? inColumns(problem.detail) : reasons.map(({ detail }) => detail).join(' ');
  }
  const { name, productCode, basis, leadTimeDays, setupPrice, currency } = product;
  const facts = [
    productCode,
    setupInWords(setupPrice, currency),
    `${leadTimeDays} days`,
    basisInWords[basis],
    ...(discountPercent === null ? [] : [`${discountPercent} % off for volume`]),
    ...(nearest ? [`${whole(nearest.distanceMetres)} m to the network`] : []),
  ];
  return (
    <>
      {name}
      <div class="muted">{facts.join(', ')}</div>
    </>
  );
}

function setupInWords(price: number | null, currency: string): string {
  if (price === null) return 'set-up not stated';
  return price === 0 ? 'free set-up' : `${priceInWords(price, currency)} set-up`;
}

/** Leads to the order or the enquiry. */
function State({ line }: { line: QuoteLineView }) {
  const words = stateWords[line.state];
  const id = line.orderId ?? line.enquiryId;
  const shown = id === null ? words : <a href={`/staff/orders/${id}`}>{words}</a>;
  return <span class="state">{shown}</span>;
}

/** `12 lines: 9 priced, 3 not available`. */
function countsInWords(counts: StaffQuoteSummary['counts']): string {
  const present = lineStates.filter((state) => counts[state] > 0);
  const total = present.reduce((sum, state) => sum + counts[state], 0);
  const parts = present.map((state) => `${whole(counts[state])} ${stateWords[state]}`);
  return `${counted(total, 'line')}: ${parts.join(', ')}`;
}
