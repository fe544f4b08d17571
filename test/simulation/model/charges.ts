/** Extra charges: staff propose them, the client answers, and time ends them. */
import { apply, liveOn } from './changes.js';
import { endOrder, touch } from './deliveries.js';
import { remember } from './erasure.js';
import {
  type ChargeModel,
  type ChargeState,
  type Expected,
  isManager,
  isOpen,
  isTaken,
  isUnread,
  type Model,
  publicStateOf,
  refused,
  type RequestModel,
  SERVICE,
  workingOwner,
} from './model.js';
import { dayOf, lastMinuteOf, reminderBefore, SECOND, workingDaysAfter } from './time.js';

/** A charge whose order has closed is withdrawn, unless it had lapsed before. */
export function chargeStateOf(
  request: RequestModel,
  charge: ChargeModel,
  now: number,
): ChargeState {
  if (charge.state !== 'awaitingResponse') return charge.state;
  if (!isOpen(request) && request.state !== 'won') {
    return charge.dueAt <= request.closedAt! ? 'lapsed' : 'withdrawn';
  }
  return charge.dueAt <= now ? 'lapsed' : 'awaitingResponse';
}

/** When a charge lapsed, or was withdrawn because its order has ended. */
export function endOf(request: RequestModel, { dueAt }: ChargeModel, state: ChargeState) {
  if (state === 'lapsed') return dueAt;
  return state === 'withdrawn' && !isOpen(request) && request.state !== 'won'
    ? request.closedAt
    : null;
}

export const awaits = (request: RequestModel, now: number) =>
  request.charges.some((charge) => chargeStateOf(request, charge, now) === 'awaitingResponse');

export const acceptedSum = ({ charges }: RequestModel) =>
  charges.reduce((sum, { state, amount }) => (state === 'accepted' ? sum + amount : sum), 0);

export interface ChargeSent {
  readonly version: number;
  readonly note: string;
  readonly category: string;
  /** In pence. */
  readonly amount: number;
  readonly dueAt: number;
}

export function proposeCharge(
  model: Model,
  number: number,
  by: number,
  sent: ChargeSent,
): Expected {
  const request = model.requests[number]!;
  const { delivery, terms } = request;
  const member = model.members[by]!;
  const inDelivery = request.state === 'won' && delivery !== null && liveOn(delivery) === null;
  if (request.owner !== by && !isManager(member)) {
    return refused(403, 'not-permitted', 'order-moved', 'extra-charges-excluded');
  }
  if (sent.version !== request.version || !(isTaken(request) || inDelivery) || !terms) {
    return refused(409, 'order-moved');
  }
  const isExempt = sent.category === 'expedite' && request.expedite;
  if (!terms.extraChargesPossible && !isExempt) return refused(422, 'extra-charges-excluded');
  const charge = addCharge(model, number, by, sent);
  const isCovered =
    request.acceptExtraUpTo !== null &&
    acceptedSum(request) + sent.amount <= request.acceptExtraUpTo;
  const place = request.charges.length - 1;
  if (isCovered) {
    charge.state = 'accepted';
    charge.endedAt = model.now;
    request.entries.push({ action: 'charge_accepted', actor: SERVICE });
  }
  report(model, number, place, 'proposed');
  if (!isCovered) awaitAnswer(model, number, charge.dueAt);
  return { status: 201, learn: (body) => learnCharge(body, charge, place) };
}

function learnCharge(body: Record<string, unknown>, charge: ChargeModel, place: number): void {
  charge.id = (body as { charges: { chargeId: string }[] }).charges[place]!.chargeId;
}

/** Adds it, as awaiting an answer, with its audit entry. */
export function addCharge(
  model: Model,
  number: number,
  by: number,
  { category, amount, dueAt, note }: Omit<ChargeSent, 'version'>,
): ChargeModel {
  const request = model.requests[number]!;
  const charge: ChargeModel = {
    id: '',
    category,
    amount,
    note,
    proposer: by,
    proposedAt: model.now,
    dueAt,
    state: 'awaitingResponse',
    endedAt: null,
    answeredBy: null,
  };
  request.charges.push(charge);
  remember(request, note);
  request.version += 1;
  request.undo = null;
  request.entries.push({ action: 'charge_proposed', actor: model.members[by]!.name });
  return charge;
}

