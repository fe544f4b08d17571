/** What a client and a member of staff read of a request. */
import { chargeStateOf, endOf } from './charges.js';
import { deliveryView } from './deliveries.js';
import {
  type ChargeState,
  instant,
  instantOrNull,
  type Model,
  publicStateOf,
  type RequestModel,
} from './model.js';
import { offersView } from './offers.js';

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
      wanted: { ...request.wanted, description: null },
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
    postcode: request.postcode,
    product: request.terms,
    clientReference: request.facts.reference,
    checkId: request.checkId,
    acceptExtraUpTo: pounds(request.acceptExtraUpTo),
    chargesAwaiting: sumOf(model, request, 'awaitingResponse'),
    chargesAccepted: sumOf(model, request, 'accepted'),
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
