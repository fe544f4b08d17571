import { describe, expect, it } from '@jest/globals';
import { type OrderState, orderStates, type PublicState, publicStates } from './order-states.js';
import { stateChanges, type StateEntry, toPublicState } from './public-state.js';

describe('the public state', () => {
  it.each<[OrderState, string | undefined, PublicState]>([
    ['waiting', undefined, 'acknowledged'],
    ['in_progress', undefined, 'inProgress'],
    ['scheduled', undefined, 'inProgress'],
    ['won', undefined, 'accepted'],
    ['cancelled', undefined, 'cancelled'],
    ['duplicate', undefined, 'closed'],
    ['lost', undefined, 'closed'],
    ['lost', 'price', 'closed'],
    ['lost', 'not_serviceable', 'rejected'],
    ['lost', 'invalid_details', 'rejected'],
    ['cancelled', 'not_serviceable', 'cancelled'],
  ])('of %s (%s) is %s', (to, reason, expected) => {
    expect(toPublicState({ to, reason })).toBe(expected);
  });

  it('exists for every state, and every public state is reached', () => {
    const reasons = [undefined, 'not_serviceable'];
    const reached = orderStates.flatMap((to) =>
      reasons.map((reason) => toPublicState({ to, reason })),
    );
    expect([...new Set(reached)].sort()).toEqual([...publicStates].sort());
  });
});

describe('the changes of the public state', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute));
  const history = (...states: OrderState[]): StateEntry[] =>
    states.map((to, minute) => ({ to, at: at(minute) }));

  it('are empty without entries', () => {
    expect(stateChanges([])).toEqual([]);
  });

  it('leave out moves that the client cannot see', () => {
    const moves = history('waiting', 'in_progress', 'scheduled', 'in_progress', 'won');
    expect(stateChanges(moves)).toEqual([
      { state: 'acknowledged', at: at(0) },
      { state: 'inProgress', at: at(1) },
      { state: 'accepted', at: at(4) },
    ]);
  });

  it('show a return to an earlier state', () => {
    expect(stateChanges(history('waiting', 'in_progress', 'waiting'))).toEqual([
      { state: 'acknowledged', at: at(0) },
      { state: 'inProgress', at: at(1) },
      { state: 'acknowledged', at: at(2) },
    ]);
  });
});