/** Meanwhile the order is scheduled, unless its owner has scheduled something else. */
function awaitAnswer(model: Model, number: number, dueAt: number): void {
  if (model.requests[number]!.state !== 'in_progress') return;
  schedule(model, number, 'charge_open', reminderBefore(dueAt, model.now));
}

function schedule(model: Model, number: number, reason: string, at = model.now): void {
  const changes = { state: 'scheduled', nextActionAt: at, nextActionReason: reason } as const;
  apply(model, number, changes, { action: 'scheduled', actor: SERVICE });
}

/** The order is due for its owner at once; without one who works here, it returns to the queue. */
function bringBack(model: Model, number: number, reason: string): void {
  const request = model.requests[number]!;
  if (!isTaken(request)) return;
  if (workingOwner(model, request) !== null) return schedule(model, number, reason);
  const changes = {
    state: 'waiting',
    owner: null,
    nextActionAt: null,
    nextActionReason: null,
  } as const;
  apply(model, number, changes, { action: 'released', actor: SERVICE });
}

/** The wait ends when no charge is open any more. */
function resume(model: Model, number: number): void {
  const request = model.requests[number]!;
  const reason = isUnread(request) ? request.woken?.reason : request.nextActionReason;
  const waits = request.state === 'scheduled' && reason === 'charge_open';
  if (!waits || request.charges.some(({ state }) => state === 'awaitingResponse')) return;
  const changes = { state: 'in_progress', nextActionAt: null, nextActionReason: null } as const;
  apply(model, number, changes, { action: 'resumed', actor: SERVICE });
}

function report(model: Model, number: number, charge: number, step: string): void {
  const request = model.requests[number]!;
  model.events.push({
    client: request.client,
    type: `order.charge-${step}`,
    request: number,
    state: publicStateOf(request),
    charge,
    chargeState: request.charges[charge]!.state,
  });
}

const steps = {
  accepted: 'answered',
  rejected: 'answered',
  lapsed: 'lapsed',
  withdrawn: 'withdrawn',
} as const;

function end(
  model: Model,
  number: number,
  place: number,
  how: {
    readonly state: keyof typeof steps;
    readonly actor: string;
    readonly answeredBy?: string | null;
  },
): void {
  const request = model.requests[number]!;
  const charge = request.charges[place]!;
  const { state, actor } = how;
  charge.state = state;
  charge.endedAt = endOf(request, charge, state) ?? model.now;
  charge.answeredBy = how.answeredBy ?? null;
  if (charge.answeredBy !== null) remember(request, charge.answeredBy);
  request.undo = null;
  request.entries.push({ action: `charge_${state}`, actor });
  report(model, number, place, steps[state]);
  if (charge.category !== 'cancellation' || state === 'withdrawn' || !request.delivery) return;
  const isAskedAgain =
    state === 'lapsed' &&
    request.charges.some(
      (other) =>
        other.category === 'cancellation' &&
        chargeStateOf(request, other, model.now) === 'awaitingResponse',
    );
  if (isAskedAgain) return;
  request.delivery.askedAt = null;
  if (state === 'accepted' && request.state === 'won') endOrder(model, number, actor);
}

export interface ChargeAnswer {
  readonly accept: boolean;
  readonly by: string | null;
}

const stateAfter = ({ accept }: ChargeAnswer) => (accept ? 'accepted' : 'rejected');

/** The same answer again changes nothing. */
function repeats(charge: ChargeModel, answer: ChargeAnswer): boolean {
  return charge.state === stateAfter(answer) && charge.answeredBy === answer.by;
}

export function answerCharge(
  model: Model,
  number: number,
  place: number,
  client: number,
  answer: ChargeAnswer,
): Expected {
  const request = model.requests[number]!;
  const charge = request.charges[place]!;
  if (request.client !== client) return refused(404, 'not-found');
  if (repeats(charge, answer)) return { status: 200 };
  if (chargeStateOf(request, charge, model.now) !== 'awaitingResponse') {
    return refused(409, 'charge-answered');
  }
  const { name: actor } = model.clients[client]!;
  end(model, number, place, { state: stateAfter(answer), actor, answeredBy: answer.by });
  bringBack(model, number, 'charge_answered');
  return { status: 200 };
}

