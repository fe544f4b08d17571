/** Quotes: many sites answered at once, whose lines become orders and enquiries once. */
import { checkAt, type Terms, termsAt, withoutDay } from './catalogue.js';
import {
  type Expected,
  type Model,
  type OfferModel,
  publicStateOf,
  type QuoteModel,
  refused,
  type RequestModel,
} from './model.js';
import { acceptOffer, offerStateOf } from './offers.js';
import { newRequest, termsWords } from './placing.js';
import { DAY } from './time.js';

/** Days for which its terms hold. */
const VALID_DAYS = 30;

type Wanted = QuoteModel['lines'][number]['wanted'];
type Offered = Omit<Terms, 'productCode'> & { readonly productCode?: string };

const firmness = ['firm', 'subjectToSurvey', 'indicative'];

/** By the rule of quotes: enough bandwidth, the wanted term, the least of both, then the least total. */
function best<T extends Offered>(offers: readonly T[], { bandwidth, term }: Wanted): T | undefined {
  const enough = offers.filter(
    (one) => one.bandwidthProvisioned >= bandwidth && (term === null || one.term === term),
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
function usesOf({ requests }: Model, quote: number, line: number) {
  const of = (kind: RequestModel['kind']) =>
    requests.findIndex(
      (one) => one.kind === kind && one.line?.quote === quote && one.line.line === line,
    );
  return { order: of('order'), enquiry: of('enquiry') };
}

function stateOf(model: Model, quote: number, line: number): string {
  const { order, enquiry } = usesOf(model, quote, line);
  if (order >= 0) return 'ordered';
  if (enquiry < 0) return model.quotes[quote]!.lines[line]!.terms ? 'priced' : 'notAvailable';
  const state = publicStateOf(model.requests[enquiry]!);
  if (['acknowledged', 'inProgress'].includes(state)) return 'enquired';
  return ['offered', 'unableToProvide'].includes(state) ? state : 'notAvailable';
}

/** The place of the offer that a line has. If none is as wanted, the bandwidth and then the term do not count. */
function offerOf(model: Model, enquiry: number, wanted: Wanted): number {
  const request = model.requests[enquiry]!;
  const open = request.offers.filter((one) => offerStateOf(request, one, model.now) === 'open');
  const most = Math.max(...open.map(({ terms }) => terms.bandwidthProvisioned));
  const bandwidth = Math.min(wanted.bandwidth, most);
  const products = open.map((offer) => ({ ...offer.terms, productCode: offer.code ?? '', offer }));
  const chosen =
    best(products, { ...wanted, bandwidth }) ?? best(products, { bandwidth, term: null });
  return chosen ? request.offers.indexOf(chosen.offer) : -1;
}

export interface Sites {
  readonly client: number;
  readonly reference: string | null;
  readonly sites: readonly { readonly postcode: string; readonly wanted: Wanted }[];
}

export function makeQuote(model: Model, { client, reference, sites }: Sites): Expected {
  const { priceList } = model.clients[client]!;
  const lines = sites.map(({ postcode, wanted }) => {
    const chosen = best(checkAt(model.catalogue, priceList, postcode, model.now).offers, wanted);
    return { postcode, wanted, terms: chosen ? withoutDay(chosen) : null };
  });
  const quote: QuoteModel = { id: '', client, reference, at: model.now, lines };
  model.quotes.push(quote);
  return { status: 201, learn: (body) => (quote.id = String(body.quoteId)) };
}

/** The same sites at the terms of today. */
export function copyQuote(model: Model, quote: number, client: number): Expected {
  const { client: own, reference, lines } = model.quotes[quote]!;
  if (own !== client) return refused(404, 'not-found');
  return makeQuote(model, { client, reference, sites: lines });
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
  const { client: own, lines, at, reference } = model.quotes[quote]!;
  if (own !== client) return refused(404, 'not-found');
  if (model.now > at + VALID_DAYS * DAY) return refused(409, 'quote-expired');
  const chosen = sent.lines.map((line) => {
    const state = stateOf(model, quote, line);
    const { enquiry } = usesOf(model, quote, line);
    const { wanted, terms, postcode } = lines[line]!;
    const named = sent.offers[line];
    const offer = state === 'offered' ? (named ?? offerOf(model, enquiry, wanted)) : -1;
    const isOpen = offer >= 0 && isOpenOffer(model, enquiry, offer);
    const { priceList } = model.clients[client]!;
    const now =
      terms && termsAt(model.catalogue, priceList, postcode, terms.productCode, model.now);
    const isSame = model.rules.holdsQuotes || (now && termsWords(now) === termsWords(terms));
    const reason =
      state === 'ordered'
        ? 'alreadyOrdered'
        : state === 'offered'
          ? !isOpen && 'offer'
          : state !== 'priced'
            ? 'notPriced'
            : (named !== undefined || !isSame) && 'offerChanged';
    return { line, terms, postcode, enquiry, offer, reason };
  });
  const wrong = chosen.filter(({ reason }) => reason !== false);
  if (wrong.length > 0) {
    // Which of several reasons an offer that has gone gets is not said.
    return refusedLines(
      wrong.map(({ line, reason }) => ({
        lineId: String(line + 1),
        ...(reason === 'alreadyOrdered' && { reason }),
      })),
    );
  }
  const orders = chosen.map(({ line, terms, postcode, enquiry, offer }) => {
    if (offer >= 0) acceptOffer(model, enquiry, offer, { client });
    else {
      newRequest(model, {
        kind: 'order',
        client,
        postcode,
        terms,
        line: { quote, line },
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
  const { client: own, lines, reference } = model.quotes[quote]!;
  if (own !== client) return refused(404, 'not-found');
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
  const enquiries = asked.map((line) => {
    const { postcode, wanted } = lines[line]!;
    const { bandwidth, term } = wanted;
    return newRequest(model, {
      kind: 'enquiry',
      client,
      postcode,
      terms: null,
      line: { quote, line },
      wanted: { bandwidth, ...(term !== null && { term }) },
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

/** As its client reads it. */
export function quoteView(model: Model, number: number): Record<string, unknown> {
  const { id: quoteId, lines, reference } = model.quotes[number]!;
  const counts: Record<string, number> = { invalid: 0 };
  for (const state of ['priced', 'notAvailable', 'enquired', 'offered', 'ordered'])
    counts[state] = 0;
  const idOf = (request: number) => model.requests[request]?.id ?? null;
  const views = lines.map(({ postcode, terms, wanted }, line) => {
    const state = stateOf(model, number, line);
    counts[state] = (counts[state] ?? 0) + 1;
    const { order, enquiry } = usesOf(model, number, line);
    const place = state === 'offered' ? offerOf(model, enquiry, wanted) : -1;
    const offer: OfferModel | undefined = model.requests[enquiry]?.offers[place];
    return {
      lineId: String(line + 1),
      postcode,
      state,
      orderId: idOf(order),
      enquiryId: idOf(enquiry),
      ...(state === 'priced' && { product: terms, held: model.rules.holdsQuotes }),
      ...(offer && { offerId: offer.id, product: { ...offer.terms, productCode: offer.code } }),
    };
  });
  return { quoteId, reference, state: 'open', counts, lines: views };
}
