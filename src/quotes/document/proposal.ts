import { percentOf, roundedUp } from '../../catalogue/content/effective-prices.js';
import {
  bandwidthInWords,
  basisInWords,
  type OfferedProduct,
} from '../../catalogue/content/offer-fields.js';
import { withoutOperator } from '../../catalogue/content/zone-fields.js';
import { majorUnits } from '../../platform/kernel/money.js';
import { csvLine } from '../../platform/kernel/text.js';
import { groupsOf } from '../../platform/kernel/turns.js';
import { contractValue, minorUnits } from '../record/contract-value.js';
import type { QuoteLineView, QuoteView } from '../record/quotes.dto.js';
import type { ProposalQuery } from './proposal.dto.js';

/** A site at the prices of the reseller. Nothing in it is the operator's: no price, no code, no name. */
export interface ProposedLine
  extends
    Readonly<Pick<QuoteLineView, 'site' | 'postcode' | 'constraints'>>,
    Pick<
      OfferedProduct,
      | 'bandwidthProvisioned'
      | 'term'
      | 'price'
      | 'setupPrice'
      | 'currency'
      | 'basis'
      | 'leadTimeDays'
    > {
  /** Set-up and all months of the term; null where the set-up price is not stated. */
  readonly total: number | null;
}

export interface Proposal extends Readonly<
  Pick<QuoteView, 'customer' | 'reference' | 'createdAt' | 'validUntil'>
> {
  readonly name: string | null;
  readonly lines: readonly ProposedLine[];
  /** How many of the lines that were wanted have no product. */
  readonly leftOut: number;
}

/** @param quote with all its lines */
export function proposalOf(quote: QuoteView, about: ProposalQuery): Proposal {
  const named = about.lines === undefined ? undefined : new Set(about.lines.split(','));
  const { customer, reference, createdAt } = quote;
  const lines = quote.lines.filter(({ lineId }) => !named || named.has(lineId));
  const proposed = lines.flatMap((line) => proposedLine(line, about));
  return {
    name: about.name ?? null,
    customer,
    reference,
    createdAt,
    validUntil: endOf(lines, quote),
    lines: proposed,
    leftOut: lines.length - proposed.length,
  };
}

/** When the first of the lines can no longer be ordered: an offer may end before the quote. */
function endOf(lines: readonly QuoteLineView[], { validUntil }: QuoteView): Date {
  const ends = lines.flatMap(({ product, state, offerValidUntil }) =>
    product && state === 'offered' && offerValidUntil ? offerValidUntil.getTime() : [],
  );
  return new Date(Math.min(validUntil.getTime(), ...ends));
}

function proposedLine(
  { site, postcode, product, constraints }: QuoteLineView,
  { markupPercent, setupMarkupPercent, roundTo }: ProposalQuery,
): ProposedLine[] {
  if (!product) return [];
  const { currency, term, basis, leadTimeDays, bandwidthProvisioned } = product;
  const price = sellPrice(product.price, markupPercent, roundTo, currency);
  const setupPrice =
    product.setupPrice === null
      ? null
      : sellPrice(product.setupPrice, setupMarkupPercent, roundTo, currency);
  const total = contractValue({ price, setupPrice, term, currency });
  const terms = { bandwidthProvisioned, term, price, setupPrice, total, currency };
  const known = constraints.map(withoutOperator);
  return [{ site, postcode, ...terms, basis, leadTimeDays, constraints: known }];
}

/**
 * Never less than the price: it is rounded up, in whole units of the currency's smallest coin.
 * @param price in major units
 */
export function sellPrice(
  price: number,
  markupPercent: number,
  roundTo: number,
  currency: string,
): number {
  const minor = minorUnits(price, currency);
  return majorUnits(percentOf(minor, markupPercent, roundTo, currency, roundedUp), currency);
}

/** Lines that are printed in one turn of the event loop. */
const SLICE = 100;

/** A header, and one row for each line. */
export function* proposalCsv({ lines }: Proposal): Generator<string> {
  yield csvLine([
    ...['site', 'postcode', 'bandwidth', 'term', 'price', 'setup_price', 'total'],
    ...['currency', 'basis', 'lead_time_days', 'constraints'],
  ]);
  for (const group of groupsOf(lines, SLICE)) yield group.map(rowOf).join('');
}

function rowOf(line: ProposedLine): string {
  return csvLine([
    ...[line.site, line.postcode, bandwidthInWords(line.bandwidthProvisioned), line.term],
    ...[line.price, line.setupPrice, line.total, line.currency],
    ...[basisInWords[line.basis], line.leadTimeDays],
    line.constraints.map(({ text }) => text).join(' '),
  ]);
}
