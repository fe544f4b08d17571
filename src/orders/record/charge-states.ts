/** The states of an extra charge: a table, and pure functions over it. */
import type { OrderState } from './order-states.js';

interface ChargeStateInfo {
  /** On pages. */
  readonly name: string;
  /** Whether it still waits for the client. */
  readonly open: boolean;
}

const states = {
  awaitingResponse: { name: 'Awaiting an answer', open: true },
  accepted: { name: 'Accepted', open: false },
  rejected: { name: 'Rejected', open: false },
  lapsed: { name: 'Lapsed', open: false },
  withdrawn: { name: 'Withdrawn', open: false },
} as const satisfies Record<string, ChargeStateInfo>;

export type ChargeState = keyof typeof states;
export const chargeStateInfo: Readonly<Record<ChargeState, ChargeStateInfo>> = states;
export const chargeStates = Object.keys(states) as ChargeState[];

/** What ends the wait for the client. `covered`: the order accepts the charge in advance. */
export const chargeMoves = {
  accept: { to: 'accepted', who: ['client', 'staff'] },
  reject: { to: 'rejected', who: ['client', 'staff'] },
  cover: { to: 'accepted', who: ['service'] },
  withdraw: { to: 'withdrawn', who: ['staff', 'service'] },
  lapse: { to: 'lapsed', who: ['service'] },
} as const satisfies Record<
  string,
  { readonly to: ChargeState; readonly who: readonly ChargeMover[] }
>;

export type ChargeMover = 'client' | 'staff' | 'service';
export type ChargeMove = keyof typeof chargeMoves;

/** The state after a move; null if it is not possible. Every end is final. */
export function chargeAfter(
  state: ChargeState,
  move: ChargeMove,
  mover: ChargeMover,
): ChargeState | null {
  const { to, who } = chargeMoves[move];
  const may: readonly ChargeMover[] = who;
  return states[state].open && may.includes(mover) ? to : null;
}

export const proposedCategoryNames = {
  construction: 'Construction',
  survey: 'Survey',
  connection: 'Connection',
  expedite: 'Expedited delivery',
  other: 'Other',
} as const;
/** Those that staff choose. */
export type ProposedCategory = keyof typeof proposedCategoryNames;
export const proposedCategories = Object.keys(proposedCategoryNames) as ProposedCategory[];

/** `cancellation` is the answer to a request to cancel an accepted order: who accepts it cancels the order. */
export const chargeCategoryNames = {
  ...proposedCategoryNames,
  cancellation: 'Cancellation',
} as const;
export type ChargeCategory = keyof typeof chargeCategoryNames;
export const chargeCategories = Object.keys(chargeCategoryNames) as ChargeCategory[];

interface KnownCharge {
  readonly state: ChargeState;
  readonly dueAt: Date;
}

/**
 * The state at this time. A charge that was due before its order was closed has lapsed, and stays so. An order that is won can get charges until it is live. The service stores `lapsed` and the
 * withdrawal by an order that is closed in another way within a minute;
 * no one can answer in between.
 */
export function chargeStateAt(
  { state, dueAt }: KnownCharge,
  { closedAt, state: orderState }: { readonly closedAt: Date | null; readonly state: OrderState },
  now: Date,
): ChargeState {
  if (!states[state].open) return state;
  if (closedAt !== null && orderState !== 'won') return dueAt <= closedAt ? 'lapsed' : 'withdrawn';
  return dueAt <= now ? 'lapsed' : state;
}
