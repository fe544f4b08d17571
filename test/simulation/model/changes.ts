/** Changes of a request that several rooms of the model make, with their audit entries and messages. */
import {
  type DeliveryModel,
  type EventModel,
  isUnread,
  type Model,
  type Progress,
  publicStateOf,
  type RequestModel,
  SERVICE,
  showChange,
  type WorkState,
} from './model.js';
import { dayOf } from './time.js';

/** Changes a request, with its audit entry and message. @returns the message, if the client sees the change */
export function apply(
  model: Model,
  number: number,
  changes: Partial<Progress>,
  entry: { readonly action: string; readonly actor: string; readonly byClient?: boolean },
): EventModel | null {
  const request = model.requests[number]!;
  const wasWon = request.state === 'won';
  const { owner } = request;
  Object.assign(request, withUnread(model, request, changes, entry));
  if (request.owner !== owner) request.taken = null;
  if (request.state === 'won' && request.kind === 'order' && !wasWon) {
    startDelivery(request, model.now);
  }
  request.version += 1;
  request.entries.push({ action: entry.action, actor: entry.actor });
  if (!showChange(request, model.now, entry.byClient === true || wasWon)) return null;
  const event: EventModel = {
    client: request.client,
    type: `${request.kind}.state-changed`,
    request: number,
    state: publicStateOf(request),
    charge: null,
    chargeState: null,
  };
  model.events.push(event);
  return event;
}

/** A person settles what the client wrote by a next step or an end. The service, the client and a release leave it due. */
function withUnread(
  { members }: Model,
  request: RequestModel,
  changes: Partial<Progress>,
  { action, actor }: { readonly action: string; readonly actor: string },
): Partial<Progress> {
  const { nextActionAt: at, nextActionReason: reason = null, ...others } = changes;
  if (at === undefined) return changes;
  const settles = members.some(({ name }) => name === actor) && action !== 'released';
  if (!isUnread(request) || settles) return { woken: null, ...changes };
  return { ...others, woken: at === null ? null : { at, reason } };
}

/** Closes a request without a member of staff. */
export function closeRequest(
  model: Model,
  number: number,
  how: {
    readonly state: WorkState;
    readonly reason: string | null;
    readonly by: 'client' | 'service';
  },
): void {
  const request = model.requests[number]!;
  const byClient = how.by === 'client';
  apply(
    model,
    number,
    {
      state: how.state,
      closedAt: model.now,
      closeReason: how.reason,
      nextActionAt: null,
      nextActionReason: null,
    },
    {
      action: how.state === 'cancelled' ? 'cancelled' : 'lost',
      actor: byClient ? model.clients[request.client]!.name : SERVICE,
      byClient,
    },
  );
  request.undo = null;
}

/** The delivery of an order that is accepted now. It starts again, unless something was done for it. */
export function startDelivery(request: RequestModel, now: number): void {
  if (request.delivery && Object.keys(request.delivery.doneOn).length > 0) return;
  request.delivery = {
    acceptedOn: dayOf(now),
    committedDate: null,
    serviceId: request.delivery?.serviceId ?? null,
    doneOn: {},
    waits: [],
    askedAt: null,
  };
}

export const liveOn = ({ doneOn }: DeliveryModel) => doneOn.live ?? null;

/** Why the order cannot be reopened: its service is live, or its client waits for an answer. */
export function holdsOrder({ state, delivery }: RequestModel): boolean {
  return (
    state === 'won' && delivery !== null && (liveOn(delivery) !== null || delivery.askedAt !== null)
  );
}
