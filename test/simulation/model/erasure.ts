/** Erasures: what was written about a request goes, and what was ordered stays. */
import { audited, type Expected, type Model, OPERATOR, type RequestModel } from './model.js';

export const ERASED = '(erased)';

/** Words of texts that no other step has written. */
const unique = /\bw9[0-9a-z]+/g;

export const wordsOf = (written: unknown) => JSON.stringify(written ?? null).match(unique) ?? [];

/** Keeps what an erasure must find. */
export function remember(request: RequestModel, written: unknown): void {
  request.isWrittenAbout = true;
  request.words.push(...wordsOf(written));
}

/** The operator erases a request, and the words of the quote that it came from. */
export function eraseRequest(model: Model, number: number): Expected {
  const request = model.requests[number]!;
  const { charges, delivery, facts, line, messages, offers, wanted, words } = request;
  const quote = line && model.quotes[line.quote]!;
  const isWritten =
    request.isWrittenAbout ||
    facts.contact !== null ||
    facts.reference !== null ||
    facts.details !== null ||
    (wanted?.description ?? null) !== null ||
    offers.some(({ terms }) => terms.name !== ERASED) ||
    (quote !== null && quote.reference !== null);
  if (!isWritten) return { status: 200 };
  model.erased.push(...words);
  Object.assign(facts, { reference: null, contact: null, details: null });
  for (const message of messages) message.text = ERASED;
  for (const charge of charges) Object.assign(charge, { note: null, answeredBy: null });
  for (const offer of offers) offer.terms = { ...offer.terms, name: ERASED };
  for (const wait of delivery?.waits ?? []) wait.what = ERASED;
  if (wanted) wanted.description = null;
  if (quote) Object.assign(quote, { reference: null, hasDraft: false });
  request.isWrittenAbout = false;
  request.words = [];
  request.undo = null;
  request.entries.push({ action: 'erased', actor: OPERATOR });
  return { status: 200 };
}

/** The quote, whose orders and enquiries keep their words, with the drafts that have the same reference. */
export function eraseQuote(model: Model, number: number): Expected {
  const quote = model.quotes[number]!;
  const drafts = model.quotes.filter(
    (one) =>
      one.hasDraft &&
      one.client === quote.client &&
      (one === quote || (quote.reference !== null && one.reference === quote.reference)),
  );
  for (const one of drafts) one.hasDraft = false;
  // What an invalid row says may be any text.
  const texts = quote.lines.filter(({ postcode, wanted }) => postcode && wanted.bandwidth === null);
  for (const line of texts) line.postcode = '';
  const isWritten = quote.reference !== null || drafts.length > 0 || texts.length > 0;
  if (isWritten) audited(model, 'client quote-erased');
  quote.reference = null;
  return { status: 200 };
}
