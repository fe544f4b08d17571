/** The moves between the states of an order or an enquiry: a table. */
import type { AuditAction } from '../../platform/audit/audit-actions.js';
import type { StatedFacts } from '../record/amendments.js';
import {
  AMENDED,
  type CancelReason,
  type ServiceReason,
  serviceReasonNames,
  type ContactChannel,
  type ContactResult,
  type LostReason,
  type ScheduleReason,
} from './move-fields.js';
import { minorUnits } from '../record/bespoke-terms.js';
import type { FieldError } from '../../platform/problems/problem.js';
import { confirmationFaults, type MoveSubject, notAllowed, otherNeedsNote } from './move-faults.js';
import {
  closedStates,
  openStates,
  orderStates,
  type OrderProgress,
  type OrderState,
  ownedStates,
  type WorkKind,
} from '../record/order-states.js';

export interface OrderOwner {
  readonly id: string;
  readonly name: string;
}

/** Who makes a move. */
export type Mover =
  | (OrderOwner & { readonly kind: 'staff'; readonly manager: boolean })
  | { readonly kind: 'client'; readonly id: string; readonly name: string }
  | { readonly kind: 'staleRule' | 'chargeRule' }
  /** The service itself, when time has passed or a client has decided. */
  | { readonly kind: 'service' };

export type StaffMover = Extract<Mover, { kind: 'staff' }>;

/** The order that another one is a duplicate of. */
export type OriginalOrder = Pick<OrderProgress, 'id' | 'kind' | 'clientId' | 'state'>;

interface OptionalNote {
  readonly note?: string;
}

/** A move that follows from bespoke offers. */
interface OfferNote extends OptionalNote {
  /** The references of the offers that it is about. */
  readonly offer?: string;
}

/** The names of what an amendment has changed; with values only of what names no person. */
interface AmendedFields {
  readonly changed: readonly string[];
  readonly before: StatedFacts;
  readonly after: StatedFacts;
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
    readonly reason: ScheduleReason | ServiceReason;
  };
  readonly resume: OptionalNote;
  readonly handOver: { readonly owner: OrderOwner; readonly note: string };
  readonly release: { readonly reason: string };
  readonly win: OptionalNote & {
    readonly externalReference?: string;
    /** What was confirmed of an indicative price, in major units. */
    readonly price?: number | null;
    readonly setupPrice?: number | null;
  };
  readonly lose: OptionalNote & { readonly reason: LostReason };
  readonly cancel: OptionalNote & { readonly reason: CancelReason };
  readonly duplicate: OptionalNote & { readonly of: OriginalOrder };
  readonly reopen: { readonly reason: string };
  /** An answer with bespoke offers is sent. */
  readonly offer: OfferNote;
  /** The client accepts one of the offers. */
  readonly accept: OfferNote & {
    /** The person who told the staff member that the client accepts. */
    readonly answeredBy?: string;
  };
  /** The client declines all offers. */
  readonly decline: OfferNote;
  /** The last open offer expires. */
  readonly expire: OfferNote;
  /** The last open offer is withdrawn. */
  readonly retract: OfferNote;
  /** Its client, or staff other than its owner, has changed what it says. */
  readonly amend: AmendedFields;
  /** Its owner has. */
  readonly correct: AmendedFields;
  /** The client writes. An order that is closed stays closed. */
  readonly hear: {
    readonly text: string;
    readonly answersWaiting: boolean;
    /** The id of the access token. */
    readonly token: string;
  };
  /** An accepted order is cancelled, because its client asks for it. */
  readonly endDelivery: OptionalNote & { readonly reason: CancelReason };
}

/** Moves that clients, amendments, and the work on offers and deliveries make: they have no route, button or form of their own. */
export type InnerMove =
  | 'offer'
  | 'accept'
  | 'decline'
  | 'expire'
  | 'retract'
  | 'amend'
  | 'correct'
  | 'hear'
  | 'endDelivery';

export type MoveName = keyof MoveContents;
/** Moves with a route and a form. */
export type StaffMove = Exclude<MoveName, InnerMove>;
type MoveOf<N extends MoveName> = { readonly name: N } & MoveContents[N];
export type Move = { [N in MoveName]: MoveOf<N> }[MoveName];

export type Who =
  'staff' | 'owner' | 'manager' | 'client' | 'staleRule' | 'chargeRule' | 'service' | 'recentOwner';

type CarriedBy<M> = Omit<M, 'name' | 'owner' | 'of' | 'reason'> &
  (M extends { reason: infer R } ? { readonly reason: Exclude<R, ServiceReason> } : unknown) &
  (M extends { owner: OrderOwner } ? { readonly ownerId: string } : unknown) &
  (M extends { of: OriginalOrder } ? { readonly of: string } : unknown);

/** A move as callers send it: people and other orders by their ids. */
export type MoveInput = {
  [N in StaffMove]: { readonly name: N } & CarriedBy<MoveOf<N>>;
}[StaffMove];

