/** What the printed documents say and where. The thread that draws them imports pdfmake; this does not. */
import type { Content, TableCell, TDocumentDefinitions } from 'pdfmake/interfaces.js';
import type { PriceBasis } from '../../catalogue/content/cells.js';
import { dayInWords } from '../../catalogue/content/dates.js';
import { bandwidthInWords, basisInWords } from '../../catalogue/content/offer-fields.js';
import { priceInWords } from '../../platform/kernel/money.js';
import { longTime } from '../../platform/kernel/time-words.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { upperFirst } from '../../platform/kernel/text.js';
import { RULE } from '../record/choose-offer.js';
import { sumOf, totalsOf } from '../record/contract-value.js';
import { stateWords } from '../record/line-state.js';
import type { QuoteLineView, QuoteTotalView, QuoteView } from '../record/quotes.dto.js';
import type { Proposal, ProposedLine } from './proposal.js';
import { counted, whole } from '../../platform/kernel/counts.js';
import { fontText, lacksLetters } from './font-letters.js';

export interface DocumentBrand {
  readonly name: string;
  /** Of headings: `#0b5fff`. */
  readonly colour: string;
}

/** What to draw. */
export type DocumentRequest =
  | { readonly quote: QuoteView; readonly client: string; readonly brand: DocumentBrand }
  | { readonly proposal: Proposal };

const meanings: Readonly<Record<PriceBasis, string>> = {
  firm: 'Firm: the connection is delivered at this price.',
  subjectToSurvey:
    'Subject to survey: the price stands, but a survey of the building may find extra work, which is agreed before it is charged.',
  indicative: 'Indicative: an estimate. A firm price is confirmed before anything is delivered.',
};

const HELD = 'Lines can be ordered at these terms until the quote ends, unless they say otherwise.';

const REPLACED =
  'Some letters cannot be printed in this document. They are written without their marks, or as \ufffd.';

export function documentOf(request: DocumentRequest): TDocumentDefinitions {
  const { content, footer, ...document } =
    'quote' in request ? quoteDocument(request) : proposalDocument(request.proposal);
  const printed = inFont(content);
  return {
    ...document,
    content: printed.replaced ? [printed.value, note(REPLACED)].flat() : printed.value,
    footer: typeof footer === 'function' ? (...page) => inFont(footer(...page)).value : footer,
  };
}

/** With all texts in letters of the font. */
function inFont<T>(value: T): { value: T; replaced: boolean } {
  let replaced = false;
  const printed = (part: unknown): unknown => {
    if (typeof part === 'string') {
      replaced ||= lacksLetters(part);
      return fontText(part);
    }
    if (Array.isArray(part)) return part.map(printed);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, printed(one)]));
  };
  return { value: printed(value) as T, replaced };
}

function quoteDocument({
  quote,
  client,
  brand,
}: Extract<DocumentRequest, { quote: QuoteView }>): TDocumentDefinitions {
  const { quoteReference, reference, customer, createdAt, validUntil, lines } = quote;
  const isHeld = lines.some(({ held }) => held);
  return documentWith(`Quote ${quoteReference}`, brand, [
    facts([
      ['For', client],
      ['Customer', customer],
      ['Your reference', reference],
      ['Made', longTime(createdAt)],
      ['Valid until', longTime(validUntil)],
    ]),
    ...totals(quote.totals),
    ...constraintsIn(quote.totals),
    heading('Sites', brand),
    note(RULE),
    rows(
      ['Line', 'Site', 'Product', 'Monthly', 'Set-up', 'Over the term'],
      ['auto', '*', '*', 'auto', 'auto', 'auto'],
      lines.map((line) => [line.lineId, siteOf(line), ...answerOf(line)]),
    ),
    ...(isHeld ? [note(HELD)] : []),
    ...meaningsOf(lines.flatMap(({ product }) => product?.basis ?? [])),
  ]);
}

