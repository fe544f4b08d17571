/**
 * The states of the staff's work on a request of a client: an order or an enquiry. The name of a state is
 * also its label in metrics.
 */
import type { PriceBasis } from '../../catalogue/content/cells.js';

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
  /** Its icon: filled outlines on a grid of 12 × 12, distinguishable by shape alone. */
  readonly shape: string;
  readonly open: boolean;
  /** Whether a staff member works on it now. */
  readonly owned: boolean;
  /** Some reasons for a lost one change it; see public-state.ts. Owners, notes and internal reasons are never public. */
  readonly publicState: PublicStates;
  /** Without it, of both kinds. */
  readonly onlyOf?: WorkKind;
}

const both = <S extends PublicState & EnquiryState>(state: S) => ({ order: state, enquiry: state });

const RING = 'M6 11.25A5.25 5.25 0 1 0 6 .75a5.25 5.25 0 0 0 0 10.5z';
const HOLE = 'M6 9.75a3.75 3.75 0 1 1 0-7.5 3.75 3.75 0 0 1 0 7.5z';

const states = {
  waiting: {
    name: 'Waiting',
    shape: RING + HOLE,
    open: true,
    owned: false,
    publicState: both('acknowledged'),
  },
  in_progress: {
    name: 'In progress',
    shape: `${RING}M6 9.75v-7.5a3.75 3.75 0 1 1 0 7.5z`,
    open: true,
    owned: true,
    publicState: both('inProgress'),
  },
  scheduled: {
    name: 'Scheduled',
    shape: `${RING}${HOLE}M5.4 3.25h1.2v2.5l1.6 1.1-.7 1-2.1-1.45z`,
    open: true,
    owned: true,
    publicState: both('inProgress'),
  },
  offered: {
    name: 'Offered',
    shape: `${RING}${HOLE}M3.6 3.5h4.8v3.7H6.6L5 8.8V7.2H3.6z`,
    open: true,
    owned: true,
    publicState: { order: 'inProgress', enquiry: 'offered' },
    onlyOf: 'enquiry',
  },
  won: {
    name: 'Won',
    shape: `${RING}M5.15 8.75 2.7 6.3l1-1 1.45 1.45L8.3 3.6l1 1z`,
    open: false,
    owned: false,
    publicState: both('accepted'),
  },
  lost: {
    name: 'Lost',
    shape: `${RING}M4.2 3.25 6 5.05l1.8-1.8.95.95L6.95 6l1.8 1.8-.95.95L6 6.95l-1.8 1.8-.95-.95L5.05 6l-1.8-1.8z`,
    open: false,
    owned: false,
    publicState: { order: 'closed', enquiry: 'unableToProvide' },
  },
  cancelled: {
    name: 'Cancelled',
    shape: `${RING}M3 5.3h6v1.4H3z`,
    open: false,
    owned: false,
    publicState: both('cancelled'),
  },
  duplicate: {
    name: 'Duplicate',
    shape: 'M.75.75h7v2.5h-1.4v-1.1h-4.2v4.2h1.1v1.4H.75zM4.25 4.25h7v7h-7z',
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

/** What a person confirmed of an order for an indicative price, in major units. */
export interface ConfirmedPrice {
  readonly price: number;
  readonly setupPrice: number;
}

/** A next action that waits until the message of a client is settled. */
export interface WokenAction {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly reason: string | null;
}

/** The columns of an order that its moves read and set. */
export interface OrderProgress {
  readonly id: string;
  readonly kind: WorkKind;
  readonly clientId: string;
  readonly state: OrderState;
  readonly ownerId: string | null;
  readonly claimedAt: Date | null;
  readonly firstContactAt: Date | null;
  readonly lastContactAt: Date | null;
  readonly contactAttempts: number;
  readonly nextActionAt: Date | null;
  readonly nextActionReason: string | null;
  readonly wokenAction?: WokenAction | null;
  readonly takenAt?: Date | null;
  readonly basis?: PriceBasis | null;
  readonly currency?: string | null;
  readonly amountMinor?: number | null;
  readonly confirmed?: ConfirmedPrice | null;
  readonly closedAt: Date | null;
  readonly closeReason: string | null;
  readonly externalReference: string | null;
  readonly duplicateOf: string | null;
  readonly reopenings: number;
  readonly publicStateAt: Date;
  readonly lastEntryAt: Date;
  readonly version: number;
}
