/** The moves between the states of an order or an enquiry: a table. */
import type { AuditAction } from '../../platform/audit/audit-actions.js';
import type { InnerMove, MoveOf, StaffMove, Who } from './move-contents.js';
import { AMENDED, type ServiceReason, serviceReasonNames } from './move-fields.js';
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

const CLIENT_WROTE = 'client_wrote' satisfies ServiceReason;

/** Whether no one has settled what the client wrote or amended. */
export function isUnread({ nextActionReason }: Pick<OrderProgress, 'nextActionReason'>): boolean {
  return nextActionReason === CLIENT_WROTE || nextActionReason === AMENDED;
}

/** Due now, because the client wrote or amended it. What was scheduled waits until that is settled. */
function woken(
  { nextActionAt: next, nextActionReason: before }: OrderProgress,
  now: Date,
  nextActionReason: ServiceReason,
) {
  const wokenAction = next && { at: next.getTime(), reason: before };
  return { nextActionAt: now, nextActionReason, wokenAction };
}

/** What the client wrote or amended is due no more. What it has woken comes back. */
function settled(order: OrderProgress) {
  if (!isUnread(order)) return {};
  const { at = null, reason = null } = order.wokenAction ?? {};
  const nextActionAt = at === null ? null : new Date(at);
  return { nextActionAt, nextActionReason: reason, wokenAction: null };
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
    // An offered enquiry only while a call is scheduled; see `refusalOf`.
    from: { order: ['scheduled'], enquiry: ['scheduled', 'offered'] },
    to: 'in_progress',
    keeps: ['offered'],
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
    sets: () => ({ ...unscheduled, ownerId: null, claimedAt: null, takenAt: null }),
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
  reply: {
    from: both(orderStates),
    to: 'same',
    who: ['staff'],
    action: 'replied',
    path: 'reply',
    sets: (order, _move, now) => ({
      ...settled(order),
      publicStateAt: now,
      ...(order.closedAt === null && {
        firstContactAt: order.firstContactAt ?? now,
        lastContactAt: now,
        contactAttempts: order.contactAttempts + 1,
      }),
    }),
  },
  settle: {
    // Only what the client wrote; see `refusalOf`.
    from: both(orderStates),
    to: 'same',
    who: ['staff'],
    action: 'message_settled',
    path: 'settle',
    sets: settled,
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
    to: 'same',
    who: ['client', 'staff'],
    action: 'amended',
    sets: (order, _move, now) => (isUnread(order) ? {} : woken(order, now, AMENDED)),
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
    sets: (order, _move, now) =>
      isUnread(order) ? { nextActionReason: CLIENT_WROTE } : woken(order, now, CLIENT_WROTE),
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
