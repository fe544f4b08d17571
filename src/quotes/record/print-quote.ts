import type { CheckedProduct } from '../../availability/availability.dto.js';
import { completed } from '../../catalogue/content/offers.js';
import { contractValue, sumOf, totalsOf } from './contract-value.js';
import { MOST_SITES } from '../../platform/access/counting.js';
import { chooseOffer } from './choose-offer.js';
import { type LineUse, type LineUses, stateOfLine } from './line-states.js';
import { StoredLines } from './packed-lines.js';
import type { Quote, QuoteHeader, QuoteLine } from './quote.entity.js';
import type {
  LineWanted,
  QuoteLineView,
  QuoteState,
  QuoteSummary,
  QuoteView,
} from './quotes.dto.js';

export function stateOfQuote(
  { validUntil, withdrawnAt }: Pick<Quote, 'validUntil' | 'withdrawnAt'>,
  now: Date,
): QuoteState {
  if (withdrawnAt && now >= withdrawnAt) return 'withdrawn';
  return now > validUntil ? 'expired' : 'open';
}

export function printSummary(quote: QuoteHeader, uses: LineUses, now: Date): QuoteSummary {
  const { changedAt } = uses;
  const state = stateOfQuote(quote, now);
  return {
    quoteId: quote.id,
    quoteReference: quote.reference,
    reference: quote.clientReference,
    customer: quote.customer,
    state,
    createdAt: quote.createdAt,
    validUntil: quote.validUntil,
    withdrawnAt: state === 'withdrawn' ? quote.withdrawnAt : null,
    updatedAt: changedAt && changedAt > quote.updatedAt ? changedAt : quote.updatedAt,
    counts: uses.counts(quote),
  };
}

/** A quote, and the states of its lines at a time. */
export interface FoundQuote {
  readonly quote: Quote;
  readonly uses: LineUses;
  readonly now: Date;
}

/** Lines to show. */
export interface LineRange {
  /** The index of the first. */
  readonly from: number;
  readonly limit: number;
}

export const WHOLE: LineRange = { from: 0, limit: MOST_SITES };

/** Reads only the lines that it shows, and those with an offer. */
export async function printQuote(
  { quote, uses, now }: FoundQuote,
  { from, limit }: LineRange,
): Promise<QuoteView> {
  const end = from + limit;
  const stored = await StoredLines.of(quote);
  const lines: QuoteLineView[] = [];
  for await (const part of stored.parts(from, end)) {
    lines.push(...part.lines.map((line, i) => printLine(line, part.first + i, uses)));
  }
  // Only lines that had no product are filled by offers.
  const offered = [...(await stored.numbered(uses.offered))].map(([number, line]) =>
    sumOf({ ...answerTo(line, uses.of(number)).product!, constraints: line.constraints }, number),
  );
  return {
    ...printSummary(quote, uses, now),
    totals: totalsOf([...stored.sums, ...offered]),
    lines,
    nextCursor: end < quote.lineCount ? String(end) : null,
  };
}

/** @param number of the line, from 1 */
export function printLine(
  { offer, constraints = [], ...line }: QuoteLine,
  number: number,
  uses: LineUses,
): QuoteLineView {
  const use = uses.of(number);
  const { product, ...answer } = answerTo({ ...line, offer }, use);
  return {
    lineId: String(number),
    ...line,
    wanted: line.problem ? null : line.wanted,
    state: stateOfLine({ ...line, offer }, use),
    product,
    totalContractValue: product && contractValue(product),
    held: offer?.held ?? false,
    discountPercent: offer?.discountPercent ?? null,
    discountFrom: offer?.discountFrom ?? null,
    nearest: offer?.nearest ?? null,
    constraints: [...constraints],
    ...answer,
    enquiryId: use.enquiry?.id ?? null,
    orderId: use.order?.id ?? null,
  };
}

/** What a line can be ordered at; with an offer, that to its enquiry that fills it. */
type LineAnswer = Pick<QuoteLineView, 'product' | 'alternatives' | 'offerId' | 'offerValidUntil'>;

/** An offer to the enquiry of a line fills it: the accepted one, or the one that the rule for products chooses. */
export function answerTo({ offer, alternatives, wanted }: QuoteLine, use: LineUse): LineAnswer {
  if (!use.offers) {
    return { product: offer?.product ?? null, alternatives, offerId: null, offerValidUntil: null };
  }
  const products = use.offers.map(({ terms }): CheckedProduct => ({
    ...completed(terms),
    priceUntil: null,
  }));
  const chosen = chooseAnswer(products, wanted!);
  const product = chosen.offer!;
  const { id, validUntil } = use.offers[products.indexOf(product)]!;
  return { product, alternatives: chosen.alternatives, offerId: id, offerValidUntil: validUntil };
}

/** Offers answer the wanted service. If none has the wanted bandwidth or term, the nearest below it and any term do. */
function chooseAnswer(products: readonly CheckedProduct[], wanted: LineWanted) {
  const most = Math.max(...products.map((one) => one.bandwidthProvisioned));
  const reached = { ...wanted, bandwidth: Math.min(wanted.bandwidth, most), service: null };
  const chosen = chooseOffer(products, reached);
  return chosen.offer ? chosen : chooseOffer(products, { ...reached, term: null });
}
