/** Deliveries of accepted orders: they start, are changed by staff, and end with the order. */
import { type Expected, type Model, refused, type RequestModel } from './model.js';
import { apply, liveOn } from './changes.js';
import { dayOf } from './time.js';

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
}

/** Staff say what was done today, or by when they commit to deliver. */
export function changeDelivery(
  model: Model,
  number: number,
  by: number,
  { version, done, committedDate }: DeliveryChange,
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
  const isSame =
    (done === undefined || delivery.doneOn[done] === today) &&
    (committedDate === undefined || delivery.committedDate === committedDate);
  const before = structuredClone(delivery);
  if (!isSame) {
    if (done !== undefined) delivery.doneOn[done] = today;
    // A live service is no longer cancelled.
    if (done === 'live') delivery.askedAt = null;
    if (committedDate !== undefined) delivery.committedDate = committedDate;
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

/** As client and staff read it: of an order that is accepted, or was when it was cancelled. */
export function deliveryView({ state, delivery }: RequestModel): Record<string, unknown> | null {
  if (!delivery || !['won', 'cancelled'].includes(state)) return null;
  return {
    acceptedOn: delivery.acceptedOn,
    committedDate: delivery.committedDate,
    serviceId: delivery.serviceId,
    milestones: MILESTONES.map((code) => ({ code, doneOn: delivery.doneOn[code] ?? null })),
    liveOn: liveOn(delivery),
    cancellationRequestedAt:
      delivery.askedAt === null ? null : new Date(delivery.askedAt).toISOString(),
  };
}
