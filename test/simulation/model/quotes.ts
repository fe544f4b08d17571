/** Quotes: many sites answered at once, whose lines become orders and enquiries once. */
import { checkAt, type Terms, termsAt, withoutDay } from './catalogue.js';
import {
  audited,
  type Expected,
  instant,
  type Model,
  type OfferModel,
  publicStateOf,
  type QuoteModel,
  refused,
  type RequestModel,
  type WantedModel,
} from './model.js';
import { acceptOffer, offerStateOf } from './offers.js';
import { newRequest, termsWords } from './placing.js';
import { DAY, SECOND } from './time.js';

/** Days for which its terms hold. */
const VALID_DAYS = 30;
/** For which staff can undo what they have done with it. */
const UNDO_TIME = 10 * SECOND;

type Offered = Omit<Terms, 'productCode'> & { readonly productCode?: string };

const firmness = ['firm', 'subjectToSurvey', 'indicative'];

/** By the rule of quotes: the service, enough bandwidth, the wanted term, the least of both, then the least total. */
function best<T extends Offered>(
  offers: readonly T[],
  { bandwidth, term, service }: WantedModel,
): T | undefined {
  const enough = offers.filter(
    (one) =>
      bandwidth !== null &&
      one.bandwidthProvisioned >= bandwidth &&
      (term === null || one.term === term) &&
      (service === null || one.service?.toLowerCase() === service.toLowerCase()),
  );
  const total = ({ price, term: months, setupPrice }: T) => price * months + (setupPrice ?? 0);
  return enough.toSorted(
    (a, b) =>
      a.bandwidthProvisioned - b.bandwidthProvisioned ||
      Number(a.setupPrice === null) - Number(b.setupPrice === null) ||
      total(a) - total(b) ||
      firmness.indexOf(a.basis) - firmness.indexOf(b.basis) ||
      a.leadTimeDays - b.leadTimeDays ||
      ((a.productCode ?? '') < (b.productCode ?? '') ? -1 : 1),
  )[0];
}

/** What became of a line. */
export function usesOf({ requests }: Model, quote: number, line: number) {
  const of = (kind: RequestModel['kind']) =>
    requests.findIndex(
      (one) => one.kind === kind && one.line?.quote === quote && one.line.line === line,
    );
  return { order: of('order'), enquiry: of('enquiry') };
}

function stateOf(model: Model, quote: number, line: number): string {
  const { order, enquiry } = usesOf(model, quote, line);
  const { terms, wanted } = model.quotes[quote]!.lines[line]!;
  if (order >= 0) return 'ordered';
  if (wanted.bandwidth === null) return 'invalid';
  if (enquiry < 0) return terms ? 'priced' : 'notAvailable';
  const state = publicStateOf(model.requests[enquiry]!);
  if (['acknowledged', 'inProgress'].includes(state)) return 'enquired';
  return ['offered', 'unableToProvide'].includes(state) ? state : 'notAvailable';
}

/** The place of the offer that a line has; -1 without one. If none is as wanted, the bandwidth and then the term do not count. */
function offerOf(model: Model, enquiry: number, wanted: WantedModel): number {
  const request = model.requests[enquiry];
  if (!request) return -1;
  const open = request.offers.filter((one) => offerStateOf(request, one, model.now) === 'open');
  const most = Math.max(...open.map(({ terms }) => terms.bandwidthProvisioned));
  // Offers answer the wanted service.
  const reached = { ...wanted, bandwidth: Math.min(wanted.bandwidth ?? 0, most), service: null };
  const products = open.map((offer) => ({ ...offer.terms, productCode: offer.code ?? '', offer }));
  const chosen = best(products, reached) ?? best(products, { ...reached, term: null });
  return chosen ? request.offers.indexOf(chosen.offer) : -1;
}

