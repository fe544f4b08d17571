/** The moves of staff: who may make which in which state, and what it changes. */
import { hasEnded, reportTo } from './conversation.js';
import {
  type EventModel,
  type Expected,
  instant,
  isManager,
  isOpen,
  isTaken,
  isUnread,
  type Model,
  type Progress,
  progressOf,
  refused,
  type RequestModel,
  showChange,
  workingOwner,
  type WorkState,
} from './model.js';
import { awaits } from './charges.js';
import { apply, holdsOrder } from './changes.js';
import { remember, wordsOf } from './erasure.js';
import { storeEndOfOffers } from './offers.js';
import { afterWorkingTime, DAY, HOUR, MINUTE, SECOND } from './time.js';

/** What each move carries beside its version. */
interface MoveContents {
  readonly claim: unknown;
  readonly assign: { readonly to: number };
  readonly logContact: { readonly channel: string; readonly result: string };
  readonly schedule: { readonly at: number; readonly reason: string };
  readonly resume: unknown;
  readonly handOver: { readonly to: number; readonly note: string };
  readonly release: { readonly reason: string };
  readonly win: { readonly externalReference?: string; readonly confirms?: boolean };
  readonly lose: { readonly reason: string; readonly note?: string };
  readonly cancel: { readonly reason: string; readonly note?: string };
  readonly duplicate: { readonly of: number };
  readonly reply: { readonly text: string };
  readonly settle: unknown;
  readonly reopen: { readonly reason: string };
}
export type MoveWord = keyof MoveContents;
type Sent<W extends MoveWord> = { readonly move: W; readonly version: number } & MoveContents[W];
export type MoveSent = { [W in MoveWord]: Sent<W> }[MoveWord];

/** What the staff confirm of an indicative price in a history, in pounds. */
export const CONFIRMED = { price: 321.5, setupPrice: 75 } as const;

const UNDO_TIME = 10 * SECOND;

/** A move of a member of staff. */
interface Moving<W extends MoveWord> {
  readonly model: Model;
  readonly request: RequestModel;
  readonly by: number;
  readonly sent: Sent<W>;
}

interface MoveRule<W extends MoveWord> {
  /** Of the audit trail. */
  readonly action: string;
  /** Whether the state of the request allows it. */
  readonly from: (moving: Moving<W>) => boolean;
  /** Whether the member may make it; without it, each may. */
  readonly by?: (moving: Moving<W>) => boolean;
  readonly isValid?: (moving: Moving<W>) => boolean;
  readonly sets: (moving: Moving<W>) => Partial<Progress>;
  /** Whether it can be taken back for ten seconds. */
  readonly isUndoable?: true;
}

const isOwner = ({ request, by }: Moving<MoveWord>) => request.owner === by;
const managerMoves = ({ model, by }: Moving<MoveWord>) => isManager(model.members[by]!);
const isResponsible = (moving: Moving<MoveWord>) => isOwner(moving) || managerMoves(moving);
const isWaiting = ({ request }: Moving<MoveWord>) => request.state === 'waiting';
const isOwned = ({ request }: Moving<MoveWord>) => isTaken(request);
const isWorked = ({ request }: Moving<MoveWord>) => isTaken(request) && request.state !== 'offered';
const isAnyOpen = ({ request }: Moving<MoveWord>) => isOpen(request);
const explainsOther = ({ sent }: Moving<'lose' | 'cancel'>) =>
  sent.reason !== 'other' || sent.note !== undefined;

const unscheduled = { nextActionAt: null, nextActionReason: null } as const;

/** An offered enquiry stays offered. */
const stateOr = ({ request }: Moving<MoveWord>, state: WorkState) =>
  request.state === 'offered' ? 'offered' : state;

function contacted({ model: { now }, request }: Moving<MoveWord>): Partial<Progress> {
  return {
    firstContactAt: request.firstContactAt ?? now,
    lastContactAt: now,
    contactAttempts: request.contactAttempts + 1,
  };
}

const closed = ({ model }: Moving<MoveWord>, state: WorkState, closeReason: string | null = null) =>
  ({ ...unscheduled, state, closedAt: model.now, closeReason }) as const;

