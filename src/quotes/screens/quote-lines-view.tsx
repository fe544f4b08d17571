import type { ComponentChildren } from 'preact';
import { basisInWords } from '../../catalogue/content/offer-fields.js';
import { wantedInWords } from '../../orders/record/order.entity.js';
import { detailsInWords } from '../../orders/record/site-details.dto.js';
import { whole } from '../../platform/kernel/counts.js';
import { priceInWords } from '../../platform/kernel/money.js';
import { Section, Table } from '../../platform/ui/table.js';
import { RULE } from '../record/choose-offer.js';
import { stateWords } from '../record/line-state.js';
import { constraintsInWords } from '../../catalogue/content/zone-fields.js';
import type { QuoteLineView, QuoteTotalView } from '../record/quotes.dto.js';
import { inColumns } from '../site-columns.js';

export function Totals({ totals }: { totals: readonly QuoteTotalView[] }) {
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

interface LinesProps {
  readonly lines: readonly QuoteLineView[];
  /** By default, with the rule above them. */
  readonly title?: string;
  /** Of a form that orders lines: the ticked ones, and why lines were refused. */
  readonly order?: {
    readonly ticked: ReadonlySet<string>;
    readonly refused: ReadonlyMap<string, string>;
  };
  /** The address at which a line is corrected. */
  readonly editAt?: (lineId: string) => string;
}

export function Lines({ lines, title, order, editAt }: LinesProps) {
  return (
    <Section title={title ?? 'Lines'}>
      {title === undefined && <p class="hint">{RULE}</p>}
      <Table
        class="quote-lines"
        caption={title ?? 'Lines'}
        rows={lines}
        columns={[
          {
            name: 'Line',
            of: (line) =>
              order && line.state === 'priced' ? <Tick line={line} order={order} /> : line.lineId,
            class: 'number',
          },
          {
            name: 'Site',
            of: (line) => <Site {...line} fault={order?.refused.get(line.lineId)} />,
            heads: true,
          },
          { name: 'Postcode', of: ({ postcode }) => <PostcodeLink postcode={postcode} /> },
          { name: 'Wanted', of: wantedOf },
          { name: 'Product', of: answerOf, class: 'details' },
          {
            name: 'Monthly',
            of: ({ product }) => product && priceInWords(product.price, product.currency),
            class: 'number',
          },
          {
            name: 'State',
            of: (line) => (
              <>
                <State line={line} />
                {editAt && (
                  <div>
                    <a href={editAt(line.lineId)}>Correct</a>
                  </div>
                )}
              </>
            ),
          },
        ]}
      />
    </Section>
  );
}

/** Chooses a line to order. */
function Tick({
  line: { lineId },
  order,
}: { line: QuoteLineView } & Required<Pick<LinesProps, 'order'>>) {
  return (
    <label>
      <input
        type="checkbox"
        name="line"
        value={lineId}
        checked={order.ticked.has(lineId)}
        aria-label={`Order line ${lineId}`}
        aria-invalid={order.refused.has(lineId) ? 'true' : undefined}
      />
      {lineId}
    </label>
  );
}

function Site({
  site,
  notes,
  details,
  fault,
}: Pick<QuoteLineView, 'site' | 'notes' | 'details'> & { readonly fault: string | undefined }) {
  return (
    <>
      {site ?? '–'}
      {fault !== undefined && <div class="fault">{fault}</div>}
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
export function answerOf({
  product,
  reasons,
  problem,
  nearest,
  constraints,
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
      {constraints.length > 0 && <div class="muted">{constraintsInWords(constraints)}</div>}
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