/** Open, withdrawn, or not there for its client: staff have not sent it, or have taken that back. */
export function quoteStateOf({ now }: Model, { sentAt, withdrawnAt }: QuoteModel): string | null {
  if (now < sentAt) return null;
  return withdrawnAt !== null && now >= withdrawnAt ? 'withdrawn' : 'open';
}

/** Staff withdraw it. For ten seconds they can undo that, and the client sees nothing of it. */
export function withdrawQuote(model: Model, quote: number, actor: string): Expected {
  const found = model.quotes[quote]!;
  const isDone = found.withdrawnAt === null && found.sentAt < Infinity;
  if (isDone) {
    found.withdrawnAt = model.now + UNDO_TIME;
    audited(model, 'client quote-withdrawn', actor);
  }
  return found.sentAt < Infinity ? { status: 200, body: { isDone } } : refused(404, 'not-found');
}

/** Undoes the withdrawal, or the sending: then it is a draft again. */
export function undoOfQuote(model: Model, quote: number, actor: string): Expected {
  const found = model.quotes[quote]!;
  const { now } = model;
  if (found.sentAt === Infinity) return refused(404, 'not-found');
  const isWithdrawn = found.withdrawnAt !== null;
  const isDone = isWithdrawn ? now < found.withdrawnAt! : now < found.sentAt && found.hasDraft;
  if (isDone) {
    if (isWithdrawn) found.withdrawnAt = null;
    else found.sentAt = Infinity;
    audited(model, `client quote-${isWithdrawn ? 'restored' : 'unsent'}`, actor);
  }
  return { status: 200, body: { isDone } };
}

type Line = Pick<QuoteModel['lines'][number], 'postcode' | 'terms'>;

/** The places with products of the same service. */
const placesOf = (lines: readonly Line[], of: Terms | null) =>
  new Set(
    lines.flatMap(({ postcode, terms }) =>
      terms && terms.service === of?.service ? postcode : [],
    ),
  ).size;

/** The terms of a line with `places` places of its service: the largest discount applies. */
function discounted(model: Model, list: string, terms: Terms | null, places: number) {
  const { volume } = model.catalogue;
  const ofList = volume.some((row) => row.list === list) ? list : '*';
  const [row] = volume
    .filter(
      ({ from, list: own, products }) =>
        own === ofList &&
        places >= from &&
        terms?.productCode.startsWith(products.replace('*', '')),
    )
    .toSorted((a, b) => b.percent - a.percent);
  if (!row || !terms) return { terms, discount: null };
  const price = Math.round(terms.price * (100 - row.percent)) / 100;
  return { terms: { ...terms, price }, discount: { percent: row.percent, from: row.from } };
}

export interface Sites {
  readonly client: number;
  readonly reference: string | null;
  readonly sites: readonly { readonly postcode: string; readonly wanted: WantedModel }[];
}

/** @param staff who makes it for the client, who sees it after ten seconds */
export function makeQuote(
  model: Model,
  { client, reference, sites }: Sites,
  staff?: string,
): Expected {
  const { name, priceList } = model.clients[client]!;
  const chosen = sites.map(({ postcode, wanted }) => {
    const offer = best(checkAt(model.catalogue, priceList, postcode, model.now).offers, wanted);
    return { postcode, wanted, terms: offer ? withoutDay(offer) : null };
  });
  const lines = chosen.map((line) => {
    const places = placesOf(chosen, line.terms);
    return { ...line, ...discounted(model, priceList, line.terms, places) };
  });
  const about = { id: '', client, reference, lines };
  const sentAt = model.now + (staff === undefined ? 0 : UNDO_TIME);
  const quote: QuoteModel = {
    ...about,
    at: model.now,
    sentAt,
    withdrawnAt: null,
    hasDraft: staff !== undefined,
  };
  model.quotes.push(quote);
  audited(model, 'client quote-made', staff ?? name);
  return {
    status: staff === undefined ? 201 : 200,
    learn: (body) => (quote.id = String(body.quoteId)),
  };
}

