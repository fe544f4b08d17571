/**
 * The states of the staff's work on an order, and the moves between them: a table, and a pure
 * function over it. Whether something is due, late or stale follows from its dates and is no state.
 */
import { closedStates, openStates, type OrderState } from './order-states.js';
import { toPublicState } from './public-state.js';

export const contactChannels = ['phone', 'email', 'meeting', 'other'] as const;
export const contactResults = [
  'reached',
  'no_answer',
  'voicemail',
  'wrong_details',
  'emailed',
] as const;
export const scheduleReasons = [
  'callback_agreed',
  'awaiting_client',
  'awaiting_supplier',
  'retry_no_answer',
] as const;
export const lostReasons = [
  'not_serviceable',
  'price',
  'lead_time',
  'competitor',
  'no_response',
  'requirements_changed',
  'invalid_details',
  'other',
] as const;
export const cancelReasons = [
  'client_request',
  'test_request',
  'invalid_request',
  'other',
] as const;

export type ContactChannel = (typeof contactChannels)[number];
export type ContactResult = (typeof contactResults)[number];
export type ScheduleReason = (typeof scheduleReasons)[number];
export type LostReason = (typeof lostReasons)[number];
export type CancelReason = (typeof cancelReasons)[number];

/** So long after closing it an order's owner may reopen it: 24 hours, in milliseconds. */
export const OWN_REOPENING = 86_400_000;

/** What of an order decides about its moves, and what they set. */
export interface Situation {
  readonly id: string;
  readonly clientId: string;
  readonly state: OrderState;
  readonly ownerId: string | null;
  readonly claimedAt: Date | null;
  readonly firstContactAt: Date | null;
  readonly lastContactAt: Date | null;
  readonly contactAttempts: number;
  readonly nextActionAt: Date | null;
  readonly nextActionReason: string | null;
  readonly closedAt: Date | null;
  readonly closeReason: string | null;
  readonly externalReference: string | null;
  readonly duplicateOf: string | null;
  readonly reopenings: number;
  /** When the state that the API client sees last changed. */
  readonly publicStateAt: Date;
  /** When the last audit entry was made. */
  readonly lastEntryAt: Date;
  readonly version: number;
}

export interface Person {
  readonly id: string;
  readonly name: string;
}

/** Who makes a move. */
export type Mover =
  | {
      readonly kind: 'staff';
      readonly id: string;
      readonly name: string;
      readonly manager: boolean;
    }
  | { readonly kind: 'client'; readonly id: string; readonly name: string }
  | { readonly kind: 'staleRule' };

/** The order that another one is a duplicate of. */
export type Original = Pick<Situation, 'id' | 'clientId' | 'state'>;

/** A move with what it carries. */
export type Move =
  | { readonly name: 'claim' }
  | { readonly name: 'assign'; readonly owner: Person; readonly note?: string }
  | {
      readonly name: 'logContact';
      readonly channel: ContactChannel;
      readonly result: ContactResult;
      readonly note?: string;
    }
  | {
      readonly name: 'schedule';
      readonly nextActionAt: Date;
      readonly reason: ScheduleReason;
      readonly note?: string;
    }
  | { readonly name: 'resume'; readonly note?: string }
  | { readonly name: 'handOver'; readonly owner: Person; readonly note: string }
  | { readonly name: 'release'; readonly reason: string }
  | { readonly name: 'win'; readonly externalReference?: string; readonly note?: string }
  | { readonly name: 'lose'; readonly reason: LostReason; readonly note?: string }
  | { readonly name: 'cancel'; readonly reason: CancelReason; readonly note?: string }
  | { readonly name: 'duplicate'; readonly of: Original; readonly note?: string }
  | { readonly name: 'reopen'; readonly reason: string };

export type MoveName = Move['name'];

type Who = 'staff' | 'owner' | 'manager' | 'client' | 'staleRule' | 'recentOwner';

interface MoveRule {
  readonly from: readonly OrderState[];
  /** `same`: the order stays in the state that it has. */
  readonly to: OrderState | 'same';
  readonly who: readonly Who[];
  /** The word of the audit entry. */
  readonly action: string;
}

const taken = ['in_progress', 'scheduled'] as const;