export interface MoveRule<M> {
  /** The states in which each kind of request can be moved so; none where it never can. */
  readonly from: Readonly<Record<WorkKind, readonly OrderState[]>>;
  /** `same`: the state does not change. */
  readonly to: OrderState | 'same';
  /** States of `from` that stay. */
  readonly keeps?: readonly OrderState[];
  readonly who: readonly Who[];
  /** In the audit trail. */
  readonly action: AuditAction;
  /** The columns that it sets, in addition to those that every move sets. */
  sets(order: OrderProgress, move: M, now: Date, staffId: string | null): MovePlan['changes'];
  /** Rules about what the move carries, beyond those of its body. A form may lack something. */
  faults?(order: MoveSubject, move: Partial<M>, now: Date): readonly FieldError[];
}

interface StaffMoveRule<M> extends MoveRule<M> {
  /** The last segment of its URL on the pages. */
  readonly path: string;
}

type MoveRules = { readonly [N in StaffMove]: StaffMoveRule<MoveOf<N>> } & {
  readonly [N in InnerMove]: MoveRule<MoveOf<N>>;
};

const both = (states: readonly OrderState[]) => ({ order: states, enquiry: states });
const ofOrders = (states: readonly OrderState[]) => ({ order: states, enquiry: [] });
const ofEnquiries = (states: readonly OrderState[]) => ({ order: [], enquiry: states });
/** Owned, and without an open offer. */
const workedStates = ownedStates.filter((state) => state !== 'offered');

const amendable = { order: [...openStates, 'won' as const], enquiry: openStates };

const unscheduled = { nextActionAt: null, nextActionReason: null };
const closing = (now: Date, closeReason: string | null = null) => ({
  ...unscheduled,
  closedAt: now,
  closeReason,
});

/** Whether no one has settled what the client wrote. */
export function isUnread({ nextActionReason }: Pick<OrderProgress, 'nextActionReason'>): boolean {
  return nextActionReason === ('client_wrote' satisfies ServiceReason);
}

/** Due now, because the client wrote. What was scheduled waits until the message is settled. */
function woken({ nextActionAt: next, nextActionReason: reason }: OrderProgress, now: Date) {
  const wokenAction = next && { at: next.getTime(), reason };
  return { nextActionAt: now, nextActionReason: 'client_wrote', wokenAction };
}

