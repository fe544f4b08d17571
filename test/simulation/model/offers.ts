/** Bespoke offers in answer to an enquiry: written, approved, accepted once, or ended by time. */
import { apply } from './changes.js';
import {
  type Expected,
  instant,
  isManager,
  isOpen,
  isTaken,
  type Model,
  type OfferModel,
  type OfferState,
  progressOf,
  publicStateOf,
  refused,
  type RequestModel,
  SERVICE,
  workingOwner,
} from './model.js';
import { remember } from './erasure.js';
import { newRequest } from './placing.js';
import { dayAfter, dayOf, lastMinuteOf, SECOND, workingDayFrom } from './time.js';

const isLive = ({ state }: OfferModel) => state === 'open' || state === 'awaitingApproval';

/** Offers end with their enquiry and with their time. */
export function offerStateOf(request: RequestModel, offer: OfferModel, now: number): OfferState {
  if (offer.state === 'awaitingApproval') return isOpen(request) ? offer.state : 'withdrawn';
  if (offer.state !== 'open') return offer.state;
  const { closedAt } = request;
  if (request.state !== 'offered') {
    return closedAt === null || closedAt <= offer.validUntil ? 'withdrawn' : 'expired';
  }
  return now <= offer.validUntil ? 'open' : 'expired';
}

/** In pence. */
export const totalOf = ({ terms }: OfferModel) =>
  Math.round(terms.price * 100) * terms.term + Math.round((terms.setupPrice ?? 0) * 100);

export interface OfferSent {
  readonly price: number;
  readonly term: number;
  readonly setupPrice: number | null;
  readonly basis: string;
  readonly days: number;
}

export const OFFER_NAME = 'Internet over microwave';

/** The day that an answer names, from the day on which it is drawn. */
export const lastDayOf = (now: number, { days }: OfferSent) => dayAfter(dayOf(now), days);

export function sendOffers(
  model: Model,
  number: number,
  by: number,
  sent: { readonly version: number; readonly offers: readonly OfferSent[]; readonly at: number },
): Expected {
  const request = model.requests[number]!;
  const member = model.members[by]!;
  if (sent.version !== request.version) return refused(409, 'order-moved');
  if (!isTaken(request)) return refused(409, 'order-moved');
  if (request.owner !== by && !isManager(member)) return refused(403, 'not-permitted');
  const answer = Math.max(0, ...request.offers.map((offer) => offer.answer)) + 1;
  const added = sent.offers.map((offer): OfferModel => {
    const day = workingDayFrom(lastDayOf(sent.at, offer));
    return {
      id: '',
      answer,
      author: by,
      state: 'open',
      wasOpen: false,
      terms: {
        name: OFFER_NAME,
        bandwidthProvisioned: 2,
        bandwidthCapacity: 2,
        term: offer.term,
        price: offer.price,
        currency: 'GBP',
        leadTimeDays: 60,
        setupPrice: offer.setupPrice,
        basis: offer.basis,
        extraChargesPossible: offer.basis !== 'firm',
        network: null,
        service: null,
        needsInterconnect: false,
      },
      note: null,
      validUntil: lastMinuteOf(day),
      order: null,
    };
  });
  const isAwaiting = added.some((offer) => totalOf(offer) > model.rules.approvalOver);
  const before = structuredClone(request.offers);
  for (const offer of request.offers) {
    if (isAwaiting ? offer.state === 'awaitingApproval' : isLive(offer)) offer.state = 'replaced';
  }
  for (const offer of added) {
    offer.state = isAwaiting ? 'awaitingApproval' : 'open';
    offer.wasOpen = !isAwaiting;
  }
  const first = request.offers.push(...added) - added.length;
  if (isAwaiting) {
    if (before.some(({ state }) => state === 'awaitingApproval')) request.undo = null;
    request.version += 1;
    request.entries.push({ action: 'offer_submitted', actor: member.name });
  } else {
    const restored = added.map((offer) => ({
      ...offer,
      state: 'withdrawn' as const,
      wasOpen: false,
    }));
    open(model, number, by, [...before, ...restored], 'offered');
  }
  const learn = (body: Record<string, unknown>) => {
    const { offers } = body as { offers: { offerId: string; product: { productCode: string } }[] };
    for (const [i, offer] of added.entries()) {
      const { offerId: id, product } = offers[first + i]!;
      Object.assign(offer, { id, code: product.productCode });
      const restored = request.undo?.offers?.[first + i];
      if (restored) Object.assign(restored, { id, code: product.productCode });
    }
  };
  return { status: 201, learn };
}

