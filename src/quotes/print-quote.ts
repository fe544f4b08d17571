import type { OfferedProduct } from '../catalogue/content/offer-fields.js';
import { contractValue, totalsOf } from './contract-value.js';
import { type LineUses, stateOfLine } from './line-states.js';
import type { Quote } from './quote.entity.js';
import type { QuoteLine } from './quote.js';
import type { QuoteLineView, QuoteSummary, QuoteView } from './quotes.dto.js';

export function isExpired({ validUntil }: Pick<Quote, 'validUntil'>, now: Date): boolean {
  return now > validUntil;
}

export function printSummary(quote: Quote, uses: LineUses, now: Date): QuoteSummary {
  const { changedAt } = uses;
  return {
    quoteId: quote.id,
    quoteReference: quote.reference,
    reference: quote.clientReference,
    customer: quote.customer,
    state: isExpired(quote, now) ? 'expired' : 'open',
    createdAt: quote.createdAt,
    validUntil: quote.validUntil,
    updatedAt: changedAt && changedAt > quote.updatedAt ? changedAt : quote.updatedAt,
    counts: uses.counts(quote),
  };
}

/** @param from the index of the first line to show */
export function printQuote(
  quote: Quote,
  lines: readonly QuoteLine[],
  uses: LineUses,
  { from, limit, now }: { readonly from: number; readonly limit: number; readonly now: Date },
): QuoteView {
  const end = from + limit;
  return {
    ...printSummary(quote, uses, now),
    totals: totalsOf(
      lines.flatMap(({ offer }): OfferedProduct[] => (offer ? [offer.product] : [])),
    ),
    lines: lines.slice(from, end).map((line, i) => printLine(line, from + i + 1, uses)),
    nextCursor: end < lines.length ? String(end) : null,
  };
}

/** @param number of the line, from 1 */
export function printLine(line: QuoteLine, number: number, uses: LineUses): QuoteLineView {
  const { offer } = line;
  const use = uses.of(number);
  return {
    lineId: String(number),
    site: line.site,
    postcode: line.postcode,
    uprn: line.uprn,
    wanted: line.wanted,
    state: stateOfLine(line, use),
    product: offer?.product ?? null,
    totalContractValue: offer && contractValue(offer.product),
    held: offer?.held ?? false,
    nearest: offer?.nearest ?? null,
    alternatives: [...line.alternatives],
    reasons: [...line.reasons],
    problem: line.problem,
    notes: line.notes,
    enquiryId: use.enquiry?.id ?? null,
    orderId: use.order?.id ?? null,
    was: line.was,
  };
}
