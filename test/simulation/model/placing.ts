/** Orders and enquiries as clients place, read and cancel them. */
import { checkAt, termsAt, type Terms, withoutDay } from './catalogue.js';
import { askToCancel } from './deliveries.js';
import { closeRequest } from './changes.js';
import { wordsOf } from './erasure.js';
import {
  type CitedCheck,
  type Expected,
  type Facts,
  instant,
  isOpen,
  type Model,
  refused,
  type RequestModel,
} from './model.js';
import { DAY, MINUTE } from './time.js';

export interface PlacedOrder {
  readonly client: number;
  readonly postcode: string;
  readonly product: string;
  readonly check?: CitedCheck;
  readonly reference?: string;
  readonly contact?: Facts['contact'];
  /** In pence. */
  readonly acceptExtraUpTo?: number;
  readonly expedite?: boolean;
}

/** Days for which a check can be cited. */
const CHECK_RETENTION = 60;

export const termsWords = (terms: Terms | null | undefined) =>
  terms &&
  JSON.stringify([
    terms.price,
    terms.currency,
    terms.leadTimeDays,
    terms.setupPrice,
    terms.basis,
    terms.extraChargesPossible,
    terms.network,
  ]);

/** The terms of an order: see "Price hold". */
export function placeOrder(model: Model, sent: PlacedOrder): Expected {
  const { client, postcode, product, check } = sent;
  const { priceList } = model.clients[client]!;
  if (!model.catalogue.products.some(({ code }) => code === product)) {
    // A check may still hold a product that a later version has dropped.
    const isHeld = check?.answer.offers.some(({ productCode }) => productCode === product);
    if (!isHeld) return refused(422, 'unknown-product', 'unknown-check');
  }
  const current = termsAt(model.catalogue, priceList, postcode, product, model.now);
  let terms = current;
  if (check) {
    const isOwn = check.client === client && check.postcode === postcode;
    if (!isOwn || model.now - check.at >= CHECK_RETENTION * DAY)
      return refused(422, 'unknown-check', 'product-not-available');
    const quoted = check.answer.offers.find(({ productCode }) => productCode === product);
    if (quoted) {
      const held = model.now - check.at <= model.rules.holdMinutes * MINUTE;
      if (!held && termsWords(quoted) !== termsWords(current)) return refused(409, 'offer-changed');
      terms = withoutDay(quoted);
    }
  }
  if (!terms) return refused(422, 'product-not-available');
  const request = newRequest(model, { ...sent, kind: 'order', terms });
  return {
    status: 201,
    learn: (body) => (request.id = String(body.orderId)),
  };
}

export interface PlacedEnquiry {
  readonly client: number;
  readonly postcode: string;
  readonly wanted?: Partial<NonNullable<RequestModel['wanted']>>;
  readonly reference?: string;
}

export function placeEnquiry(model: Model, sent: PlacedEnquiry): Expected {
  const request = newRequest(model, { ...sent, kind: 'enquiry', terms: null });
  return {
    status: 201,
    learn: (body) => (request.id = String(body.enquiryId)),
  };
}

interface NewRequest extends Omit<PlacedOrder, 'product'> {
  readonly kind: 'order' | 'enquiry';
  readonly terms: Terms | null;
  readonly wanted?: Partial<NonNullable<RequestModel['wanted']>>;
  readonly from?: RequestModel['from'];
  readonly facts?: Facts;
  readonly line?: RequestModel['line'];
  /** How many requests there were before those that are placed together, which do not repeat each other. */
  readonly before?: number;
  readonly owner?: number | null;
  /** The member of staff who placed it, in a call that counts as the first contact. */
  readonly by?: string;
}

/** Adds it as received now, with its audit entry and message. */
export function newRequest(model: Model, placed: NewRequest): RequestModel {
  const { wanted } = placed;
  const owner = placed.owner ?? null;
  const state = owner === null ? 'waiting' : 'in_progress';
  const request: RequestModel = {
    kind: placed.kind,
    id: '',
    client: placed.client,
    postcode: placed.postcode,
    facts: {
      reference: placed.reference ?? null,
      contact: placed.contact ?? null,
      details: null,
      preferredDays: null,
      ...placed.facts,
    },
    messages: [],
    receivedAt: model.now,
    terms: placed.terms,
    wanted:
      placed.kind === 'order'
        ? null
        : { bandwidth: null, term: null, description: null, ...wanted },
    checkId: placed.check?.id ?? null,
    twin: twinOf(model, placed),
    from: placed.from ?? null,
    acceptExtraUpTo: placed.acceptExtraUpTo ?? null,
    expedite: placed.expedite ?? false,
    line: placed.line ?? null,
    taken: null,
    isWrittenAbout: false,
    words: [],
    state,
    owner,
    contactAttempts: placed.by === undefined ? 0 : 1,
    firstContactAt: placed.by === undefined ? null : model.now,
    lastContactAt: placed.by === undefined ? null : model.now,
    nextActionAt: null,
    nextActionReason: null,
    closedAt: null,
    closeReason: null,
    duplicateOf: null,
    externalReference: null,
    confirmed: null,
    woken: null,
    version: 0,
    changes: [{ state: owner === null ? 'acknowledged' : 'inProgress', at: instant(model.now) }],
    entries: [{ action: 'received', actor: placed.by ?? model.clients[placed.client]!.name }],
    offers: [],
    charges: [],
    delivery: null,
    undo: null,
  };
  request.words.push(...wordsOf(request.facts));
  const number = model.requests.push(request) - 1;
  model.events.push({
    client: placed.client,
    type: `${placed.kind}.received`,
    request: number,
    state: request.changes[0]!.state,
    charge: null,
    chargeState: null,
  });
  return request;
}

/** The latest of the same client, product and place in the 24 hours before; of an enquiry, another enquiry. */
function twinOf(
  { requests, now }: Model,
  { kind, client, postcode, terms, before = requests.length }: NewRequest,
): number | null {
  const isLike = (other: RequestModel) =>
    other.kind === kind &&
    other.client === client &&
    other.postcode === postcode &&
    other.terms?.productCode === terms?.productCode &&
    now - other.receivedAt < DAY;
  const twin = requests.slice(0, before).findLastIndex(isLike);
  return twin < 0 ? null : twin;
}

/** The client cancels its own request. */
export function cancelOwn(model: Model, number: number, client: number): Expected {
  const request = model.requests[number]!;
  if (request.client !== client) return refused(404, 'not-found');
  if (request.state === 'cancelled') return { status: 200, body: { state: 'cancelled' } };
  if (request.kind === 'order' && request.state === 'won') return askToCancel(model, number);
  if (!isOpen(request)) return refused(409, `${request.kind}-moved`);
  closeRequest(model, number, { state: 'cancelled', reason: 'client_request', by: 'client' });
  return { status: 200, body: { state: 'cancelled' } };
}

/** A check, and what its answer must be. */
export function makeCheck(
  model: Model,
  client: number,
  postcode: string,
): { readonly check: CitedCheck; readonly expected: Expected } {
  const answer = checkAt(model.catalogue, model.clients[client]!.priceList, postcode, model.now);
  const check = { id: '', client, postcode, at: model.now, answer };
  const expected: Expected = {
    status: 200,
    body: {
      postcode,
      availableProducts: answer.offers,
      granularity: 'postcode',
      nearest: null,
      validUntil: instant(model.now + model.rules.holdMinutes * MINUTE),
    },
    learn: (body) => model.checks.push({ ...check, id: String(body.id) }),
  };
  return { check, expected };
}
