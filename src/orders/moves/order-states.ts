/**
 * The states of the staff's work on a request of a client: an order or an enquiry. The name of a state is
 * also its label in metrics.
 */

export const workKinds = ['order', 'enquiry'] as const;
/** An order asks for a product of the catalogue, an enquiry for something that is not in it. */
export type WorkKind = (typeof workKinds)[number];

/** The states of an order that its API client sees. */
export const publicStates = [
  'acknowledged',
  'inProgress',
  'accepted',
  'rejected',
  'cancelled',
  'closed',
] as const;
export type PublicState = (typeof publicStates)[number];

/** The states of an enquiry that its API client sees. */
export const enquiryStates = [
  'acknowledged',
  'inProgress',
  'offered',
  'accepted',
  'declined',
  'expired',
  'unableToProvide',
  'cancelled',
] as const;
export type EnquiryState = (typeof enquiryStates)[number];

/** The states that the client of each kind of request sees. */
export interface PublicStates {
  readonly order: PublicState;
  readonly enquiry: EnquiryState;
}

interface StateInfo {
  /** On pages. */
  readonly name: string;
  readonly open: boolean;
  /** Whether a staff member works on it now. */
  readonly owned: boolean;
  /** Some reasons for a lost one change it; see public-state.ts. Owners, notes and internal reasons are never public. */
  readonly publicState: PublicStates;
  /** Without it, of both kinds. */
  readonly onlyOf?: WorkKind;
}

const both = <S extends PublicState & EnquiryState>(state: S) => ({ order: state, enquiry: state });

const states = {
  waiting: { name: 'Waiting', open: true, owned: false, publicState: both('acknowledged') },
  in_progress: { name: 'In progress', open: true, owned: true, publicState: both('inProgress') },
  scheduled: { name: 'Scheduled', open: true, owned: true, publicState: both('inProgress') },
  offered: {
    name: 'Offered',
    open: true,
    owned: true,
    publicState: { order: 'inProgress', enquiry: 'offered' },
    onlyOf: 'enquiry',
  },
  won: { name: 'Won', open: false, owned: false, publicState: both('accepted') },
  lost: {
    name: 'Lost',
    open: false,
    owned: false,
    publicState: { order: 'closed', enquiry: 'unableToProvide' },
  },
  cancelled: { name: 'Cancelled', open: false, owned: false, publicState: both('cancelled') },
  duplicate: {
    name: 'Duplicate',
    open: false,
    owned: false,
    publicState: { order: 'closed', enquiry: 'cancelled' },
  },
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

/** The states of requests of this kind. */
export function statesOf(kind: WorkKind): OrderState[] {
  return orderStates.filter((state) => (stateInfo[state].onlyOf ?? kind) === kind);
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

/** The public states that an integrator can move a test enquiry on to. */
export const enquiryTestTargets = [
  'inProgress',
  'offered',
  'expired',
  'unableToProvide',
  'cancelled',
] as const satisfies readonly EnquiryState[];
export type EnquiryTestTarget = (typeof enquiryTestTargets)[number];
