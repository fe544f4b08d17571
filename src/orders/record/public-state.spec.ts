import { describe, expect, it } from '@jest/globals';
import {
  type EnquiryState,
  enquiryStates,
  type OrderState,
  type PublicState,
  publicStates,
  statesOf,
} from './order-states.js';
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
  ])('of an order: %s (%s) is %s', (to, reason, expected) => {
    expect(toPublicState({ kind: 'order', to, reason })).toBe(expected);
  });

  it.each<[OrderState, string | undefined, EnquiryState]>([
    ['waiting', undefined, 'acknowledged'],
    ['in_progress', undefined, 'inProgress'],
    ['scheduled', undefined, 'inProgress'],
    ['offered', undefined, 'offered'],
    ['won', undefined, 'accepted'],
    ['lost', 'declined', 'declined'],
    ['lost', 'offer_expired', 'expired'],
    ['lost', 'not_serviceable', 'unableToProvide'],
    ['lost', 'price', 'unableToProvide'],
    ['lost', 'toString', 'unableToProvide'],
    ['cancelled', 'declined', 'cancelled'],
    ['duplicate', undefined, 'cancelled'],
  ])('of an enquiry: %s (%s) is %s', (to, reason, expected) => {
    expect(toPublicState({ kind: 'enquiry', to, reason })).toBe(expected);
  });

  it('exists for every state, and every public state is reached', () => {
    const reasons = [undefined, 'not_serviceable', 'declined', 'offer_expired'];
    const reached = (kind: 'order' | 'enquiry') =>
      statesOf(kind).flatMap((to) => reasons.map((reason) => toPublicState({ kind, to, reason })));
    expect([...new Set(reached('order'))].sort()).toEqual([...publicStates].sort());
    expect([...new Set(reached('enquiry'))].sort()).toEqual([...enquiryStates].sort());
  });
});

describe('the changes of the public state', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute));
  const history = (...states: OrderState[]): StateEntry[] =>
    states.map((to, minute) => ({ to, at: at(minute) }));

  it('are empty without entries', () => {
    expect(stateChanges('order', [])).toEqual([]);
  });

  it('leave out moves that the client cannot see', () => {
    const moves = history('waiting', 'in_progress', 'scheduled', 'in_progress', 'won');
    expect(stateChanges('order', moves)).toEqual([
      { state: 'acknowledged', at: at(0) },
      { state: 'inProgress', at: at(1) },
      { state: 'accepted', at: at(4) },
    ]);
  });

  it('leave out what is written about a closed one', () => {
    const lost = { from: 'offered', to: 'lost', at: at(0), reason: 'declined' } as const;
    const written = { from: 'lost', to: 'lost', at: at(1) } as const;
    expect(stateChanges('enquiry', [lost, written])).toEqual([{ state: 'declined', at: at(0) }]);
  });

  it('show a return to an earlier state', () => {
    expect(stateChanges('order', history('waiting', 'in_progress', 'waiting'))).toEqual([
      { state: 'acknowledged', at: at(0) },
      { state: 'inProgress', at: at(1) },
      { state: 'acknowledged', at: at(2) },
    ]);
  });

  it.each([
    ['not_serviceable', 'notServiceable'],
    ['price', 'other'],
  ] as const)('say why the operator cannot provide it: %s', (reason, shown) => {
    const lost = { to: 'lost', at: at(0), reason } as const;
    expect(stateChanges('enquiry', [lost])).toEqual([
      { state: 'unableToProvide', at: at(0), reason: shown },
    ]);
  });
});