/** Every move. `receive` is not among them: it makes the order, in `waiting`. */
export const moveRules: Readonly<Record<MoveName, MoveRule>> = {
  claim: { from: ['waiting'], to: 'in_progress', who: ['staff'], action: 'claimed' },
  assign: { from: ['waiting'], to: 'in_progress', who: ['manager'], action: 'assigned' },
  logContact: { from: taken, to: 'in_progress', who: ['owner'], action: 'contact_logged' },
  schedule: { from: taken, to: 'scheduled', who: ['owner'], action: 'scheduled' },
  resume: {
    from: ['scheduled'],
    to: 'in_progress',
    who: ['owner', 'manager'],
    action: 'resumed',
  },
  handOver: { from: taken, to: 'same', who: ['owner', 'manager'], action: 'handed_over' },
  release: {
    from: taken,
    to: 'waiting',
    who: ['owner', 'manager', 'staleRule'],
    action: 'released',
  },
  win: { from: taken, to: 'won', who: ['owner'], action: 'won' },
  lose: { from: taken, to: 'lost', who: ['owner'], action: 'lost' },
  cancel: {
    from: openStates,
    to: 'cancelled',
    who: ['owner', 'manager', 'client'],
    action: 'cancelled',
  },
  duplicate: { from: openStates, to: 'duplicate', who: ['staff'], action: 'marked_duplicate' },
  reopen: {
    from: closedStates,
    to: 'in_progress',
    who: ['manager', 'recentOwner'],
    action: 'reopened',
  },
};

/** Why a move cannot be made. */
export interface MoveRefusal {
  readonly refused: 'state' | 'permission' | 'content';
  readonly detail: string;
  /** JSON pointer to the field at fault, where the content is refused. */
  readonly pointer?: string;
}