/** By phone: anyone on the staff records it, but no one binds a client alone. */
export function recordAnswer(
  model: Model,
  number: number,
  place: number,
  by: number,
  answer: ChargeAnswer,
): Expected {
  const request = model.requests[number]!;
  const charge = request.charges[place]!;
  if (repeats(charge, answer)) return { status: 200 };
  if (chargeStateOf(request, charge, model.now) !== 'awaitingResponse') {
    return refused(409, 'charge-answered');
  }
  const { acceptAloneUpTo } = model.rules;
  const isAlone = charge.proposer === by && charge.amount > (acceptAloneUpTo ?? -1);
  if (answer.accept && isAlone) return refused(403, 'not-permitted');
  const { name: actor } = model.members[by]!;
  end(model, number, place, { state: stateAfter(answer), actor, answeredBy: answer.by });
  resume(model, number);
  return { status: 200 };
}

export function withdrawCharge(model: Model, number: number, place: number, by: number): Expected {
  const request = model.requests[number]!;
  const charge = request.charges[place]!;
  const member = model.members[by]!;
  if (request.owner !== by && !isManager(member)) return refused(403, 'not-permitted');
  if (charge.state === 'withdrawn') return { status: 200 };
  if (chargeStateOf(request, charge, model.now) !== 'awaitingResponse') {
    return refused(409, 'charge-answered');
  }
  end(model, number, place, { state: 'withdrawn', actor: member.name });
  resume(model, number);
  return { status: 200 };
}

/** What the service stores when time has passed. */
export function endCharges(model: Model, number: number): void {
  const request = model.requests[number]!;
  const isUndoable = request.closedAt !== null && model.now - request.closedAt < 10 * SECOND;
  for (const [place, charge] of request.charges.entries()) {
    const state = chargeStateOf(request, charge, model.now);
    if (charge.state !== 'awaitingResponse' || state === 'awaitingResponse') continue;
    if (isUndoable && request.state !== 'won') continue;
    end(model, number, place, { state: state, actor: SERVICE });
    bringBack(model, number, 'charge_lapsed');
  }
}

export interface CancellationAnswer {
  readonly version: number;
  readonly note: string;
  readonly accept: boolean;
  /** Of a charge for which it is cancelled, in pence. */
  readonly amount?: number;
}

/** Staff answer the request to cancel: the order ends, or goes on. */
export function answerCancellation(
  model: Model,
  number: number,
  by: number,
  sent: CancellationAnswer,
): Expected {
  const request = model.requests[number]!;
  const { delivery } = request;
  const member = model.members[by]!;
  if (request.state !== 'won' || sent.version !== request.version || !delivery?.askedAt) {
    return refused(409, 'order-moved', 'not-permitted');
  }
  if (request.owner !== by && !isManager(member)) return refused(403, 'not-permitted');
  const open = request.charges.some(
    (charge) =>
      charge.category === 'cancellation' &&
      chargeStateOf(request, charge, model.now) === 'awaitingResponse',
  );
  if (open) return refused(409, 'charge-open');
  if (sent.amount !== undefined)
    return chargeCancellation(model, number, by, sent.amount, sent.note);
  delivery.askedAt = null;
  if (sent.accept) endOrder(model, number, member.name);
  else touch(request, 'cancellation_refused', member.name);
  return { status: 200, body: { state: request.state, version: request.version } };
}

/** The order is cancelled when its client accepts the charge. */
function chargeCancellation(
  model: Model,
  number: number,
  by: number,
  amount: number,
  note: string,
): Expected {
  const request = model.requests[number]!;
  const dueAt = lastMinuteOf(workingDaysAfter(dayOf(model.now), 5));
  const charge = addCharge(model, number, by, { category: 'cancellation', amount, dueAt, note });
  const place = request.charges.length - 1;
  report(model, number, place, 'proposed');
  return { status: 200, learn: (body) => learnCharge(body, charge, place) };
}

/** A live service is no longer cancelled: what a cancellation would cost is withdrawn. */
export function withdrawCancellation(model: Model, number: number, by: number): void {
  const request = model.requests[number]!;
  const { name: actor } = model.members[by]!;
  for (const [place, charge] of request.charges.entries()) {
    const awaitsAnswer = chargeStateOf(request, charge, model.now) === 'awaitingResponse';
    if (charge.category !== 'cancellation' || !awaitsAnswer) continue;
    end(model, number, place, { state: 'withdrawn', actor });
  }
}
