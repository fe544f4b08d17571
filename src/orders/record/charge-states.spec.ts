import { describe, expect, it } from '@jest/globals';
import {
  chargeAfter,
  type ChargeMove,
  type ChargeMover,
  chargeMoves,
  type ChargeState,
  chargeStateAt,
  chargeStates,
} from './charge-states.js';

const names = Object.keys(chargeMoves) as ChargeMove[];
const movers: readonly ChargeMover[] = ['client', 'staff', 'service'];

/** The state that each move leads to from `awaitingResponse`, and who may make it. */
const expectations: Readonly<Record<ChargeMove, readonly [ChargeState, string]>> = {
  accept: ['accepted', 'client staff'],
  reject: ['rejected', 'client staff'],
  cover: ['accepted', 'service'],
  withdraw: ['withdrawn', 'staff service'],
  lapse: ['lapsed', 'service'],
};

describe('the table of charge states', () => {
  it.each(names)('lets %s end the wait for the client', (move) => {
    const [to, who] = expectations[move];
    const outcomes = movers.map((mover) => chargeAfter('awaitingResponse', move, mover));
    expect(outcomes).toEqual(movers.map((mover) => (who.includes(mover) ? to : null)));
  });

  it.each(chargeStates.filter((state) => state !== 'awaitingResponse'))(
    'has no way out of %s',
    (state) => {
      for (const move of names) {
        for (const mover of movers) expect(chargeAfter(state, move, mover)).toBeNull();
      }
    },
  );

  it('reaches every state', () => {
    const reached = names.map((move) => chargeMoves[move].to);
    expect(new Set(['awaitingResponse', ...reached])).toEqual(new Set(chargeStates));
  });
});

describe('a charge', () => {
  const dueAt = new Date('2026-03-09T23:59Z');
  const before = new Date(dueAt.getTime() - 1);
  const open = { closedAt: null, state: 'in_progress' } as const;
  const closed = { closedAt: new Date('2026-03-03T09:00Z'), state: 'lost' } as const;
  const won = { ...closed, state: 'won' } as const;

  it.each([
    ['awaits a response until it is due', before, open, 'awaitingResponse'],
    ['has lapsed when it is due', dueAt, open, 'lapsed'],
    ['is withdrawn when its order has ended', before, closed, 'withdrawn'],
    ['awaits a response while its order is delivered', before, won, 'awaitingResponse'],
    ['has lapsed when it is due during the delivery', dueAt, won, 'lapsed'],
  ] as const)('%s', (_what, now, order, state) => {
    expect(chargeStateAt({ state: 'awaitingResponse', dueAt }, order, now)).toBe(state);
  });

  it('keeps its end', () => {
    expect(chargeStateAt({ state: 'accepted', dueAt }, closed, dueAt)).toBe('accepted');
  });
});

it.each([
  ['before the order was closed', '2026-03-02T08:59:00Z', 'lapsed'],
  ['as the order was closed', '2026-03-02T09:00:00Z', 'lapsed'],
  ['after the order was closed', '2026-03-02T09:00:01Z', 'withdrawn'],
])('a charge that was due %s is and stays so', (_when, dueAt, expected) => {
  const order = { closedAt: new Date('2026-03-02T09:00:00Z'), state: 'cancelled' } as const;
  const charge = { state: 'awaitingResponse', dueAt: new Date(dueAt) } as const;
  for (const now of ['2026-03-02T09:00:01Z', '2026-03-03T09:00:00Z']) {
    expect(chargeStateAt(charge, order, new Date(now))).toBe(expected);
  }
});