/** The client sees the offers; for ten seconds, their sender can take them back. */
function open(
  model: Model,
  number: number,
  by: number,
  before: readonly OfferModel[],
  action: string,
): void {
  const request = model.requests[number]!;
  const { now } = model;
  const progress = progressOf(request);
  const changes = {
    state: 'offered',
    nextActionAt: null,
    nextActionReason: null,
    firstContactAt: request.firstContactAt ?? now,
    lastContactAt: now,
  } as const;
  const changed = apply(model, number, changes, {
    action: 'offered',
    actor: model.members[by]!.name,
  });
  if (changed) model.events.splice(model.events.indexOf(changed), 1);
  const event = {
    client: request.client,
    type: 'enquiry.offered',
    request: number,
    state: 'offered',
    charge: null,
    chargeState: null,
  };
  model.events.push(event);
  request.undo = {
    by,
    until: now + 10 * SECOND,
    version: request.version,
    action,
    before: progress,
    delivery: null,
    offers: before,
    events: [event],
  };
}

/** A manager other than the author approves or refuses an answer. */
export function decideAnswer(
  model: Model,
  number: number,
  by: number,
  sent: { readonly answer: number; readonly approve: boolean; readonly reason?: string },
): Expected {
  const request = model.requests[number]!;
  const member = model.members[by]!;
  if (!isManager(member)) return refused(403, 'not-permitted');
  const waiting = request.offers.filter(
    (offer) =>
      offer.answer === sent.answer &&
      offerStateOf(request, offer, model.now) === 'awaitingApproval',
  );
  if (waiting.length === 0) return refused(409, 'enquiry-moved');
  if (waiting.some(({ author }) => author === by)) return refused(403, 'not-permitted');
  if (!sent.approve) {
    for (const offer of waiting) offer.state = 'refused';
    remember(request, sent.reason);
    request.undo = null;
    request.entries.push({ action: 'offer_refused', actor: member.name });
    return { status: 200 };
  }
  if (waiting.some(({ validUntil }) => model.now > validUntil))
    return refused(409, 'offer-expired', 'order-moved');
  if (!isTaken(request)) return refused(409, 'order-moved');
  const before = structuredClone(request.offers);
  for (const offer of request.offers) {
    if (offer.answer !== sent.answer && isLive(offer)) offer.state = 'replaced';
  }
  for (const offer of waiting) {
    offer.state = 'open';
    offer.wasOpen = true;
  }
  request.entries.push({ action: 'offer_approved', actor: member.name });
  open(model, number, by, before, 'offer_approved');
  return { status: 200 };
}

export function withdrawOffer(model: Model, number: number, by: number, place: number): Expected {
  const request = model.requests[number]!;
  const offer = request.offers[place]!;
  const member = model.members[by]!;
  if (request.owner !== by && !isManager(member)) return refused(403, 'not-permitted');
  if (!isOpen(request) || !isLive(offer)) return refused(409, 'enquiry-moved');
  offer.state = 'withdrawn';
  request.undo = null;
  request.entries.push({ action: 'offer_withdrawn', actor: member.name });
  if (request.state === 'offered' && !request.offers.some(({ state }) => state === 'open')) {
    retract(model, number, member.name);
  }
  return { status: 200 };
}

function retract(model: Model, number: number, actor: string): void {
  const changes = { state: 'in_progress', nextActionAt: null, nextActionReason: null } as const;
  apply(model, number, changes, { action: 'offer_retracted', actor });
}