/** The same sites at the terms of today. */
export function copyQuote(model: Model, quote: number, client: number): Expected {
  const { reference, lines } = model.quotes[quote]!;
  const refusal = refusalOf(model, quote, client, false);
  if (refusal) return refusal;
  return makeQuote(model, { client, reference, sites: lines });
}

/** Why a client cannot do something with it. */
function refusalOf(model: Model, quote: number, client: number, mustBeOpen = true) {
  const found = model.quotes[quote]!;
  const state = quoteStateOf(model, found);
  if (found.client !== client || state === null) return refused(404, 'not-found');
  const hasEnded = state === 'withdrawn' || model.now > found.at + VALID_DAYS * DAY;
  return mustBeOpen && hasEnded ? refused(409, 'quote-expired') : null;
}

const refusedLines = (lines: readonly { readonly lineId: string }[]): Expected => ({
  ...refused(422, 'line-not-orderable'),
  body: { lines },
});

/** @param offers the places of the offers that the client has read, by line */
export function orderLines(
  model: Model,
  quote: number,
  client: number,
  sent: { readonly lines: readonly number[]; readonly offers: Readonly<Record<number, number>> },
): Expected {
  const { lines, reference } = model.quotes[quote]!;
  const refusal = refusalOf(model, quote, client);
  if (refusal) return refusal;
  const chosen = sent.lines.map((line) => {
    const { enquiry } = usesOf(model, quote, line);
    const { wanted, terms, postcode } = lines[line]!;
    const named = sent.offers[line];
    const present = offerOf(model, enquiry, wanted);
    const offer = present >= 0 ? (named ?? present) : -1;
    const places = placesOf(
      sent.lines.map((one) => lines[one]!),
      terms,
    );
    const reason = lineRefusal(model, quote, client, { line, offer, named, places });
    return { line, terms, postcode, enquiry, offer, reason };
  });
  const wrong = chosen.filter(({ reason }) => reason !== null);
  if (wrong.length > 0) {
    return refusedLines(wrong.map(({ line, reason }) => ({ lineId: String(line + 1), reason })));
  }
  const before = model.requests.length;
  const orders = chosen.map(({ line, terms, postcode, enquiry, offer }) => {
    if (offer >= 0) acceptOffer(model, enquiry, offer, { client });
    else {
      newRequest(model, {
        kind: 'order',
        client,
        postcode,
        terms,
        line: { quote, line },
        before,
        ...(reference !== null && { reference }),
      });
    }
    return { line, order: model.requests.at(-1)! };
  });
  return {
    status: 201,
    learn: (body) => {
      const answered = body.orders as { lineId: string; orderId: string }[];
      for (const { line, order } of orders) {
        order.id = answered.find(({ lineId }) => lineId === String(line + 1))?.orderId ?? '';
      }
    },
  };
}

interface LineSent {
  readonly line: number;
  /** The place of the offer that it has, or -1, and of the one that the client names. */
  readonly offer: number;
  readonly named: number | undefined;
  /** Of its service that are ordered with it. */
  readonly places: number;
}

/** Why a line is not ordered; null if it is. */
function lineRefusal(
  model: Model,
  quote: number,
  client: number,
  { line, offer, named, places }: LineSent,
): string | null {
  const { lines } = model.quotes[quote]!;
  const { discount, terms, postcode } = lines[line]!;
  const { order, enquiry } = usesOf(model, quote, line);
  if (order >= 0) return 'alreadyOrdered';
  if (offer >= 0) return isOpenOffer(model, enquiry, offer) ? null : 'offerChanged';
  const asked = model.requests[enquiry];
  if (asked && ['offered', 'expired'].includes(publicStateOf(asked))) return 'offerExpired';
  if (terms && model.rules.countsOrdered && discount && places < discount.from) {
    return 'tooFewPlaces';
  }
  if (named !== undefined) return 'offerChanged';
  if (!terms) return 'notPriced';
  const { priceList } = model.clients[client]!;
  const now = termsAt(model.catalogue, priceList, postcode, terms.productCode, model.now);
  const present = discounted(model, priceList, now ?? null, placesOf(lines, terms)).terms;
  const isSame = model.rules.holdsQuotes || termsWords(present) === termsWords(terms);
  return isSame ? null : 'offerChanged';
}

