/** Deliveries of accepted orders: they start, are changed by staff, and end with the order. */
import {
  type DeliveryModel,
  type Expected,
  instant,
  type Model,
  refused,
  type RequestModel,
  type WaitModel,
} from './model.js';
import { apply, liveOn } from './changes.js';
import { remember } from './erasure.js';
import { dayOf, workingDaysBetween } from './time.js';

const MILESTONES = [
  'surveyed',
  'wayleave',
  'built',
  'appointment',
  'installed',
  'tested',
  'live',
] as const;
export type Milestone = (typeof MILESTONES)[number];

export const isLive = (delivery: DeliveryModel | null) =>
  delivery !== null && liveOn(delivery) !== null;

/** A change of a delivery, by anyone, counts as a change of the order. */
export function touch(request: RequestModel, action: string, actor: string): void {
  request.version += 1;
  request.entries.push({ action, actor });
}

/** The client asks the operator to cancel an accepted order. */
export function askToCancel(model: Model, number: number): Expected {
  const request = model.requests[number]!;
  const delivery = request.delivery!;
  if (liveOn(delivery) !== null) return refused(409, 'order-moved');
  if (delivery.askedAt === null) {
    delivery.askedAt = model.now;
    touch(request, 'cancellation_requested', model.clients[request.client]!.name);
  }
  return { status: 200, body: { state: 'accepted' } };
}

/** An accepted order is cancelled only because its client asks for it. */
export function endOrder(model: Model, number: number, actor: string): void {
  const changes = {
    state: 'cancelled',
    closeReason: 'client_request',
    closedAt: model.now,
  } as const;
  apply(
    model,
    number,
    { ...changes, nextActionAt: null, nextActionReason: null },
    {
      action: 'cancelled',
      actor,
      byClient: true,
    },
  );
}

export interface DeliveryChange {
  readonly version: number;
  readonly done?: Milestone;
  readonly committedDate?: string;
  readonly waitingFor?: Awaited | null;
}

/** Staff say what was done today, or by when they commit to deliver. */
export function changeDelivery(
  model: Model,
  number: number,
  by: number,
  { version, done, committedDate, waitingFor }: DeliveryChange,
): Expected {
  const request = model.requests[number]!;
  const { delivery } = request;
  const moved = request.state !== 'won' || !delivery || version !== request.version;
  if (moved) return refused(409, 'order-moved', 'validation-error');
  const today = dayOf(model.now);
  if (done === 'live' && Object.values(delivery.doneOn).some((day) => day > today)) {
    return refused(400, 'validation-error');
  }
  if (done !== undefined && done !== 'live' && (liveOn(delivery) ?? today) < today) {
    return refused(400, 'validation-error');
  }
  if (committedDate !== undefined && committedDate < delivery.acceptedOn) {
    return refused(400, 'validation-error');
  }
  if (waitingFor && (done === 'live' || isLive(delivery))) return refused(400, 'validation-error');
  const wait = waitOf(delivery);
  const isSame =
    (waitingFor === undefined ||
      (wait?.party === waitingFor?.party && wait?.what === waitingFor?.what)) &&
    (done === undefined || delivery.doneOn[done] === today) &&
    (committedDate === undefined || delivery.committedDate === committedDate);
  const before = structuredClone(delivery);
  if (!isSame) {
    if (done !== undefined) delivery.doneOn[done] = today;
    // A live service is no longer cancelled.
    if (done === 'live') delivery.askedAt = null;
    if (committedDate !== undefined) delivery.committedDate = committedDate;
    if (waitingFor) remember(request, waitingFor);
    const isOther = wait?.party !== waitingFor?.party || wait?.what !== waitingFor?.what;
    if (done === 'live') awaitParty(delivery, null, model.now);
    else if (waitingFor !== undefined && isOther) awaitParty(delivery, waitingFor, model.now);
    touch(request, 'delivery_changed', model.members[by]!.name);
    request.undo = {
      by,
      until: model.now + 10_000,
      version: request.version,
      action: 'delivery_changed',
      before: null,
      delivery: before,
      offers: null,
      events: [],
    };
  }
  return { status: 200, body: { state: 'won', version: request.version } };
}

/** In working days, each from the day after a change. */
function waitedFor(party: WaitModel['party'], { waits }: DeliveryModel, now: number): number {
  return waits.reduce(
    (sum, wait) =>
      wait.party === party
        ? sum + workingDaysBetween(dayOf(wait.since), dayOf(wait.until ?? now))
        : sum,
    0,
  );
}

/** Whom the delivery waits for now. */
export function waitOf(delivery: DeliveryModel | null): WaitModel | null {
  const last = delivery?.waits.at(-1);
  return last && last.until === null ? last : null;
}

export type Awaited = Pick<WaitModel, 'party' | 'what'>;

export function awaitParty(delivery: DeliveryModel, next: Awaited | null, now: number): void {
  const wait = waitOf(delivery);
  if (wait) wait.until = now;
  if (next) delivery.waits.push({ ...next, since: now, until: null, reminded: null });
}

/** As client and staff read it: of an order that is accepted, or was when it was cancelled. */
export function deliveryView(
  { state, delivery }: RequestModel,
  now: number,
): Record<string, unknown> | null {
  const wait = waitOf(delivery);
  if (!delivery || !['won', 'cancelled'].includes(state)) return null;
  return {
    acceptedOn: delivery.acceptedOn,
    committedDate: delivery.committedDate,
    serviceId: delivery.serviceId,
    milestones: MILESTONES.map((code) => ({ code, doneOn: delivery.doneOn[code] ?? null })),
    liveOn: liveOn(delivery),
    waitingFor: wait && { party: wait.party, what: wait.what, since: instant(wait.since) },
    waited: {
      client: waitedFor('client', delivery, now),
      operator: waitedFor('operator', delivery, now),
      thirdParty: waitedFor('thirdParty', delivery, now),
    },
    cancellationRequestedAt:
      delivery.askedAt === null ? null : new Date(delivery.askedAt).toISOString(),
  };
}
