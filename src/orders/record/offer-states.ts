/** The states of a bespoke offer, and what leads from one to another. */

interface OfferStateInfo {
  /** On pages. */
  readonly name: string;
  /** It can still change. */
  readonly live: boolean;
}

const states = {
  awaitingApproval: { name: 'Awaiting approval', live: true },
  open: { name: 'Open', live: true },
  accepted: { name: 'Accepted', live: false },
  declined: { name: 'Declined', live: false },
  withdrawn: { name: 'Withdrawn', live: false },
  replaced: { name: 'Replaced', live: false },
  expired: { name: 'Expired', live: false },
  refused: { name: 'Not approved', live: false },
} as const satisfies Record<string, OfferStateInfo>;

type OfferStateTable = typeof states;
export type OfferState = keyof OfferStateTable;
export type LiveOfferState = {
  [S in OfferState]: OfferStateTable[S]['live'] extends true ? S : never;
}[OfferState];

export const offerStateInfo: Readonly<Record<OfferState, OfferStateInfo>> = states;
export const offerStates = Object.keys(states) as OfferState[];

/** The states that a client sees. It sees no offer that was never open. */
export const publicOfferStates = [
  'open',
  'accepted',
  'declined',
  'withdrawn',
  'replaced',
  'expired',
] as const satisfies readonly OfferState[];
export type PublicOfferState = (typeof publicOfferStates)[number];

export function isLive(state: OfferState): state is LiveOfferState {
  return offerStateInfo[state].live;
}

/** What can happen to an offer. */
export const offerSteps = {
  approve: { from: ['awaitingApproval'], to: 'open' },
  refuse: { from: ['awaitingApproval'], to: 'refused' },
  withdraw: { from: ['awaitingApproval', 'open'], to: 'withdrawn' },
  replace: { from: ['awaitingApproval', 'open'], to: 'replaced' },
  expire: { from: ['awaitingApproval', 'open'], to: 'expired' },
  accept: { from: ['open'], to: 'accepted' },
  decline: { from: ['open'], to: 'declined' },
} as const satisfies Record<
  string,
  { readonly from: readonly LiveOfferState[]; readonly to: OfferState }
>;
export type OfferStep = keyof typeof offerSteps;

/** The columns of an offer that the rules read. */
export interface OfferProgress {
  readonly id: string;
  /** Offers that were sent together have the same number; later answers have higher ones. */
  readonly answer: number;
  readonly state: OfferState;
  /** The last instant at which the client can accept it. */
  readonly validUntil: Date;
  /** The staff member who wrote it. */
  readonly createdBy: string | null;
}

/** Whether a client could accept the offer at this time, if its enquiry is still open. */
export function isOpenAt({ state, validUntil }: OfferProgress, now: Date): boolean {
  return state === 'open' && now <= validUntil;
}
