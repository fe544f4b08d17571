import type { OrderState } from './order-states.js';
import type { PublicState, StateChange } from '../orders.dto.js';

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

/** Reasons for which an order is lost that the client is told, as those of a rejection. */
const rejections: Readonly<Record<string, 'notServiceable' | 'invalidDetails'>> = {
  not_serviceable: 'notServiceable',
  invalid_details: 'invalidDetails',
};

export interface StateEntry {
  readonly at: Date;
  readonly to: OrderState;
  readonly reason?: unknown;
  /** Who made the entry: `client`, `staff` and so on. */
  readonly actorType?: string;
}

export function toPublicState({ to, reason }: Pick<StateEntry, 'to' | 'reason'>): PublicState {
  return to === 'lost' && rejectionOf(reason) ? 'rejected' : publicStateOf[to];
}

function rejectionOf(reason: unknown) {
  return typeof reason === 'string' && Object.hasOwn(rejections, reason)
    ? rejections[reason]
    : undefined;
}

/** The dated changes of the public state, oldest first; a move within one state is no change. */
export function stateChanges(entries: readonly StateEntry[]): StateChange[] {
  const changes: StateChange[] = [];
  for (const entry of entries) {
    const state = toPublicState(entry);
    if (changes.at(-1)?.state === state) continue;
    const reason = state === 'rejected' ? rejectionOf(entry.reason) : undefined;
    changes.push({
      state,
      at: entry.at,
      ...(reason && { reason }),
      ...(state === 'cancelled' && {
        cancelledBy: entry.actorType === 'client' ? 'client' : 'operator',
      }),
    });
  }
  return changes;
}
