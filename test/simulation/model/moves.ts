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
  type WorkState,
} from './model.js';
import { awaits } from './charges.js';
import { apply, holdsOrder } from './changes.js';
import { storeEndOfOffers } from './offers.js';
import { DAY, SECOND } from './time.js';

export type MoveSent = { readonly version: number } & (
  | { readonly move: 'claim' }
  | { readonly move: 'assign' | 'handOver'; readonly to: number }
  | { readonly move: 'logContact'; readonly channel: string; readonly result: string }
  | { readonly move: 'schedule'; readonly at: number; readonly reason: string }
  | { readonly move: 'resume' | 'settle' }
  | { readonly move: 'reply'; readonly text: string }
  | { readonly move: 'release' | 'reopen'; readonly reason: string }
  | { readonly move: 'win'; readonly externalReference?: string; readonly confirms?: boolean }
  | { readonly move: 'lose' | 'cancel'; readonly reason: string; readonly note?: string }
  | { readonly move: 'duplicate'; readonly of: number }
);
export type MoveWord = MoveSent['move'];

/** What the staff confirm of an indicative price in a history, in pounds. */
export const CONFIRMED = { price: 321.5, setupPrice: 75 } as const;

const UNDO_TIME = 10 * SECOND;

const undoable: readonly MoveWord[] = [
  'logContact',
  'schedule',
  'win',
  'lose',
  'cancel',
  'duplicate',
  'release',
  'reply',
  'settle',
];

const actions: Readonly<Record<MoveWord, string>> = {
  claim: 'claimed',
  assign: 'assigned',
  logContact: 'contact_logged',
  schedule: 'scheduled',
  resume: 'resumed',
  handOver: 'handed_over',
  release: 'released',
  win: 'won',
  lose: 'lost',
  cancel: 'cancelled',
  duplicate: 'marked_duplicate',
  reopen: 'reopened',
  reply: 'replied',
  settle: 'message_settled',
};

/** Why the move is refused, as far as the documents say. */
function refusalOf(model: Model, number: number, by: number, sent: MoveSent): Expected | null {
  const request = model.requests[number]!;
  const member = model.members[by]!;
  const isOwner = request.owner === by;
  const faults: { readonly status: number; readonly code: string }[] = [];
  const moved = { status: 409, code: 'order-moved' };
  const forbidden = { status: 403, code: 'not-permitted' };
  const invalid = { status: 400, code: 'validation-error' };
  if (sent.version !== request.version) faults.push(moved);
  const needs = (state: boolean, person: boolean, content = true) => {
    if (!state) faults.push(moved);
    if (!person) faults.push(forbidden);
    if (!content) faults.push(invalid);
  };
  const worked = isTaken(request) && request.state !== 'offered';
  switch (sent.move) {
    case 'claim':
      needs(request.state === 'waiting', true);
      break;
    case 'assign':
      needs(request.state === 'waiting', isManager(member));
      break;
    case 'logContact':
      needs(isTaken(request), isOwner);
      break;
    case 'schedule':
      needs(isTaken(request), isOwner, sent.at > model.now);
      break;
    case 'resume':
      needs(
        ['scheduled', 'offered'].includes(request.state) && request.nextActionAt !== null,
        isOwner || isManager(member),
      );
      break;
    case 'handOver':
      needs(isTaken(request), isOwner || isManager(member), sent.to !== request.owner);
      break;
    case 'release':
      needs(worked, isOwner || isManager(member));
      break;
    case 'win': {
      const isIndicative = request.terms?.basis === 'indicative';
      needs(request.kind === 'order' && worked, isOwner, isIndicative === (sent.confirms ?? false));
      if (awaits(request, model.now)) faults.push({ status: 409, code: 'charge-open' });
      break;
    }
    case 'lose':
      needs(isTaken(request), isOwner, sent.reason !== 'other' || sent.note !== undefined);
      break;
    case 'cancel':
      needs(
        isOpen(request),
        isOwner || isManager(member),
        sent.reason !== 'other' || sent.note !== undefined,
      );
      break;
    case 'duplicate': {
      const original = model.requests[sent.of]!;
      const isLike = original.client === request.client && original.kind === request.kind;
      needs(isOpen(request), true, isLike && sent.of !== number && original.state !== 'duplicate');
      break;
    }
    case 'reply':
      needs(!hasEnded(request, model.now), true);
      break;
    case 'settle':
      needs(isUnread(request), true);
      break;
    case 'reopen': {
      const isRecent = isOwner && model.now - (request.closedAt ?? 0) <= DAY;
      const isAccepted = request.kind === 'enquiry' && request.state === 'won';
      needs(!isOpen(request) && !isAccepted && !holdsOrder(request), isManager(member) || isRecent);
      break;
    }
  }
  const [first, ...others] = faults;
  if (!first) return null;
  const statuses = new Set(faults.map(({ status }) => status));
  return {
    ...refused(first.status, first.code, ...others.map(({ code }) => code)),
    ...(statuses.size > 1 && { status: 0 }),
  };
}