function isOpenOffer(model: Model, enquiry: number, place: number): boolean {
  const request = model.requests[enquiry]!;
  return offerStateOf(request, request.offers[place]!, model.now) === 'open';
}

/** @param named lines; without them, all that can be asked for */
export function askForLines(
  model: Model,
  quote: number,
  client: number,
  named: readonly number[] | null,
): Expected {
  const { lines, reference } = model.quotes[quote]!;
  const refusal = refusalOf(model, quote, client);
  if (refusal) return refusal;
  const mayAsk = (line: number) =>
    usesOf(model, quote, line).enquiry < 0 && stateOf(model, quote, line) === 'notAvailable';
  const asked = named ?? [...lines.keys()].filter(mayAsk);
  const wrong = (asked.length > 0 ? asked : [...lines.keys()]).filter((line) => !mayAsk(line));
  if (wrong.length > 0) {
    return refusedLines(
      wrong.map((line) => ({
        lineId: String(line + 1),
        reason: usesOf(model, quote, line).enquiry < 0 ? 'notAsked' : 'alreadyEnquired',
      })),
    );
  }
  const before = model.requests.length;
  const enquiries = asked.map((line) => {
    const { postcode, wanted } = lines[line]!;
    const { bandwidth, term, service } = wanted;
    const named = model.catalogue.products.map((product) => product.service);
    const isWanted = (name: string) => name.toLowerCase() === service?.toLowerCase();
    return newRequest(model, {
      kind: 'enquiry',
      client,
      postcode,
      terms: null,
      line: { quote, line },
      before,
      wanted: { bandwidth, term, description: named.find(isWanted) ?? service },
      ...(reference !== null && { reference }),
    });
  });
  return {
    status: 201,
    learn: (body) => {
      const answered = body.enquiries as { enquiryId: string }[];
      for (const [i, enquiry] of enquiries.entries()) enquiry.id = answered[i]!.enquiryId;
    },
  };
}

/** As its client reads it; null if it does not see it. */
export function quoteView(model: Model, number: number): Record<string, unknown> | null {
  const quote = model.quotes[number]!;
  const { id: quoteId, lines, reference } = quote;
  const quoteState = quoteStateOf(model, quote);
  if (quoteState === null) return null;
  const counts: Record<string, number> = {};
  for (const state of ['priced', 'notAvailable', 'invalid', 'enquired', 'offered', 'ordered'])
    counts[state] = 0;
  const idOf = (request: number) => model.requests[request]?.id ?? null;
  const views = lines.map(({ postcode, terms, wanted, discount }, line) => {
    const state = stateOf(model, number, line);
    counts[state] = (counts[state] ?? 0) + 1;
    const { order, enquiry } = usesOf(model, number, line);
    const place = state === 'offered' ? offerOf(model, enquiry, wanted) : -1;
    const offer: OfferModel | undefined = model.requests[enquiry]?.offers[place];
    return {
      lineId: String(line + 1),
      postcode,
      wanted: wanted.bandwidth === null ? null : wanted,
      state,
      held: terms !== null && model.rules.holdsQuotes,
      orderId: idOf(order),
      enquiryId: idOf(enquiry),
      discountPercent: discount && discount.percent,
      ...(state === 'priced' && { product: terms }),
      ...(offer && {
        offerId: offer.id,
        offerValidUntil: instant(offer.validUntil),
        product: { ...offer.terms, productCode: offer.code },
      }),
    };
  });
  return { quoteId, reference, state: quoteState, counts, lines: views };
}