/** Every move. Placing an order is not one: it creates the order, in `waiting`. */
export const moveRules: MoveRules = {
  claim: {
    from: both(['waiting']),
    to: 'in_progress',
    who: ['staff'],
    action: 'claimed',
    path: 'claim',
    sets: (_order, _move, now, ownerId) => ({ ownerId, claimedAt: now }),
  },
  assign: {
    from: both(['waiting']),
    to: 'in_progress',
    who: ['manager'],
    action: 'assigned',
    path: 'assign',
    sets: (_order, { owner }, now) => ({ ownerId: owner.id, claimedAt: now }),
  },
  logContact: {
    from: both(ownedStates),
    to: 'in_progress',
    keeps: ['offered'],
    who: ['owner'],
    action: 'contact_logged',
    path: 'contact',
    sets: ({ firstContactAt, contactAttempts }, _move, now) => ({
      ...unscheduled,
      firstContactAt: firstContactAt ?? now,
      lastContactAt: now,
      contactAttempts: contactAttempts + 1,
    }),
  },
  schedule: {
    from: both(ownedStates),
    to: 'scheduled',
    keeps: ['offered'],
    who: ['owner', 'chargeRule'],
    action: 'scheduled',
    path: 'schedule',
    sets: (_order, { nextActionAt, reason }) => ({ nextActionAt, nextActionReason: reason }),
    faults: (_order, { nextActionAt, reason = '' }, now) =>
      !nextActionAt || nextActionAt > now || Object.hasOwn(serviceReasonNames, reason)
        ? []
        : [notAllowed('nextActionAt', 'Enter a time in the future.')],
  },
  resume: {
    // Only while a next step is scheduled; see `refusalOf`.
    from: { order: ['scheduled', 'won'], enquiry: ['scheduled', 'offered'] },
    to: 'in_progress',
    keeps: ['offered', 'won'],
    who: ['owner', 'manager', 'chargeRule'],
    action: 'resumed',
    path: 'resume',
    sets: () => unscheduled,
  },
  handOver: {
    from: both(ownedStates),
    to: 'same',
    who: ['owner', 'manager'],
    action: 'handed_over',
    path: 'hand-over',
    sets: (_order, { owner }, now) => ({ ownerId: owner.id, claimedAt: now, takenAt: null }),
    faults: ({ ownerId }, { owner }) =>
      owner && owner.id === ownerId ? [notAllowed('ownerId', 'Already owns this order.')] : [],
  },
  release: {
    from: both(workedStates),
    to: 'waiting',
    who: ['owner', 'manager', 'staleRule'],
    action: 'released',
    path: 'release',
    sets: () => ({ ...unscheduled, ownerId: null, claimedAt: null }),
  },
  win: {
    from: ofOrders(workedStates),
    to: 'won',
    who: ['owner'],
    action: 'won',
    path: 'win',
    faults: confirmationFaults,
    sets: (order, { externalReference, price, setupPrice }, now) => ({
      ...closing(now),
      ...(price != null &&
        setupPrice != null && {
          confirmed: { price, setupPrice },
          amountMinor: minorUnits(price, order.currency ?? ''),
        }),
      externalReference: externalReference ?? order.externalReference,
    }),
  },
  lose: {
    from: both(ownedStates),
    to: 'lost',
    who: ['owner'],
    action: 'lost',
    path: 'lose',
    sets: (_order, { reason }, now) => closing(now, reason),
    faults: otherNeedsNote,
  },
  duplicate: {
    from: both(openStates),
    to: 'duplicate',
    who: ['staff'],
    action: 'marked_duplicate',
    path: 'duplicate',
    sets: (_order, { of }, now) => ({ ...closing(now), duplicateOf: of.id }),
    faults: ({ id, kind, clientId }, { of }) => {
      if (!of) return [];
      if (of.id === id) return [notAllowed('of', 'An order cannot be a duplicate of itself.')];
      if (of.clientId !== clientId) {
        return [notAllowed('of', 'The original must be an order of the same API client.')];
      }
      if (of.kind !== kind) {
        return [notAllowed('of', 'An order repeats an order, and an enquiry an enquiry.')];
      }
      return of.state === 'duplicate'
        ? [notAllowed('of', 'That order is a duplicate itself; choose its original.')]
        : [];
    },
  },
  cancel: {
    from: both(openStates),
    to: 'cancelled',
    who: ['owner', 'manager', 'client'],
    action: 'cancelled',
    path: 'cancel',
    sets: (_order, { reason }, now) => closing(now, reason),
    faults: otherNeedsNote,
  },
  reopen: {
    // An accepted offer has become an order.
    from: { order: closedStates, enquiry: closedStates.filter((state) => state !== 'won') },
    to: 'in_progress',
    who: ['manager', 'recentOwner'],
    action: 'reopened',
    path: 'reopen',
    sets: (order, _move, now, staffId) => ({
      closedAt: null,
      closeReason: null,
      duplicateOf: null,
      ownerId: order.ownerId ?? staffId,
      claimedAt: now,
      reopenings: order.reopenings + 1,
    }),
  },
  offer: {
    from: ofEnquiries(ownedStates),
    to: 'offered',
    who: ['owner', 'manager'],
    action: 'offered',
    sets: ({ firstContactAt }, _move, now) => ({
      ...unscheduled,
      firstContactAt: firstContactAt ?? now,
      lastContactAt: now,
    }),
  },
  accept: {
    from: ofEnquiries(['offered']),
    to: 'won',
    who: ['staff', 'client', 'service'],
    action: 'offer_accepted',
    sets: (_order, _move, now) => closing(now),
  },
  decline: {
    from: ofEnquiries(['offered']),
    to: 'lost',
    who: ['client', 'service'],
    action: 'offer_declined',
    sets: (_order, _move, now) => closing(now, 'declined'),
  },
  expire: {
    from: ofEnquiries(['offered']),
    to: 'lost',
    who: ['service'],
    action: 'offer_expired',
    sets: (_order, _move, now) => closing(now, 'offer_expired'),
  },
  retract: {
    from: ofEnquiries(['offered']),
    to: 'in_progress',
    who: ['owner', 'manager', 'service'],
    action: 'offer_retracted',
    sets: () => unscheduled,
  },
  amend: {
    from: amendable,
    to: 'scheduled',
    // Without an owner it is in the queue anyway.
    keeps: ['waiting', 'offered', 'won'],
    who: ['client', 'staff'],
    action: 'amended',
    sets: ({ state, nextActionAt }, _move, now) =>
      state === 'waiting' || (nextActionAt && nextActionAt <= now)
        ? {}
        : { nextActionAt: now, nextActionReason: AMENDED },
  },
  correct: {
    from: amendable,
    to: 'same',
    who: ['owner'],
    action: 'amended',
    sets: () => ({}),
  },
  hear: {
    from: both(orderStates),
    to: 'same',
    who: ['client'],
    action: 'message_received',
    sets: (order, _move, now) => (isUnread(order) ? {} : woken(order, now)),
  },
  endDelivery: {
    from: ofOrders(['won']),
    to: 'cancelled',
    who: ['owner', 'manager', 'client', 'service'],
    action: 'cancelled',
    sets: (_order, { reason }, now) => closing(now, reason),
  },
};

/** What a move does: the columns that it sets, and its audit entry. */
export interface MovePlan {
  readonly changes: Partial<Omit<OrderProgress, 'id' | 'kind' | 'clientId'>>;
  readonly action: AuditAction;
  readonly details: Readonly<Record<string, unknown>>;
}
