/**
 * The moves between the states of an order: a table, and pure functions over it. Whether an order is
 * due, late or stale follows from its dates. What pages say of a move is in move-words.ts.
 */
import {
  type CancelReason,
  cancelReasonNames,
  codesOf,
  type ContactChannel,
  contactChannelNames,
  type ContactResult,
  contactResultNames,
  type LostReason,
  lostReasonNames,
  fields,
  type MoveField,
  type ScheduleReason,
  scheduleReasonNames,
} from './move-fields.js';
import { closedStates, openStates, type OrderState, ownedStates } from './order-states.js';
import { toPublicState } from './public-state.js';

export const contactChannels = codesOf(contactChannelNames);
export const contactResults = codesOf(contactResultNames);
export const scheduleReasons = codesOf(scheduleReasonNames);
export const lostReasons = codesOf(lostReasonNames);
export const cancelReasons = codesOf(cancelReasonNames);

/** An order's owner may reopen it for 24 hours after closing it; in milliseconds. */
export const OWN_REOPENING = 86_400_000;

/** What of an order decides about its moves, and what they set. */
export interface OrderProgress {
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

export interface OrderOwner {
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
export type OriginalOrder = Pick<OrderProgress, 'id' | 'clientId' | 'state'>;

/** A move with what it carries. */
export type Move =
  | { readonly name: 'claim' }
  | { readonly name: 'assign'; readonly owner: OrderOwner; readonly note?: string }
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
  | { readonly name: 'handOver'; readonly owner: OrderOwner; readonly note: string }
  | { readonly name: 'release'; readonly reason: string }
  | { readonly name: 'win'; readonly externalReference?: string; readonly note?: string }
  | { readonly name: 'lose'; readonly reason: LostReason; readonly note?: string }
  | { readonly name: 'cancel'; readonly reason: CancelReason; readonly note?: string }
  | { readonly name: 'duplicate'; readonly of: OriginalOrder; readonly note?: string }
  | { readonly name: 'reopen'; readonly reason: string };

export type MoveName = Move['name'];

type Who = 'staff' | 'owner' | 'manager' | 'client' | 'staleRule' | 'recentOwner';

type MoveOf<N extends MoveName> = Extract<Move, { readonly name: N }>;
type CarriedBy<M> = Omit<M, 'name' | 'owner' | 'of'> &
  (M extends { owner: OrderOwner } ? { readonly ownerId: string } : unknown) &
  (M extends { of: OriginalOrder } ? { readonly of: string } : unknown);

/** A move as callers send it: people and other orders by their ids. */
export type MoveInput = {
  [N in MoveName]: { readonly name: N } & CarriedBy<MoveOf<N>>;
}[MoveName];

interface MoveRule<M extends Move> {
  readonly from: readonly OrderState[];
  /** `same`: the order stays in the state that it has. */
  readonly to: OrderState | 'same';
  readonly who: readonly Who[];
  /** In the audit trail. */
  readonly action: string;
  /** After the order in the addresses of the API and of the pages. */
  readonly path: string;
  /** What callers send with it; also the fields of its form. */
  readonly carries: { readonly [F in keyof CarriedBy<M>]-?: MoveField };
  /** The columns that it sets, in addition to those that every move sets. */
  sets(order: OrderProgress, move: M, now: Date, staffId: string | null): MovePlan['changes'];
  /** Why it cannot be made with what it carries, apart from required texts that are blank. */
  fault?(order: OrderProgress, move: M, now: Date): MoveRefusal | null;
}

const unscheduled = { nextActionAt: null, nextActionReason: null };
const closing = (now: Date, closeReason: string | null = null) => ({
  ...unscheduled,
  closedAt: now,
  closeReason,
});
const contentRefusal = (pointer: string, detail: string): MoveRefusal => ({
  refused: 'content',
  pointer,
  detail,
});
const otherNeedsNote = (
  _order: OrderProgress,
  { reason, note }: { readonly reason: string; readonly note?: string },
) =>
  reason === 'other' && isBlank(note)
    ? contentRefusal('/note', 'The reason `other` needs a note that says more.')
    : null;

/**
 * Every move, in the order in which pages show them. `receive` is not among them: it creates the
 * order, in `waiting`.
 */
export const moveRules: { readonly [N in MoveName]: MoveRule<MoveOf<N>> } = {
  claim: {
    from: ['waiting'],
    to: 'in_progress',
    who: ['staff'],
    action: 'claimed',
    path: 'claim',
    carries: {},
    sets: (_order, _move, now, ownerId) => ({ ownerId, claimedAt: now }),
  },
  assign: {
    from: ['waiting'],
    to: 'in_progress',
    who: ['manager'],
    action: 'assigned',
    path: 'assign',
    carries: { ownerId: fields.newOwner, note: fields.note },
    sets: (_order, { owner }, now) => ({ ownerId: owner.id, claimedAt: now }),
  },
  logContact: {
    from: ownedStates,
    to: 'in_progress',
    who: ['owner'],
    action: 'contact_logged',
    path: 'contact',
    carries: { channel: fields.contactChannel, result: fields.contactResult, note: fields.note },
    sets: ({ firstContactAt, contactAttempts }, _move, now) => ({
      ...unscheduled,
      firstContactAt: firstContactAt ?? now,
      lastContactAt: now,
      contactAttempts: contactAttempts + 1,
    }),
  },
  schedule: {
    from: ownedStates,
    to: 'scheduled',
    who: ['owner'],
    action: 'scheduled',
    path: 'schedule',
    carries: {
      nextActionAt: fields.nextActionAt,
      reason: fields.scheduleReason,
      note: fields.note,
    },
    sets: (_order, { nextActionAt, reason }) => ({ nextActionAt, nextActionReason: reason }),
    fault: (_order, { nextActionAt }, now) =>
      nextActionAt > now
        ? null
        : contentRefusal(
            '/nextActionAt',
            'Must lie in the future; it is when the order comes back.',
          ),
  },
  resume: {
    from: ['scheduled'],
    to: 'in_progress',
    who: ['owner', 'manager'],
    action: 'resumed',
    path: 'resume',
    carries: { note: fields.note },
    sets: () => unscheduled,
  },
  handOver: {
    from: ownedStates,
    to: 'same',
    who: ['owner', 'manager'],
    action: 'handed_over',
    path: 'hand-over',
    carries: { ownerId: fields.newOwner, note: fields.noteForNewOwner },
    sets: (_order, { owner }, now) => ({ ownerId: owner.id, claimedAt: now }),
    fault: ({ ownerId }, { owner }) =>
      owner.id === ownerId ? contentRefusal('/ownerId', 'Has this order already.') : null,
  },
  release: {
    from: ownedStates,
    to: 'waiting',
    who: ['owner', 'manager', 'staleRule'],
    action: 'released',
    path: 'release',
    carries: { reason: fields.ownReason },
    sets: () => ({ ...unscheduled, ownerId: null, claimedAt: null }),
  },
  win: {
    from: ownedStates,
    to: 'won',
    who: ['owner'],
    action: 'won',
    path: 'win',
    carries: { externalReference: fields.externalReference, note: fields.note },
    sets: (order, { externalReference }, now) => ({
      ...closing(now),
      externalReference: externalReference ?? order.externalReference,
    }),
  },
  lose: {
    from: ownedStates,
    to: 'lost',
    who: ['owner'],
    action: 'lost',
    path: 'lose',
    carries: { reason: fields.lostReason, note: fields.noteForOther },
    sets: (_order, { reason }, now) => closing(now, reason),
    fault: otherNeedsNote,
  },
  duplicate: {
    from: openStates,
    to: 'duplicate',
    who: ['staff'],
    action: 'marked_duplicate',
    path: 'duplicate',
    carries: { of: fields.original, note: fields.note },
    sets: (_order, { of }, now) => ({ ...closing(now), duplicateOf: of.id }),
    fault: ({ id, clientId }, { of }) => {
      if (of.id === id) return contentRefusal('/of', 'An order is no duplicate of itself.');
      if (of.clientId !== clientId) {
        return contentRefusal('/of', 'A duplicate is of an order of the same API client.');
      }
      return of.state === 'duplicate'
        ? contentRefusal('/of', 'That order is a duplicate itself; name the one that it is of.')
        : null;
    },
  },
  cancel: {
    from: openStates,
    to: 'cancelled',
    who: ['owner', 'manager', 'client'],
    action: 'cancelled',
    path: 'cancel',
    carries: { reason: fields.cancelReason, note: fields.noteForOther },
    sets: (_order, { reason }, now) => closing(now, reason),
    fault: otherNeedsNote,
  },
  reopen: {
    from: closedStates,
    to: 'in_progress',
    who: ['manager', 'recentOwner'],
    action: 'reopened',
    path: 'reopen',
    carries: { reason: fields.ownReason },
    sets: (order, _move, now, staffId) => ({
      closedAt: null,
      closeReason: null,
      duplicateOf: null,
      ownerId: order.ownerId ?? staffId,
      claimedAt: now,
      reopenings: order.reopenings + 1,
    }),
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
  readonly changes: Partial<Omit<OrderProgress, 'id' | 'clientId'>>;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What `move` by `mover` at `now` would do to an order, or why it cannot be made. */
export function planMove(
  order: OrderProgress,
  move: Move,
  mover: Mover,
  now: Date,
): MovePlan | MoveRefusal {
  const rule: MoveRule<Move> = moveRules[move.name];
  const refusal =
    refusalOf(order, move.name, mover, now) ??
    blankText(rule, move) ??
    rule.fault?.(order, move, now);
  if (refusal) return refusal;
  const state = rule.to === 'same' ? order.state : rule.to;
  const version = order.version + 1;
  const reason = reasonOf(move);
  const shown = toPublicState({ to: order.state, reason: order.closeReason });
  const changes = {
    ...rule.sets(order, move, now, mover.kind === 'staff' ? mover.id : null),
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
export type MovableOrder = Pick<OrderProgress, 'state' | 'ownerId' | 'clientId' | 'closedAt'>;

/** Why `mover` cannot make a move of this name at all; null where it depends on what it carries. */
export function refusalOf(
  order: MovableOrder,
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

function isMover(who: Who, order: MovableOrder, mover: Mover, now: Date): boolean {
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

/** Refuses a move whose required text is blank. */
function blankText({ carries }: MoveRule<Move>, move: Move): MoveRefusal | null {
  for (const [name, { kind, missing }] of Object.entries<MoveField>(carries)) {
    if (kind !== 'long' || missing === undefined) continue;
    const { [name]: text } = move as Readonly<Record<string, unknown>>;
    if (isBlank(text)) return contentRefusal(`/${name}`, missing);
  }
  return null;
}

function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

function reasonOf(move: Move): string | null {
  return 'reason' in move ? move.reason : null;
}

/** What the timeline tells of a move, besides where it led. */
function carried(order: OrderProgress, move: Move): Record<string, unknown> {
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
