import { describe, expect, it } from '@jest/globals';
import {
  enquiryStates,
  enquiryTestTargets,
  type OrderProgress,
  publicStates,
  testTargets,
} from '../record/order-states.js';
import { isRefusal, planMove, untouched } from '../moves/plan-move.js';
import { publicStateOf } from '../record/public-state.js';
import { enquiryMovesTo, movesTo, nextOf, sandboxStaff } from './test-orders.service.js';

const now = new Date('2026-03-02T09:00:00Z');

const fresh: OrderProgress = {
  id: 'a',
  kind: 'order',
  clientId: 'b',
  ...untouched,
  publicStateAt: now,
  lastEntryAt: now,
};

/** The order after the moves, with the rules for live orders. */
function after(order: OrderProgress, moves: ReturnType<typeof movesTo>): OrderProgress {
  return (moves ?? []).reduce((it, move) => {
    const plan = planMove(it, move, sandboxStaff, now);
    if (isRefusal(plan)) throw new Error(plan.refused);
    return { ...it, ...plan.changes };
  }, order);
}

const shown = ({ state, closeReason }: OrderProgress) =>
  publicStateOf({ kind: 'order', state, closeReason });

describe('the moves of a test order', () => {
  it('lead to the next state, and stop at an end', () => {
    const taken = after(fresh, movesTo('acknowledged'));
    expect(shown(taken)).toBe('inProgress');
    const ended = after(taken, movesTo('inProgress'));
    expect(shown(ended)).toBe('accepted');
    expect(movesTo('accepted')).toBeNull();
  });

  it.each(testTargets)('lead from the start to %s', (target) => {
    expect(shown(after(fresh, movesTo('acknowledged', target)))).toBe(target);
  });

  it.each(testTargets.filter((one) => one !== 'inProgress'))('lead on to %s', (target) => {
    const taken = after(fresh, movesTo('acknowledged', 'inProgress'));
    expect(shown(after(taken, movesTo('inProgress', target)))).toBe(target);
  });

  it('are null from an end, and to the current state', () => {
    const ends = publicStates.filter((one) => one !== 'acknowledged' && one !== 'inProgress');
    for (const state of ends) {
      for (const target of testTargets) expect(movesTo(state, target)).toBeNull();
    }
    expect(movesTo('inProgress', 'inProgress')).toBeNull();
  });
});

describe('the moves of a test enquiry', () => {
  const names = (...about: Parameters<typeof enquiryMovesTo>) =>
    enquiryMovesTo(...about)?.map(({ name }) => name) ?? null;

  it('answer at once where staff make offers, and end what is offered', () => {
    expect(names('acknowledged', nextOf('acknowledged', true))).toEqual(['claim', 'offer']);
    expect(names('acknowledged', nextOf('acknowledged', false))).toEqual(['claim']);
    expect(names('offered', nextOf('offered', true))).toEqual(['expire']);
  });

  it.each(enquiryStates)('from %s lead to each target, or to none', (state) => {
    const isOpen = ['acknowledged', 'inProgress', 'offered'].includes(state);
    const reached = enquiryTestTargets.filter((target) => names(state, target) !== null);
    expect(reached.includes('expired')).toBe(isOpen);
    expect(reached.includes('cancelled')).toBe(isOpen);
  });
});