function changesOf(
  model: Model,
  request: RequestModel,
  by: number,
  sent: MoveSent,
): Partial<Progress> {
  const { now } = model;
  const unscheduled = { nextActionAt: null, nextActionReason: null };
  const closed = (state: WorkState, closeReason: string | null = null) => ({
    ...unscheduled,
    state,
    closedAt: now,
    closeReason,
  });
  const stays = request.state === 'offered';
  switch (sent.move) {
    case 'claim':
      return { state: 'in_progress', owner: by };
    case 'assign':
      return { state: 'in_progress', owner: sent.to };
    case 'logContact':
      return {
        ...unscheduled,
        state: stays ? 'offered' : 'in_progress',
        firstContactAt: request.firstContactAt ?? now,
        lastContactAt: now,
        contactAttempts: request.contactAttempts + 1,
      };
    case 'schedule':
      return {
        state: stays ? 'offered' : 'scheduled',
        nextActionAt: sent.at,
        nextActionReason: sent.reason,
      };
    case 'resume':
      return { ...unscheduled, state: stays ? 'offered' : 'in_progress' };
    case 'handOver':
      return { owner: sent.to };
    case 'reply':
      return {
        ...settled(request),
        ...(request.closedAt === null && {
          firstContactAt: request.firstContactAt ?? now,
          lastContactAt: now,
          contactAttempts: request.contactAttempts + 1,
        }),
      };
    case 'settle':
      return settled(request);
    case 'release':
      return { ...unscheduled, state: 'waiting', owner: null };
    case 'win':
      return {
        ...closed('won'),
        externalReference: sent.externalReference ?? request.externalReference,
        ...(sent.confirms && { confirmed: CONFIRMED }),
      };
    case 'lose':
      return closed('lost', sent.reason);
    case 'cancel':
      return closed('cancelled', sent.reason);
    case 'duplicate':
      return { ...closed('duplicate'), duplicateOf: sent.of };
    case 'reopen':
      return {
        state: 'in_progress',
        owner: request.owner ?? by,
        closedAt: null,
        closeReason: null,
        duplicateOf: null,
      };
  }
}

/** What the client wrote is due no more, and what was scheduled before comes back. */
function settled(request: RequestModel): Partial<Progress> {
  const { at = null, reason = null } = request.woken ?? {};
  return isUnread(request) ? { nextActionAt: at, nextActionReason: reason, woken: null } : {};
}

/** A member of staff makes a move. */
export function makeMove(model: Model, number: number, by: number, sent: MoveSent): Expected {
  const request = model.requests[number]!;
  const refusal = refusalOf(model, number, by, sent);
  if (refusal) return refusal;
  const before = progressOf(request);
  if (sent.move === 'reopen') storeEndOfOffers(request, model.now);
  const held = request.undo;
  const changed = apply(model, number, changesOf(model, request, by, sent), {
    action: actions[sent.move],
    actor: model.members[by]!.name,
  });
  const events: EventModel[] = changed ? [changed] : [];
  if (sent.move === 'reply') {
    const at = instant(model.now);
    request.messages.push({ from: 'operator', at, text: sent.text, answersWaiting: false });
    events.push(reportTo(model, number, `${request.kind}.message`));
  }
  if (undoable.includes(sent.move)) {
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
      action: call?.action ?? actions[sent.move],
      before: call?.before ?? before,
      delivery: null,
      offers: null,
      events,
    };
  }
  return { status: 200, body: { state: request.state, version: request.version } };
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
  if (undo.action === 'replied') request.messages.pop();
  if (undo.delivery) request.delivery = undo.delivery;
  for (const event of undo.events) model.events.splice(model.events.indexOf(event), 1);
  request.version += 1;
  request.undo = null;
  request.entries.push({ action: 'undone', actor: model.members[by]!.name });
  showChange(request, model.now, false);
  return { status: 200, body: { state: request.state, version: request.version } };
}