const rules: { readonly [W in MoveWord]: MoveRule<W> } = {
  claim: {
    action: 'claimed',
    from: isWaiting,
    sets: ({ by }) => ({ state: 'in_progress', owner: by }),
  },
  assign: {
    action: 'assigned',
    from: isWaiting,
    by: managerMoves,
    sets: ({ sent }) => ({ state: 'in_progress', owner: sent.to }),
  },
  logContact: {
    action: 'contact_logged',
    from: isOwned,
    by: isOwner,
    sets: (moving) => ({
      ...unscheduled,
      ...contacted(moving),
      state: stateOr(moving, 'in_progress'),
    }),
    isUndoable: true,
  },
  schedule: {
    action: 'scheduled',
    from: isOwned,
    by: isOwner,
    isValid: ({ model, sent }) => sent.at > model.now,
    sets: (moving) => ({
      state: stateOr(moving, 'scheduled'),
      nextActionAt: moving.sent.at,
      nextActionReason: moving.sent.reason,
    }),
    isUndoable: true,
  },
  resume: {
    action: 'resumed',
    from: ({ request }) =>
      ['scheduled', 'offered'].includes(request.state) && request.nextActionAt !== null,
    by: isResponsible,
    sets: (moving) => ({ ...unscheduled, state: stateOr(moving, 'in_progress') }),
  },
  handOver: {
    action: 'handed_over',
    from: isOwned,
    by: isResponsible,
    isValid: ({ request, sent }) => sent.to !== request.owner,
    sets: ({ sent }) => ({ owner: sent.to }),
  },
  release: {
    action: 'released',
    from: isWorked,
    by: isResponsible,
    sets: () => ({ ...unscheduled, state: 'waiting', owner: null }),
    isUndoable: true,
  },
  win: {
    action: 'won',
    from: (moving) => moving.request.kind === 'order' && isWorked(moving),
    by: isOwner,
    isValid: ({ request, sent }) =>
      (request.terms?.basis === 'indicative') === (sent.confirms ?? false),
    sets: (moving) => ({
      ...closed(moving, 'won'),
      externalReference: moving.sent.externalReference ?? moving.request.externalReference,
      ...(moving.sent.confirms && { confirmed: CONFIRMED }),
    }),
    isUndoable: true,
  },
  lose: {
    action: 'lost',
    from: isOwned,
    by: isOwner,
    isValid: explainsOther,
    sets: (moving) => closed(moving, 'lost', moving.sent.reason),
    isUndoable: true,
  },
  cancel: {
    action: 'cancelled',
    from: isAnyOpen,
    by: isResponsible,
    isValid: explainsOther,
    sets: (moving) => closed(moving, 'cancelled', moving.sent.reason),
    isUndoable: true,
  },
  duplicate: {
    action: 'marked_duplicate',
    from: isAnyOpen,
    isValid: ({ model, request, sent }) => {
      const original = model.requests[sent.of]!;
      const isLike = original.client === request.client && original.kind === request.kind;
      return isLike && original !== request && original.state !== 'duplicate';
    },
    sets: (moving) => ({ ...closed(moving, 'duplicate'), duplicateOf: moving.sent.of }),
    isUndoable: true,
  },
  reply: {
    action: 'replied',
    from: ({ model, request }) => !hasEnded(request, model.now),
    sets: (moving) => ({
      ...settled(moving.request),
      ...(moving.request.closedAt === null && contacted(moving)),
    }),
    isUndoable: true,
  },
  settle: {
    action: 'message_settled',
    from: ({ request }) => isUnread(request),
    sets: ({ request }) => settled(request),
    isUndoable: true,
  },
  reopen: {
    action: 'reopened',
    // An accepted offer has become an order.
    from: ({ request }) =>
      !isOpen(request) &&
      !(request.kind === 'enquiry' && request.state === 'won') &&
      !holdsOrder(request),
    by: (moving) =>
      managerMoves(moving) ||
      (isOwner(moving) && moving.model.now - (moving.request.closedAt ?? 0) <= DAY),
    sets: ({ model, request, by }) => ({
      state: 'in_progress',
      owner: workingOwner(model, request) ?? by,
      closedAt: null,
      closeReason: null,
      duplicateOf: null,
    }),
  },
};

/** Why the move is refused. If there are several reasons, the documents do not say which one comes first. */
function refusalOf<W extends MoveWord>(rule: MoveRule<W>, moving: Moving<W>): Expected | null {
  const { model, request, sent } = moving;
  const isLate = sent.version !== request.version || !rule.from(moving);
  const { to } = sent as { readonly to?: number };
  const isUnknown = to !== undefined && !model.members[to]!.isEnabled;
  const mustWait = sent.move === 'win' && awaits(request, model.now);
  const faults = [
    ...(isUnknown ? [{ status: 422, code: 'unknown-person' }] : []),
    ...(isLate ? [{ status: 409, code: 'order-moved' }] : []),
    ...(rule.by?.(moving) === false ? [{ status: 403, code: 'not-permitted' }] : []),
    ...(rule.isValid?.(moving) === false ? [{ status: 400, code: 'validation-error' }] : []),
    ...(mustWait ? [{ status: 409, code: 'charge-open' }] : []),
  ];
  const [first, ...others] = faults;
  if (!first) return null;
  const isOne = others.every(({ status }) => status === first.status);
  const codes = others.map(({ code }) => code);
  return { ...refused(first.status, first.code, ...codes), ...(!isOne && { status: 0 }) };
}

/** What the client wrote is due no more, and what was scheduled before comes back. */
function settled(request: RequestModel): Partial<Progress> {
  const { at = null, reason = null } = request.woken ?? {};
  return isUnread(request) ? { nextActionAt: at, nextActionReason: reason, woken: null } : {};
}

