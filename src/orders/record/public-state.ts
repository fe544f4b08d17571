import type { EnquiryStateChange } from './enquiries.dto.js';
import type { StateChange } from './orders.dto.js';
import {
  type OrderState,
  type PublicStates,
  type WorkKind,
  stateInfo,
  statesOf,
} from './order-states.js';

/** What the client sees of a lost one by its reason, where that is not the public state of `lost`. */
const lostStates: { readonly [K in WorkKind]: Readonly<Record<string, PublicStates[K]>> } = {
  order: { not_serviceable: 'rejected', invalid_details: 'rejected' },
  enquiry: { declined: 'declined', offer_expired: 'expired' },
};

/** The reasons that the client sees. */
const publicReasons = new Map([
  ['not_serviceable', 'notServiceable'],
  ['invalid_details', 'invalidDetails'],
] as const);

export interface StateEntry {
  readonly at: Date;
  readonly from?: OrderState;
  readonly to: OrderState;
  readonly reason?: unknown;
  /** `client`, `staff` and so on. */
  readonly actorType?: string;
}

interface StandingRequest<K> extends Pick<StateEntry, 'to' | 'reason'> {
  readonly kind: K;
}

export function toPublicState<K extends WorkKind>(request: StandingRequest<K>): PublicStates[K] {
  const { kind, to, reason } = request;
  const byReason: Readonly<Record<string, PublicStates[K]>> = lostStates[kind];
  return to === 'lost' && typeof reason === 'string' && Object.hasOwn(byReason, reason)
    ? byReason[reason]!
    : stateInfo[to].publicState[kind];
}

/** How requests in a public state are stored: in one of these states or, if lost, for one of the reasons. */
export function storedStatesOf<K extends WorkKind>(
  kind: K,
  shown: PublicStates[K],
): { readonly states: OrderState[]; readonly reasons: string[]; readonly others: string[] } {
  const reasons = Object.entries<PublicStates[K]>(lostStates[kind]);
  return {
    states: statesOf(kind).filter((to) => stateInfo[to].publicState[kind] === shown),
    reasons: reasons.flatMap(([reason, state]) => (state === shown ? reason : [])),
    others: reasons.flatMap(([reason, state]) => (state === shown ? [] : reason)),
  };
}

/** The public state of a request as it is stored. */
export function publicStateOf<K extends WorkKind>(request: {
  readonly kind: K;
  readonly state: OrderState;
  readonly closeReason: string | null;
}): PublicStates[K] {
  return toPublicState({ kind: request.kind, to: request.state, reason: request.closeReason });
}

interface StateChanges {
  readonly order: StateChange;
  readonly enquiry: EnquiryStateChange;
}

/** The changes of the public state, oldest first. A move within one public state is not a change. */
export function stateChanges<K extends WorkKind>(
  kind: K,
  entries: readonly StateEntry[],
): StateChanges[K][] {
  const changes: (StateChange | EnquiryStateChange)[] = [];
  for (const entry of entries) {
    // Such as a message about a closed order, which does not repeat why it was closed.
    if (entry.from === entry.to) continue;
    const state = toPublicState({ ...entry, kind });
    if (changes.at(-1)?.state === state) continue;
    const reason = publicReasons.get(entry.reason as 'not_serviceable');
    changes.push({
      state,
      at: entry.at,
      ...(state === 'rejected' && reason && { reason }),
      ...(state === 'unableToProvide' && { reason: reason ?? 'other' }),
      ...(state === 'cancelled' && {
        // An accepted order is cancelled only because its client asks for it.
        cancelledBy: entry.actorType === 'client' || entry.from === 'won' ? 'client' : 'operator',
      }),
    } as StateChange | EnquiryStateChange);
  }
  return changes as StateChanges[K][];
}