/** An enquiry leads to one order at most, also where steps race. */
export function acceptOffer(
  model: Model,
  number: number,
  place: number,
  by: { readonly client: number } | { readonly member: number },
): Expected {
  const request = model.requests[number]!;
  const offer = request.offers[place]!;
  const isClient = 'client' in by;
  if (isClient && request.client !== by.client) return refused(404, 'not-found');
  const status = isClient ? 201 : 200;
  if (offer.state === 'accepted') {
    return isClient ? { status, body: { orderId: model.requests[offer.order!]!.id } } : { status };
  }
  if (!isClient && offer.state === 'open') {
    const { acceptAloneUpTo } = model.rules;
    const isAlone = offer.author === by.member && totalOf(offer) > (acceptAloneUpTo ?? -1);
    const hasEnded = ['offer-withdrawn', 'offer-expired', 'enquiry-moved'];
    if (isAlone && offerStateOf(request, offer, model.now) !== 'open') {
      return refused(403, 'not-permitted', ...hasEnded);
    }
    if (isAlone) return refused(403, 'not-permitted');
  }
  const state = offerStateOf(request, offer, model.now);
  if (!offer.wasOpen) {
    return refused(404, 'not-found', 'enquiry-moved', 'offer-withdrawn', 'offer-expired');
  }
  if (state === 'expired') return refused(409, 'offer-expired', 'enquiry-moved');
  if (state !== 'open') {
    return refused(409, 'offer-withdrawn', 'enquiry-moved');
  }
  const actor = isClient ? model.clients[by.client]!.name : model.members[by.member]!.name;
  for (const other of request.offers) {
    if (other.state === 'awaitingApproval') other.state = 'withdrawn';
    else if (other.state === 'open') other.state = other === offer ? 'accepted' : 'declined';
  }
  const order = newRequest(model, {
    kind: 'order',
    client: request.client,
    postcode: request.postcode,
    terms: { productCode: offer.code ?? '', ...offer.terms },
    facts: { ...request.facts },
    line: request.line,
    from: { enquiry: number, offer: place },
    owner: workingOwner(model, request),
    ...(!isClient && { by: actor }),
  });
  offer.order = model.requests.length - 1;
  request.undo = null;
  close(model, number, 'won', null, { action: 'offer_accepted', actor });
  const learn = (body: Record<string, unknown>) => {
    const { offers = [] } = body as { offers?: { orderId: string | null }[] };
    order.id = isClient ? String(body.orderId) : String(offers[place]!.orderId);
  };
  return { status, learn };
}

export function declineOffers(model: Model, number: number, client: number): Expected {
  const request = model.requests[number]!;
  if (request.client !== client) return refused(404, 'not-found');
  if (publicStateOf(request) === 'declined') return { status: 200 };
  if (request.state !== 'offered') return refused(409, 'enquiry-moved');
  const isAny = request.offers.some((one) => offerStateOf(request, one, model.now) === 'open');
  if (!isAny) return refused(409, 'offer-expired');
  for (const offer of request.offers) {
    if (offer.state === 'awaitingApproval') offer.state = 'withdrawn';
    else if (offer.state === 'open') offer.state = 'declined';
  }
  request.undo = null;
  const { name: actor } = model.clients[client]!;
  close(model, number, 'lost', 'declined', { action: 'offer_declined', actor });
  return { status: 200, body: { state: 'declined' } };
}

function close(
  model: Model,
  number: number,
  state: 'won' | 'lost',
  closeReason: string | null,
  entry: { readonly action: string; readonly actor: string },
): void {
  const unscheduled = { nextActionAt: null, nextActionReason: null };
  apply(model, number, { ...unscheduled, state, closeReason, closedAt: model.now }, entry);
}

/** Reopening stores the end of the offers, as its client has read it. */
export function storeEndOfOffers(request: RequestModel, now: number): void {
  for (const offer of request.offers) offer.state = offerStateOf(request, offer, now);
}

/** What the service stores when time has passed. */
export function endOffers(model: Model, number: number): void {
  const request = model.requests[number]!;
  const { offers } = request;
  if (!isOpen(request)) return;
  const isExpired = (offer: OfferModel) => isLive(offer) && model.now > offer.validUntil;
  if (!offers.some(isExpired)) return;
  for (const offer of offers) if (isExpired(offer)) offer.state = 'expired';
  request.undo = null;
  if (request.state !== 'offered' || offers.some(({ state }) => state === 'open')) return;
  if (offers.some(({ state }) => state === 'awaitingApproval')) retract(model, number, SERVICE);
  else close(model, number, 'lost', 'offer_expired', { action: 'offer_expired', actor: SERVICE });
}

/** As their client reads them; those that it never saw are left out. */
export function offersView(model: Model, request: RequestModel): Record<string, unknown>[] {
  return request.offers
    .filter(({ wasOpen }) => wasOpen)
    .map((offer) => ({
      offerId: offer.id,
      state: offerStateOf(request, offer, model.now),
      product: offer.terms,
      validUntil: instant(offer.validUntil),
      note: offer.note,
      orderId: offer.order === null ? null : model.requests[offer.order]!.id,
    }));
}
