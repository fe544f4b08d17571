import type { StateChange } from '../orders.dto.js';
import type { LostReason } from './move-fields.js';
import { type OrderState, type PublicState, stateInfo } from './order-states.js';

/** The reasons for a lost order that the client sees as a rejection. */
const rejections: Readonly<Partial<Record<LostReason, NonNullable<StateChange['reason']>>>> = {
  not_serviceable: 'notServiceable',
  invalid_details: 'invalidDetails',
};

export interface StateEntry {
  readonly at: Date;
  readonly to: OrderState;
  readonly reason?: unknown;
  /** `client`, `staff` and so on. */
  readonly actorType?: string;
}

export function toPublicState({ to, reason }: Pick<StateEntry, 'to' | 'reason'>): PublicState {
  return to === 'lost' && rejectionOf(reason) ? 'rejected' : stateInfo[to].publicState;
}

function rejectionOf(reason: unknown) {
  return typeof reason === 'string' && Object.hasOwn(rejections, reason)
    ? rejections[reason as LostReason]
    : undefined;
}

/** The changes of the public state, oldest first. A move within one public state is not a change. */
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
