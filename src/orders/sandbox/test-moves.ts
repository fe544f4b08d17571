import type { Move, Mover } from '../moves/order-state.js';
import type { PublicState, TestTarget } from '../moves/order-states.js';

/** Stands for the staff, who never see a test order. */
export const sandboxStaff: Mover = {
  kind: 'staff',
  id: '00000000-0000-0000-0000-000000000000',
  name: 'sandbox',
  manager: true,
};

const claim: Move = { name: 'claim' };

/** The moves of the staff that lead there, from where somebody works on the order. */
const ends: Readonly<Record<Exclude<TestTarget, 'inProgress'>, Move>> = {
  accepted: { name: 'win' },
  rejected: { name: 'lose', reason: 'not_serviceable' },
  cancelled: { name: 'cancel', reason: 'test_request' },
  closed: { name: 'lose', reason: 'no_response' },
};

/**
 * The moves from a public state to another, through each state that lies between; to the next one
 * where none is named. Null where there is no way.
 */
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
