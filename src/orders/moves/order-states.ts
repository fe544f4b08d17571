/** The states of the staff's work on an order. The name of a state is also its label in metrics. */

/** The states that an API client sees. */
export const publicStates = [
  'acknowledged',
  'inProgress',
  'accepted',
  'rejected',
  'cancelled',
  'closed',
] as const;
export type PublicState = (typeof publicStates)[number];

interface StateInfo {
  /** On pages. */
  readonly name: string;
  readonly open: boolean;
  /** Whether a staff member works on it now. */
  readonly owned: boolean;
  /** Owners, notes and internal reasons are never public. */
  readonly publicState: PublicState;
}

const states = {
  waiting: { name: 'Waiting', open: true, owned: false, publicState: 'acknowledged' },
  in_progress: { name: 'In progress', open: true, owned: true, publicState: 'inProgress' },
  scheduled: { name: 'Scheduled', open: true, owned: true, publicState: 'inProgress' },
  won: { name: 'Won', open: false, owned: false, publicState: 'accepted' },
  // Some reasons make it `rejected`; see public-state.ts.
  lost: { name: 'Lost', open: false, owned: false, publicState: 'closed' },
  cancelled: { name: 'Cancelled', open: false, owned: false, publicState: 'cancelled' },
  duplicate: { name: 'Duplicate', open: false, owned: false, publicState: 'closed' },
} as const satisfies Record<string, StateInfo>;

type States = typeof states;
export type OrderState = keyof States;
export type ClosedState = {
  [S in OrderState]: States[S]['open'] extends false ? S : never;
}[OrderState];

export const stateInfo: Readonly<Record<OrderState, StateInfo>> = states;
export const orderStates = Object.keys(states) as OrderState[];
export const openStates = orderStates.filter((state) => stateInfo[state].open);
/** Open, with an owner. */
export const ownedStates = orderStates.filter((state) => stateInfo[state].owned);
export const closedStates = orderStates.filter(isClosed);

export function isOrderState(text: string): text is OrderState {
  return Object.hasOwn(states, text);
}

export function isClosed(state: OrderState): state is ClosedState {
  return !stateInfo[state].open;
}

/** The public states that an integrator can move a test order on to. */
export const testTargets = [
  'inProgress',
  'accepted',
  'rejected',
  'cancelled',
  'closed',
] as const satisfies readonly PublicState[];
export type TestTarget = (typeof testTargets)[number];