/** A member of staff makes a move. */
export function makeMove(model: Model, number: number, by: number, sent: MoveSent): Expected {
  const request = model.requests[number]!;
  // The rule of a move gets what that move carries.
  const rule = rules[sent.move] as MoveRule<MoveWord>;
  const moving: Moving<MoveWord> = { model, request, by, sent };
  const refusal = refusalOf(rule, moving);
  if (refusal) return refusal;
  const before = progressOf(request);
  const wasWrittenAbout = request.isWrittenAbout;
  if (wordsOf(sent).length > 0) remember(request, sent);
  if (sent.move === 'reopen') storeEndOfOffers(request, model.now);
  const held = request.undo;
  const changed = apply(model, number, rule.sets(moving), {
    action: rule.action,
    actor: model.members[by]!.name,
  });
  const events: EventModel[] = changed ? [changed] : [];
  if (sent.move === 'reply') {
    const at = instant(model.now);
    request.messages.push({ from: 'operator', at, text: sent.text, answersWaiting: false });
    events.push(reportTo(model, number, `${request.kind}.message`));
  }
  if (rule.isUndoable) {
    // A call and its next step are taken back together.
    const call =
      sent.move === 'schedule' &&
      held?.action === 'contact_logged' &&
      held.version === request.version - 1 &&
      held.by === by &&
      held.until > model.now
        ? held
        : null;
    request.undo = {
      by,
      until: model.now + UNDO_TIME,
      version: request.version,
      action: call?.action ?? rule.action,
      before: call?.before ?? before,
      delivery: null,
      offers: null,
      wasWrittenAbout,
      events,
    };
  }
  return { status: 200, body: { state: request.state, version: request.version } };
}

export const isUncontacted = (request: RequestModel) =>
  isOpen(request) && request.firstContactAt === null;
/** The deadline of the first contact, and when its last hour starts. */
export const firstContactDueAt = (one: RequestModel) => afterWorkingTime(one.receivedAt, 4 * HOUR);
export const warnedAt = (one: RequestModel) => afterWorkingTime(one.receivedAt, 3 * HOUR);

/** For which a call that "take next" gave is not given again. */
const TAKEN_FOR = 15 * MINUTE;

/** The most urgent work: own calls that are due, then orders that are late or nearly late, then the one that has waited longest. */
export function takeNext(model: Model, by: number): Expected {
  const { now, requests } = model;
  const earliest = (those: readonly RequestModel[], at: (request: RequestModel) => number) =>
    those.toSorted((a, b) => at(a) - at(b) || (a.id < b.id ? -1 : 1))[0];
  const due = requests.filter(
    ({ owner, nextActionAt: at }) => owner === by && at !== null && at <= now,
  );
  const isJustTaken = ({ taken, nextActionAt }: RequestModel) =>
    taken?.by === by && taken.at >= nextActionAt! && now - taken.at < TAKEN_FOR;
  const calls = (those: readonly RequestModel[]) => earliest(those, (one) => one.nextActionAt!);
  const waiting = requests.filter(({ state }) => state === 'waiting');
  const isUrgent = (one: RequestModel) => isUncontacted(one) && warnedAt(one) <= now;
  const chosen =
    calls(due.filter((one) => !isJustTaken(one))) ??
    earliest(waiting.filter(isUrgent), firstContactDueAt) ??
    earliest(waiting, (one) => one.receivedAt) ??
    calls(due);
  if (!chosen) return { status: 200, body: { order: null, why: null } };
  const late = firstContactDueAt(chosen) <= now ? 'late' : 'nearly late';
  const why = chosen.state !== 'waiting' ? 'call-back due' : isUrgent(chosen) ? late : 'waiting';
  if (chosen.state === 'waiting') {
    makeMove(model, requests.indexOf(chosen), by, { move: 'claim', version: chosen.version });
  }
  chosen.taken = { by, at: now };
  const { id, version } = chosen;
  return { status: 200, body: { order: { ...(id && { orderId: id }), version }, why } };
}

/** Takes the last move back, within ten seconds, by the person who made it. */
export function undoMove(model: Model, number: number, by: number, version: number): Expected {
  const request = model.requests[number]!;
  const { undo } = request;
  const tooLate = refused(409, 'order-moved');
  if (version !== request.version || !undo || undo.version !== version) return tooLate;
  if (undo.until <= model.now) return tooLate;
  if (undo.by !== by) return refused(403, 'not-permitted');
  if (undo.before) Object.assign(request, undo.before);
  if (undo.offers) request.offers.splice(0, request.offers.length, ...undo.offers);
  if (undo.action === 'replied') {
    request.messages.pop();
    request.isWrittenAbout = undo.wasWrittenAbout === true;
  }
  if (undo.delivery) request.delivery = undo.delivery;
  for (const event of undo.events) model.events.splice(model.events.indexOf(event), 1);
  request.version += 1;
  request.undo = null;
  request.entries.push({ action: 'undone', actor: model.members[by]!.name });
  showChange(request, model.now, false);
  return { status: 200, body: { state: request.state, version: request.version } };
}