function proposalDocument({
  name,
  customer,
  reference,
  createdAt,
  validUntil,
  lines,
  leftOut,
}: Proposal): TDocumentDefinitions {
  const brand = { name: name ?? '', colour: '#333333' };
  const all = totalsOf(lines.map(sumOf));
  return documentWith('Proposal', brand, [
    facts([
      ['For', customer],
      ['Reference', reference],
      ['Made', longTime(createdAt)],
      ['Valid until', longTime(validUntil)],
      ['Sites', leftOut === 0 ? null : leftOutInWords(lines.length, leftOut)],
    ]),
    ...totals(all),
    ...constraintsIn(all),
    heading('Sites', brand),
    rows(
      ['Site', 'Connection', 'Monthly', 'Set-up', 'Over the term'],
      ['*', '*', 'auto', 'auto', 'auto'],
      lines.map((line) => [
        siteOf(line),
        stack(connectionOf(line), [detailsOf(line), ...constraintTexts(line)].join(', ')),
        ...prices(line, line.total),
      ]),
    ),
    ...meaningsOf(lines.map(({ basis }) => basis)),
  ]);
}

function leftOutInWords(proposed: number, leftOut: number): string {
  if (proposed === 0) return `${whole(leftOut)}, none of them with a price.`;
  return `${whole(proposed)} of ${whole(proposed + leftOut)}. This proposal has no price for the other ${leftOut === 1 ? 'site' : whole(leftOut)}.`;
}

/** The product and its prices, or why there is none. */
function answerOf(line: QuoteLineView): TableCell[] {
  const { product, totalContractValue, state, problem, reasons, held, offerValidUntil } = line;
  if (product === null) {
    const why = problem?.detail ?? reasons.map(({ detail }) => detail).join(' ');
    const text = why === '' ? '' : plain(why);
    return [{ stack: [upperFirst(stateWords[state]), muted(text)], colSpan: 4 }, '', '', ''];
  }
  const isOffered = state === 'offered' && offerValidUntil !== null;
  const until = isOffered ? ` until ${dayInWords(londonDay(offerValidUntil))}` : '';
  const hold = held || isOffered || state === 'ordered' ? [] : ['not held'];
  const details = [
    connectionOf(product),
    detailsOf(product),
    ...constraintTexts(line),
    ...(line.discountPercent === null ? [] : [`${line.discountPercent}% off for volume`]),
    ...(state === 'priced' ? [] : [`${stateWords[state]}${until}`]),
    ...hold,
  ].join(', ');
  return [stack(product.name, details), ...prices(product, totalContractValue)];
}

function connectionOf({
  bandwidthProvisioned,
  term,
}: Pick<ProposedLine, 'bandwidthProvisioned' | 'term'>): string {
  return `${bandwidthInWords(bandwidthProvisioned)}, ${counted(term, 'month')}`;
}

function detailsOf({ basis, leadTimeDays }: Pick<ProposedLine, 'basis' | 'leadTimeDays'>): string {
  return `${basisInWords[basis]}, delivered in ${leadTimeDays} days`;
}

function constraintTexts({ constraints }: Pick<ProposedLine, 'constraints'>): string[] {
  return constraints.map(({ text }) => plain(text));
}

function siteOf({ site, postcode }: Pick<QuoteLineView, 'site' | 'postcode'>): Content {
  return site === null ? plain(postcode) : stack(site, postcode);
}

function prices(
  { price, setupPrice, currency }: Pick<ProposedLine, 'price' | 'setupPrice' | 'currency'>,
  total: number | null,
): TableCell[] {
  return [money(price, currency), money(setupPrice, currency, 'free'), money(total, currency)];
}

function money(amount: number | null, currency: string, nothing?: string): TableCell {
  const known = amount === 0 && nothing !== undefined ? nothing : null;
  const text = known ?? (amount === null ? 'not stated' : priceInWords(amount, currency));
  return { text, alignment: 'right', noWrap: true };
}

