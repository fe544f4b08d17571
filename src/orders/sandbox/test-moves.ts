import type { Move, Mover } from '../moves/move-rules.js';
import type {
  EnquiryState,
  EnquiryTestTarget,
  PublicState,
  TestTarget,
} from '../record/order-states.js';

/** Acts as staff, who never see test orders. */
export const sandboxStaff = {
  kind: 'staff',
  id: '00000000-0000-0000-0000-000000000000',
  name: 'sandbox',
  manager: true,
} as const satisfies Mover;

const claim: Move = { name: 'claim' };

/** The moves from `inProgress` to each end. */
const ends: Readonly<Record<Exclude<TestTarget, 'inProgress'>, Move>> = {
  accepted: { name: 'win' },
  rejected: { name: 'lose', reason: 'not_serviceable' },
  cancelled: { name: 'cancel', reason: 'test_request' },
  closed: { name: 'lose', reason: 'no_response' },
};

/** The moves to a public state, by default to the next one; null if it cannot be reached. */
export function movesTo(state: PublicState, target?: TestTarget): readonly Move[] | null {
  switch (state) {
    case 'acknowledged':
      if (target === undefined || target === 'inProgress') return [claim];
      return target === 'cancelled' ? [ends.cancelled] : [claim, ends[target]];
    case 'inProgress':
      return target === 'inProgress' ? null : [ends[target ?? 'accepted']];
    case 'accepted':
    case 'rejected':
    case 'cancelled':
    case 'closed':
      return null;
  }
}

/** The service answers with offers, or ends those that are open. */
export type TestOfferStep = { readonly name: 'offer' | 'expire' };

/** As `movesTo`, for a test enquiry. */
export function enquiryMovesTo(
  state: EnquiryState,
  target: EnquiryTestTarget = nextOf(state, false),
): readonly (Move | TestOfferStep)[] | null {
  const offer: TestOfferStep = { name: 'offer' };
  const expire: TestOfferStep = { name: 'expire' };
  switch (state) {
    case 'acknowledged':
      if (target === 'cancelled') return [ends.cancelled];
      if (target === 'inProgress') return [claim];
      if (target === 'offered') return [claim, offer];
      return target === 'expired' ? [claim, offer, expire] : [claim, ends.rejected];
    case 'inProgress':
      if (target === 'inProgress') return null;
      if (target === 'offered') return [offer];
      if (target === 'expired') return [offer, expire];
      return [target === 'cancelled' ? ends.cancelled : ends.rejected];
    case 'offered':
      if (target === 'inProgress' || target === 'offered') return null;
      if (target === 'expired') return [expire];
      return [target === 'cancelled' ? ends.cancelled : ends.rejected];
    case 'accepted':
    case 'declined':
    case 'expired':
    case 'unableToProvide':
    case 'cancelled':
      return null;
  }
}

/** The next state of a test enquiry. @param isOffered at a postcode where the first one is an offer */
export function nextOf(state: EnquiryState, isOffered: boolean): EnquiryTestTarget {
  if (state === 'offered') return 'expired';
  if (isOffered) return 'offered';
  return state === 'acknowledged' ? 'inProgress' : 'unableToProvide';
}
