/** What a client and a member of staff read of a request. */
import { termsAt } from './catalogue.js';
import { chargeStateOf, endOf } from './charges.js';
import { deliveryView } from './deliveries.js';
import {
  type ChargeState,
  instant,
  instantOrNull,
  type Model,
  type OfferState,
  publicStateOf,
  type RequestModel,
} from './model.js';
import { offerStateOf, offersView, totalOf } from './offers.js';
import { termsWords } from './placing.js';

type View = Record<string, unknown>;

const pounds = (pence: number | null) => (pence === null ? null : pence / 100);

function chargesOf(model: Model, request: RequestModel): View[] {
  return request.charges.map((charge) => ({
    chargeId: charge.id,
    category: charge.category,
    amount: charge.amount / 100,
    note: charge.note,
    state: chargeStateOf(request, charge, model.now),
    dueAt: instant(charge.dueAt),
    proposedAt: instant(charge.proposedAt),
    endedAt: instantOrNull(
      charge.endedAt ?? endOf(request, charge, chargeStateOf(request, charge, model.now)),
    ),
    answeredBy: charge.answeredBy,
  }));
}

/** For its client. */
export function clientView(model: Model, request: RequestModel): View {
  const { line } = request;
  const { reference, details, preferredDays } = request.facts;
  const common = {
    reference,
    details,
    preferredDays,
    state: publicStateOf(request),
    stateChanges: request.changes,
    postcode: request.postcode,
    uprn: null,
    checkId: request.checkId,
    quoteId: line && model.quotes[line.quote]!.id,
    lineId: line && String(line.line + 1),
    receivedAt: instant(request.receivedAt),
  };
  if (request.kind === 'enquiry') {
    return {
      ...common,
      enquiryId: request.id,
      wanted: request.wanted,
      offers: offersView(model, request),
    };
  }
  const { from } = request;
  const enquiry = from ? model.requests[from.enquiry]! : null;
  return {
    ...common,
    orderId: request.id,
    product: request.terms,
    enquiryId: enquiry?.id ?? null,
    offerId: enquiry?.offers[from!.offer]!.id ?? null,
    nearest: null,
    acceptExtraUpTo: pounds(request.acceptExtraUpTo),
    expedite: request.expedite,
    charges: chargesOf(model, request),
    delivery: deliveryView(request, model.now),
  };
}

/** For staff, in a list. */
export function staffView(model: Model, request: RequestModel): View {
  const { owner, duplicateOf } = request;
  return {
    orderId: request.id,
    kind: request.kind,
    state: request.state,
    receivedAt: instant(request.receivedAt),
    version: request.version,
    ownerId: owner === null ? null : model.members[owner]!.id,
    ownerName: owner === null ? null : model.members[owner]!.name,
    firstContactAt: instantOrNull(request.firstContactAt),
    lastContactAt: instantOrNull(request.lastContactAt),
    contactAttempts: request.contactAttempts,
    nextActionAt: instantOrNull(request.nextActionAt),
    nextActionReason: request.nextActionReason,
    closedAt: instantOrNull(request.closedAt),
    closeReason: request.closeReason,
    externalReference: request.externalReference,
    confirmed: request.confirmed,
    duplicateOf: duplicateOf === null ? null : model.requests[duplicateOf]!.id,
    possibleDuplicateOf: request.twin === null ? null : model.requests[request.twin]!.id,
    postcode: request.postcode,
    product: request.terms,
    clientReference: request.facts.reference,
    checkId: request.checkId,
    wanted: request.wanted,
    offered: offeredPrice(request, model.now),
    enquiryId: request.from && model.requests[request.from.enquiry]!.id,
    details: request.facts.details,
    preferredDays: request.facts.preferredDays,
    quoteId: request.line && model.quotes[request.line.quote]!.id,
    lineId: request.line && String(request.line.line + 1),
    expedite: request.expedite,
    delivery: deliveryView(request, model.now),
    acceptExtraUpTo: pounds(request.acceptExtraUpTo),
    chargesAwaiting: sumOf(model, request, 'awaitingResponse'),
    chargesAccepted: sumOf(model, request, 'accepted'),
  };
}

/** Of the accepted offer or, before that, the highest one of the open offers. */
function offeredPrice(request: RequestModel, now: number): View | null {
  const inState = (state: OfferState) =>
    request.offers
      .filter((offer) => offerStateOf(request, offer, now) === state)
      .map(({ terms }) => terms.price);
  const [accepted] = inState('accepted');
  const open = inState('open');
  if (accepted === undefined && open.length === 0) return null;
  return { price: accepted ?? Math.max(...open), currency: 'GBP' };
}

/** The newest other requests that staff see beside one. */
const MOST_OTHERS = 10;

/** All that staff read about a request beside `staffView`. */
export function staffDetail(model: Model, number: number): View {
  const request = model.requests[number]!;
  const { client, postcode, terms, twin } = request;
  const idsOf = (holds: (other: RequestModel, at: number) => boolean) =>
    model.requests
      .filter((other, at) => at !== number && holds(other, at))
      .slice(-MOST_OTHERS)
      .map(({ id }) => id)
      .toSorted();
  const { priceList } = model.clients[client]!;
  const now = terms && termsAt(model.catalogue, priceList, postcode, terms.productCode, model.now);
  const nameOf = (member: number) => model.members[member]!.name;
  return {
    offers: request.offers.map((offer) => ({
      offerId: offer.id,
      answer: offer.answer,
      state: offerStateOf(request, offer, model.now),
      product: offer.terms,
      total: totalOf(offer) / 100,
      validUntil: instant(offer.validUntil),
      authorName: nameOf(offer.author),
      orderId: offer.order === null ? null : model.requests[offer.order]!.id,
    })),
    charges: chargesOf(model, request).map((charge, i) => ({
      ...charge,
      proposerId: model.members[request.charges[i]!.proposer]!.id,
    })),
    offerNow: now ? { price: now.price, differs: termsWords(now) !== termsWords(terms) } : null,
    possibleDuplicates: idsOf((other, at) => other.twin === number || at === twin),
    othersAtPostcode: idsOf((other) => other.postcode === postcode),
    othersOfClient: idsOf((other) => other.client === client),
    ordersOfClient: model.requests.filter((other) => other.client === client).length,
  };
}

function sumOf(model: Model, request: RequestModel, state: ChargeState): number {
  const those = request.charges.filter((one) => chargeStateOf(request, one, model.now) === state);
  return those.reduce((sum, { amount }) => sum + amount, 0) / 100;
}

/** Its audit trail. */
export function entriesOf(request: RequestModel): View[] {
  return request.entries.map(({ action, actor }) => ({ action, actorName: actor }));
}
