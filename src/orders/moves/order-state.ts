/** The moves between the states of an order: a table, and pure functions over it. */
import {
  type CancelReason,
  type ChargeReason,
  chargeReasonNames,
  type ContactChannel,
  type ContactResult,
  fields,
  type LostReason,
  type MoveField,
  type ScheduleReason,
} from './move-fields.js';
import { closedStates, openStates, type OrderState, ownedStates } from './order-states.js';
import { toPublicState } from './public-state.js';

/** Milliseconds for which an order's last owner may reopen it. */
const OWN_REOPENING = 86_400_000;

/** The columns of an order that its moves read and set. */
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
  readonly publicStateAt: Date;
  readonly lastEntryAt: Date;
  readonly version: number;
}

export interface OrderOwner {
  readonly id: string;
  readonly name: string;
}

/** Who makes a move. */
export type Mover =
  | (OrderOwner & { readonly kind: 'staff'; readonly manager: boolean })
  | { readonly kind: 'client'; readonly id: string; readonly name: string }
  | { readonly kind: 'staleRule' | 'chargeRule' };

/** The order that another one is a duplicate of. */
export type OriginalOrder = Pick<OrderProgress, 'id' | 'clientId' | 'state'>;

interface OptionalNote {
  readonly note?: string;
}

/** What each move carries. */
interface MoveContents {
  readonly claim: object;
  readonly assign: OptionalNote & { readonly owner: OrderOwner };
  readonly logContact: OptionalNote & {
    readonly channel: ContactChannel;
    readonly result: ContactResult;
  };
  readonly schedule: OptionalNote & {
    readonly nextActionAt: Date;
    readonly reason: ScheduleReason | ChargeReason;
  };
  readonly resume: OptionalNote;
  readonly handOver: { readonly owner: OrderOwner; readonly note: string };
  readonly release: { readonly reason: string };
  readonly win: OptionalNote & { readonly externalReference?: string };
  readonly lose: OptionalNote & { readonly reason: LostReason };
  readonly cancel: OptionalNote & { readonly reason: CancelReason };
  readonly duplicate: OptionalNote & { readonly of: OriginalOrder };
  readonly reopen: { readonly reason: string };
}

export type MoveName = keyof MoveContents;
type MoveOf<N extends MoveName> = { readonly name: N } & MoveContents[N];
export type Move = { [N in MoveName]: MoveOf<N> }[MoveName];

type Who = 'staff' | 'owner' | 'manager' | 'client' | 'staleRule' | 'chargeRule' | 'recentOwner';

type CarriedBy<M> = Omit<M, 'name' | 'owner' | 'of'> &
  (M extends { owner: OrderOwner } ? { readonly ownerId: string } : unknown) &
  (M extends { of: OriginalOrder } ? { readonly of: string } : unknown);

/** A move as callers send it: people and other orders by their ids. */
export type MoveInput = {
  [N in MoveName]: { readonly name: N } & CarriedBy<MoveOf<N>>;
}[MoveName];

interface MoveRule<M> {
  readonly from: readonly OrderState[];
  /** `same`: the state does not change. */
  readonly to: OrderState | 'same';
  readonly who: readonly Who[];
  /** In the audit trail. */
  readonly action: string;
  /** The last segment of its URL in the API and on the pages. */
  readonly path: string;
  /** What callers send with it; also the fields of its form. */
  readonly carries: { readonly [F in keyof CarriedBy<M>]-?: MoveField };
  /** The columns that it sets, in addition to those that every move sets. */
  sets(order: OrderProgress, move: M, now: Date, staffId: string | null): MovePlan['changes'];
  /** Refuses what the move carries. Blank required texts are refused for all moves alike. */
  fault?(order: OrderProgress, move: M, now: Date): MoveRefusal | null;
}

const unscheduled = { nextActionAt: null, nextActionReason: null };
const closing = (now: Date, closeReason: string | null = null) => ({
  ...unscheduled,
  closedAt: now,
  closeReason,
});
function contentRefusal(pointer: string, detail: string): MoveRefusal {
  return { refused: 'content', pointer, detail };
}
const otherNeedsNote = (
  _order: OrderProgress,
  { reason, note }: { readonly reason: string; readonly note?: string },
) =>
  reason === 'other' && isBlank(note)
    ? contentRefusal('/note', 'Add a note to explain the reason.')
    : null;

/** Every move. Placing an order is not one: it creates the order, in `waiting`. */
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
    who: ['owner', 'chargeRule'],
    action: 'scheduled',
    path: 'schedule',
    carries: {
      nextActionAt: fields.nextActionAt,
      reason: fields.scheduleReason,
      note: fields.note,
    },
    sets: (_order, { nextActionAt, reason }) => ({ nextActionAt, nextActionReason: reason }),
    fault: (_order, { nextActionAt, reason }, now) =>
      nextActionAt > now || Object.hasOwn(chargeReasonNames, reason)
        ? null
        : contentRefusal('/nextActionAt', 'Must be in the future.'),
  },
  resume: {
    from: ['scheduled'],
    to: 'in_progress',
    who: ['owner', 'manager', 'chargeRule'],
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
      owner.id === ownerId ? contentRefusal('/ownerId', 'Already owns this order.') : null,
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
      if (of.id === id) return contentRefusal('/of', 'An order cannot be a duplicate of itself.');
      if (of.clientId !== clientId) {
        return contentRefusal('/of', 'The original must be an order of the same API client.');
      }
      return of.state === 'duplicate'
        ? contentRefusal('/of', 'That order is a duplicate itself; choose its original.')
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
  /** A JSON pointer to the field, if the content is refused. */
  readonly pointer?: string;
}

/** What a move does: the columns that it sets, and its audit entry. */
export interface MovePlan {
  readonly changes: Partial<Omit<OrderProgress, 'id' | 'clientId'>>;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What the move would do to the order, or why it is refused. */
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

/** The columns of an order that decide who may make which move. */
export type MovableOrder = Pick<OrderProgress, 'state' | 'ownerId' | 'clientId' | 'closedAt'>;

/** Why `mover` cannot make this move at all; null if they can. */
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
    case 'chargeRule':
      return mover.kind === who;
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
  chargeRule: 'the rules about extra charges',
  recentOwner: 'its owner within 24 hours of closing it',
};

function audience(who: readonly Who[]): string {
  const staffOnly = who.filter(
    (one) => one !== 'client' && one !== 'staleRule' && one !== 'chargeRule',
  );
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

/** What the timeline shows of a move in addition to the states. */
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
