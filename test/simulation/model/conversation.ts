/** What clients and staff write to each other, amendments, and reminders of orders that wait for their client. */
import { awaitParty, isLive, touch, waitOf } from './deliveries.js';
import {
  type Expected,
  type Facts,
  instant,
  isOpen,
  isUnread,
  type Model,
  publicStateOf,
  refused,
  type RequestModel,
  SERVICE,
} from './model.js';
import { remember } from './erasure.js';
import { DAY, dayOf, HOUR, startOf, workingDaysBetween } from './time.js';

/** Days after the end for which both sides can write. */
const DAYS_TO_WRITE = 30;

export function hasEnded(request: RequestModel, now: number): boolean {
  const { closedAt, delivery, state } = request;
  if (closedAt === null) return false;
  if (state !== 'won' || !delivery) return now >= closedAt + DAYS_TO_WRITE * DAY;
  const { live } = delivery.doneOn;
  return live !== undefined && now >= startOf(live) + (DAYS_TO_WRITE + 1) * DAY;
}

/** Due at once. What was scheduled waits until that is settled. */
function wake(request: RequestModel, now: number, reason: string): void {
  const { nextActionAt: at, nextActionReason: before } = request;
  Object.assign(request, {
    nextActionAt: now,
    nextActionReason: reason,
    woken: at === null ? null : { at, reason: before },
  });
}

export interface MessageSent {
  readonly text: string;
  readonly answersWaiting: boolean;
}

/** A client writes. */
export function hear(model: Model, number: number, client: number, sent: MessageSent): Expected {
  const request = model.requests[number]!;
  const { now } = model;
  if (request.client !== client) return refused(404, 'not-found');
  if (hasEnded(request, now)) return refused(409, `${request.kind}-moved`, 'not-waiting');
  const { name: actor } = model.clients[client]!;
  if (sent.answersWaiting) {
    const { delivery, state } = request;
    if (state !== 'won' || waitOf(delivery)?.party !== 'client') return refused(409, 'not-waiting');
    awaitParty(delivery!, { party: 'operator', what: "Read the client's answer." }, now);
    touch(request, 'delivery_changed', actor);
  }
  touch(request, 'message_received', actor);
  if (isUnread(request)) request.nextActionReason = 'client_wrote';
  else wake(request, now, 'client_wrote');
  request.messages.push({ from: 'client', at: instant(now), ...sent });
  remember(request, sent);
  return { status: 201, body: { at: instant(now) } };
}

/** The client corrects its order, or staff for it; a member that stays as it is changes nothing. */
export function amend(
  model: Model,
  number: number,
  by: { readonly client: number } | { readonly member: number; readonly version: number },
  sent: Partial<Facts>,
): Expected {
  const request = model.requests[number]!;
  const isClient = 'client' in by;
  if (isClient && request.client !== by.client) return refused(404, 'not-found');
  const moved = isClient ? `${request.kind}-moved` : 'order-moved';
  if (!isClient && by.version !== request.version) return refused(409, moved);
  const { delivery, facts } = request;
  const isInstalled = delivery?.doneOn.installed !== undefined || isLive(delivery);
  const mayAmend = request.state === 'won' && request.kind === 'order' && !isInstalled;
  if (!isOpen(request) && !mayAmend) return refused(409, moved);
  const isSame = Object.entries(sent).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(facts[name as keyof Facts]),
  );
  const { reference, details, preferredDays } = { ...facts, ...sent };
  const answer = isClient ? { reference, details, preferredDays } : {};
  if (isSame) return { status: 200, body: answer };
  Object.assign(facts, sent);
  remember(request, facts);
  touch(
    request,
    'amended',
    isClient ? model.clients[by.client]!.name : model.members[by.member]!.name,
  );
  const isOwner = !isClient && request.owner === by.member;
  if (!isUnread(request) && !isOwner) wake(request, model.now, 'amended');
  reportTo(model, number, `${request.kind}.amended`);
  return { status: 200, body: answer };
}

/** A message to the client's webhook about the request as it is. */
export function reportTo(model: Model, number: number, type: string) {
  const request = model.requests[number]!;
  const { client } = request;
  const state = publicStateOf(request);
  const event = { client, type, request: number, state, charge: null, chargeState: null };
  model.events.push(event);
  return event;
}

/** Each client hears at most once in a working day of the orders that wait for it. */
export function remindClients(model: Model): void {
  const { now, requests } = model;
  const { remindAfter } = model.rules;
  const today = dayOf(now);
  const isTime =
    workingDaysBetween(dayOf(now - DAY), today) > 0 && now >= startOf(today) + 9 * HOUR;
  if (!isTime || remindAfter === null) return;
  for (const client of model.clients.keys()) {
    const waiting = requests.flatMap((request, number) => {
      const wait = waitOf(request.delivery);
      return wait?.party === 'client' && request.client === client
        ? [{ request, number, wait }]
        : [];
    });
    const wasToday = waiting.some(
      ({ wait }) => wait.reminded !== null && dayOf(wait.reminded) === today,
    );
    if (wasToday) continue;
    for (const { request, number, wait } of waiting) {
      const days = workingDaysBetween(dayOf(wait.reminded ?? wait.since), today);
      if (request.state !== 'won' || days < remindAfter) continue;
      wait.reminded = now;
      request.entries.push({ action: 'client_reminded', actor: SERVICE });
      reportTo(model, number, 'order.waiting');
    }
  }
}
