/** Pure functions over the table of moves: who may make which, and what it does. */
import type { MoveObstacle, MoveRefusal } from './move-faults.js';
import type { Move, MoveName, Mover, Who } from './move-contents.js';
import { isUnread, type MovePlan, type MoveRule, moveRules } from './move-rules.js';
import type { OrderProgress } from '../record/order-states.js';
import { publicStateOf } from '../record/public-state.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import type { Order } from '../record/order.entity.js';
import { NotPermitted, OrderMoved } from '../record/orders.errors.js';
import { type Problem, ValidationFailed } from '../../platform/problems/problem.js';

/** The refusal of a move, with the order as it is now. */
export async function orderMoved(tx: Tx, order: Order, detail?: string): Promise<OrderMoved> {
  const owner =
    order.ownerId === null ? null : await tx.findOneBy(StaffMember, { id: order.ownerId });
  return new OrderMoved(order, owner?.name ?? null, detail);
}

/** The problem for a refusal that is not about the order's state. */
export function moveRefused(refusal: MoveRefusal): Problem {
  return refusal.refused === 'content'
    ? new ValidationFailed(refusal.errors)
    : new NotPermitted(refusal.detail);
}

/** Milliseconds for which an order's last owner may reopen it. */
const OWN_REOPENING = 86_400_000;

/** The progress of a new request. */
export const untouched = {
  state: 'waiting',
  ownerId: null,
  claimedAt: null,
  firstContactAt: null,
  lastContactAt: null,
  contactAttempts: 0,
  nextActionAt: null,
  nextActionReason: null,
  wokenAction: null,
  takenAt: null,
  confirmed: null,
  closedAt: null,
  closeReason: null,
  externalReference: null,
  duplicateOf: null,
  reopenings: 0,
  version: 0,
} as const satisfies Partial<OrderProgress>;

/** What the move would do to the order, or why it is refused. */
export function planMove(
  order: OrderProgress,
  move: Move,
  mover: Mover,
  now: Date,
): MovePlan | MoveRefusal {
  const rule: MoveRule<Move> = moveRules[move.name];
  const obstacle = refusalOf(order, move.name, mover, now);
  if (obstacle) return obstacle;
  const errors = rule.faults?.(order, move, now) ?? [];
  if (errors.length > 0) return { refused: 'content', errors };
  const stays = rule.keeps?.includes(order.state);
  const state = rule.to === 'same' || stays ? order.state : rule.to;
  const version = order.version + 1;
  const sets = withMessage(order, move, mover, rule.sets(order, move, now, idOf(mover)));
  const isSeen = publicStateOf({ ...order, ...sets, state }) !== publicStateOf(order);
  const changes = {
    ...sets,
    state,
    version,
    lastEntryAt: now,
    ...(isSeen && { publicStateAt: now }),
  };
  const { closeReason: reason } = sets;
  return {
    changes,
    action: rule.action,
    details: {
      from: order.state,
      to: state,
      version,
      ...(typeof reason === 'string' && { reason }),
      ...carried(order, move),
    },
  };
}

const idOf = (mover: Mover) => (mover.kind === 'staff' ? mover.id : null);

/** A person settles what the client wrote by a next step or an end. The service, or a release, leaves it due. */
function withMessage(
  order: OrderProgress,
  { name }: Move,
  { kind }: Mover,
  sets: MovePlan['changes'],
): MovePlan['changes'] {
  if (!Object.hasOwn(sets, 'nextActionAt') || name === 'hear' || name === 'amend') return sets;
  if (!isUnread(order) || (kind === 'staff' && name !== 'release')) {
    return order.wokenAction ? { wokenAction: null, ...sets } : sets;
  }
  const { nextActionAt, nextActionReason: reason = null, ...others } = sets;
  return { ...others, wokenAction: nextActionAt ? { at: nextActionAt.getTime(), reason } : null };
}

/** The columns of an order that decide who may make which move. */
export type MovableOrder = Pick<
  OrderProgress,
  'kind' | 'state' | 'ownerId' | 'clientId' | 'closedAt' | 'nextActionAt' | 'nextActionReason'
>;

/** Why `mover` cannot make this move at all; null if they can. */
export function refusalOf(
  order: MovableOrder,
  name: MoveName,
  mover: Mover,
  now: Date,
): MoveObstacle | null {
  const rule = moveRules[name];
  const from = rule.from[order.kind];
  if (!from.includes(order.state)) {
    if (name === 'offer' && order.state === 'waiting') {
      return { refused: 'state', detail: 'Claim the enquiry before you answer it.' };
    }
    if (name === 'offer' && from.length > 0) {
      const state = spoken(order.state);
      return { refused: 'state', detail: `This enquiry is ${state}: no more offers can be sent.` };
    }
    const what = order.kind === 'order' ? 'An order' : 'An enquiry';
    const which = from.length === 0 ? what : `${what} that is ${spoken(order.state)}`;
    return { refused: 'state', detail: `${which} cannot be ${spoken(rule.action)}.` };
  }
  if (name === 'resume' && order.nextActionAt === null) {
    return { refused: 'state', detail: 'No call-back is scheduled.' };
  }
  if (name === 'settle' && !isUnread(order)) {
    return {
      refused: 'state',
      detail: 'No message or amendment of the client waits for an answer.',
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
    case 'service':
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
  service: 'the service',
  recentOwner: 'its owner within 24 hours of closing it',
};

function audience(who: readonly Who[]): string {
  const people = who.filter(
    (audience) => audience !== 'staleRule' && audience !== 'chargeRule' && audience !== 'service',
  );
  const staffOnly = people.filter((audience) => audience !== 'client');
  return (staffOnly.length > 0 ? staffOnly : people.length > 0 ? people : who)
    .map((audience) => audiences[audience])
    .join(' and ');
}

function spoken(word: string): string {
  return word.replaceAll('_', ' ');
}

/** What the timeline shows of a move in addition to the states. */
function carried(order: OrderProgress, move: Move): Record<string, unknown> {
  const rest: Record<string, unknown> = { ...move };
  delete rest.name;
  // An erasure blanks the text of a message in one place.
  if (move.name === 'hear' || move.name === 'reply') delete rest.text;
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