function totals(all: readonly QuoteTotalView[]): Content[] {
  if (all.length === 0) return [];
  return [
    rows(
      ['Totals, excluding VAT', 'Sites', 'Monthly', 'Set-up', 'Over the terms'],
      ['*', 'auto', 'auto', 'auto', 'auto'],
      all.map(({ basis, lines, monthly, setup, contract, currency }) => [
        upperFirst(basisInWords[basis]),
        { text: String(lines), alignment: 'right' },
        money(monthly, currency),
        money(setup, currency, 'free'),
        money(contract, currency),
      ]),
    ),
  ];
}

/** How many sites with a price are less than plain. */
function constraintsIn(all: readonly QuoteTotalView[]): Content[] {
  const counts = all.flatMap(({ constraints }) => constraints);
  const byCode = Map.groupBy(counts, ({ code }) => code);
  return [...byCode.values()].map((same) => {
    const sites = same.reduce((sum, { lines }) => sum + lines, 0);
    return note(`${counted(sites, 'site')}: ${plain(same[0]!.text)}`);
  });
}

function meaningsOf(bases: readonly PriceBasis[]): Content[] {
  return [...new Set(bases)].map((basis) => note(meanings[basis]));
}

function documentWith(
  title: string,
  brand: DocumentBrand,
  content: readonly Content[],
): TDocumentDefinitions {
  const name = plain(brand.name);
  return {
    pageSize: 'A4',
    pageMargins: [42, 48, 42, 54],
    info: { title: name === '' ? title : `${title}, ${name}` },
    defaultStyle: { fontSize: 9, lineHeight: 1.15 },
    content: [
      ...(name === '' ? [] : [{ text: name, color: brand.colour, bold: true, fontSize: 11 }]),
      { text: title, bold: true, fontSize: 20, margin: [0, 2, 0, 10] },
      ...content,
    ],
    footer: (page, pages) => ({
      columns: [
        { text: name === '' ? title : `${name}: ${title}` },
        { text: `Page ${page} of ${pages}`, alignment: 'right' },
      ],
      margin: [42, 16, 42, 0],
      fontSize: 8,
      color: GREY,
    }),
  };
}

const GREY = '#555555';

function facts(all: readonly (readonly [label: string, text: string | null])[]): Content {
  const known = all.filter(([, text]) => text !== null);
  return {
    table: {
      widths: ['auto', '*'],
      body: known.map(([label, text]) => [muted(label), plain(text!)]),
    },
    layout: 'noBorders',
    margin: [0, 0, 0, 10],
  };
}

function rows(header: readonly string[], widths: string[], body: TableCell[][]): Content {
  const amounts = new Set(['Sites', 'Monthly', 'Set-up', 'Over the term', 'Over the terms']);
  const heads = header.map((text, i): TableCell => ({
    text,
    bold: true,
    noWrap: true,
    ...(i > 0 && amounts.has(text) && { alignment: 'right' as const }),
  }));
  return {
    table: { headerRows: 1, dontBreakRows: true, widths, body: [heads, ...body] },
    layout: 'lightHorizontalLines',
    margin: [0, 0, 0, 12],
  };
}

function heading(text: string, { colour }: DocumentBrand): Content {
  return { text, bold: true, fontSize: 13, color: colour, margin: [0, 0, 0, 4] };
}

function note(text: string): Content {
  return { text, color: GREY, fontSize: 8, margin: [0, 0, 0, 3] };
}

function muted(text: string): Content {
  return { text, color: GREY };
}

function stack(first: string, second: string): Content {
  return { stack: [plain(first), muted(plain(second))] };
}

/** The longest word that a column has room for. */
const LONGEST_WORD = 24;

/** On one line, without characters that change its direction, and with gaps in words that no column has room for. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replaceAll(new RegExp(`\\S{${LONGEST_WORD}}(?=\\S)`, 'gu'), '$& ')
    .trim();
}
