import type { OrderState } from './order.entity.js';
import type { PublicState, StateChange } from './orders.dto.js';

/** What the client may know of each state; owners, notes and inner reasons are never public. */
const publicStateOf: Readonly<Record<OrderState, PublicState>> = {
  waiting: 'acknowledged',
  in_progress: 'inProgress',
  scheduled: 'inProgress',
  won: 'accepted',
  lost: 'closed',
  cancelled: 'cancelled',
  duplicate: 'closed',
};

/** Reasons for which an order is lost that the client is told as a rejection. */
const rejections = new Set<unknown>(['not_serviceable', 'invalid_details']);

export interface StateEntry {
  readonly at: Date;
  readonly to: OrderState;
  readonly reason?: unknown;
}

export function toPublicState({ to, reason }: Omit<StateEntry, 'at'>): PublicState {
  return to === 'lost' && rejections.has(reason) ? 'rejected' : publicStateOf[to];
}

/** The dated changes of the public state, oldest first; a move within one state is no change. */
export function stateChanges(entries: readonly StateEntry[]): StateChange[] {
  const changes: StateChange[] = [];
  for (const entry of entries) {
    const state = toPublicState(entry);
    if (changes.at(-1)?.state !== state) changes.push({ state, at: entry.at });
  }
  return changes;
}