/** What a move does: the columns that it sets, and its audit entry. */
export interface MovePlan {
  readonly changes: Partial<Omit<Situation, 'id' | 'clientId'>>;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What `move` by `mover` at `now` would do to an order, or why it cannot be made. */
export function planMove(
  order: Situation,
  move: Move,
  mover: Mover,
  now: Date,
): MovePlan | MoveRefusal {
  const rule = moveRules[move.name];
  const refusal = refusalOf(order, move.name, mover, now);
  if (refusal) return refusal;
  const fault = contentFault(order, move, now);
  if (fault) return fault;
  const state = rule.to === 'same' ? order.state : rule.to;
  const version = order.version + 1;
  const reason = reasonOf(move);
  const shown = toPublicState({ to: order.state, reason: order.closeReason });
  const changes = {
    ...settings(order, move, mover, now),
    state,
    version,
    lastEntryAt: now,
    ...(toPublicState({ to: state, reason }) !== shown && { publicStateAt: now }),
  };
  return {
    changes,
    action: rule.action,
    details: { from: order.state, to: state, version, ...carried(order, move) },
  };
}

/** What of an order decides who may make which move, whatever the move carries. */
export type Standing = Pick<Situation, 'state' | 'ownerId' | 'clientId' | 'closedAt'>;

/** Why `mover` cannot make a move of this name at all; null where it depends on what it carries. */
export function refusalOf(
  order: Standing,
  name: MoveName,
  mover: Mover,
  now: Date,
): MoveRefusal | null {
  const rule = moveRules[name];
  if (!rule.from.includes(order.state)) {
    return {
      refused: 'state',
      detail: `An order that is ${spoken(order.state)} cannot be ${spoken(rule.action)}.`,
    };
  }
  if (!rule.who.some((who) => isMover(who, order, mover, now))) {
    return { refused: 'permission', detail: `This move is for ${audience(rule.who)}.` };
  }
  return null;
}

function isMover(who: Who, order: Standing, mover: Mover, now: Date): boolean {
  switch (who) {
    case 'staff':
      return mover.kind === 'staff';
    case 'owner':
      return mover.kind === 'staff' && mover.id === order.ownerId;
    case 'manager':
      return mover.kind === 'staff' && mover.manager;
    case 'client':
      return mover.kind === 'client' && mover.id === order.clientId;
    case 'staleRule':
      return mover.kind === 'staleRule';
    case 'recentOwner':
      return (
        mover.kind === 'staff' &&
        mover.id === order.ownerId &&
        order.closedAt !== null &&
        now.getTime() - order.closedAt.getTime() <= OWN_REOPENING
      );
  }
}

const audiences: Readonly<Record<Who, string>> = {
  staff: 'staff members',
  owner: "the order's owner",
  manager: 'managers',
  client: 'the API client that placed it',
  staleRule: 'the rule about stale claims',
  recentOwner: 'its owner within 24 hours of closing it',
};

function audience(who: readonly Who[]): string {
  const staffOnly = who.filter((one) => one !== 'client' && one !== 'staleRule');
  return staffOnly.map((one) => audiences[one]).join(' and ');
}

function spoken(word: string): string {
  return word.replaceAll('_', ' ');
}

function contentFault(order: Situation, move: Move, now: Date): MoveRefusal | null {
  const fault = (pointer: string, detail: string) =>
    ({ refused: 'content', pointer, detail }) as const;
  switch (move.name) {
    case 'schedule':
      return move.nextActionAt > now
        ? null
        : fault('/nextActionAt', 'Must lie in the future; it is when the order comes back.');
    case 'handOver':
      if (move.owner.id === order.ownerId) return fault('/ownerId', 'Has this order already.');
      return isBlank(move.note) ? fault('/note', 'Say what the next person should know.') : null;
    case 'release':
    case 'reopen':
      return isBlank(move.reason) ? fault('/reason', 'Say why.') : null;
    case 'lose':
    case 'cancel':
      return move.reason === 'other' && isBlank(move.note)
        ? fault('/note', 'The reason `other` needs a note that says more.')
        : null;
    case 'duplicate':
      if (move.of.id === order.id) return fault('/of', 'An order is no duplicate of itself.');
      if (move.of.clientId !== order.clientId) {
        return fault('/of', 'A duplicate is of an order of the same API client.');
      }
      return move.of.state === 'duplicate'
        ? fault('/of', 'That order is a duplicate itself; name the one that it is of.')
        : null;
    default:
      return null;
  }
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

function reasonOf(move: Move): string | null {
  return 'reason' in move ? move.reason : null;
}

const unscheduled = { nextActionAt: null, nextActionReason: null };

/** The columns that a move sets, besides those that every move sets. */
function settings(order: Situation, move: Move, mover: Mover, now: Date): MovePlan['changes'] {
  const staffId = mover.kind === 'staff' ? mover.id : null;
  const closed = { ...unscheduled, closedAt: now, closeReason: reasonOf(move) };
  switch (move.name) {
    case 'claim':
      return { ownerId: staffId, claimedAt: now };
    case 'assign':
      return { ownerId: move.owner.id, claimedAt: now };
    case 'logContact':
      return {
        ...unscheduled,
        firstContactAt: order.firstContactAt ?? now,
        lastContactAt: now,
        contactAttempts: order.contactAttempts + 1,
      };
    case 'schedule':
      return { nextActionAt: move.nextActionAt, nextActionReason: move.reason };
    case 'resume':
      return unscheduled;
    case 'handOver':
      return { ownerId: move.owner.id, claimedAt: now };
    case 'release':
      return { ...unscheduled, ownerId: null, claimedAt: null };
    case 'win':
      return { ...closed, externalReference: move.externalReference ?? order.externalReference };
    case 'lose':
    case 'cancel':
      return closed;
    case 'duplicate':
      return { ...closed, duplicateOf: move.of.id };
    case 'reopen':
      return {
        closedAt: null,
        closeReason: null,
        duplicateOf: null,
        ownerId: order.ownerId ?? staffId,
        claimedAt: now,
        reopenings: order.reopenings + 1,
      };
  }
}

/** What the timeline tells of a move, besides where it led. */
function carried(order: Situation, move: Move): Record<string, unknown> {
  const rest: Record<string, unknown> = { ...move };
  delete rest.name;
  if (move.name === 'duplicate') {
    delete rest.of;
    return { ...rest, duplicateOf: move.of.id };
  }
  if (move.name === 'assign' || move.name === 'handOver') {
    delete rest.owner;
    const before = order.ownerId === null ? {} : { previousOwnerId: order.ownerId };
    return { ...rest, ...before, ownerId: move.owner.id, ownerName: move.owner.name };
  }
  return rest;
}

export function isRefusal(plan: MovePlan | MoveRefusal): plan is MoveRefusal {
  return 'refused' in plan;
}
