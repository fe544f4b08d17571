import { describe, expect, it } from '@jest/globals';
import {
  claimed,
  now,
  sam,
  scheduled,
  waiting,
} from '../../../test/support/order-progress.given.js';
import type { OrderProgress, OrderState } from '../record/order-states.js';
import type { Move, Mover } from './move-contents.js';
import type { MovePlan } from './move-rules.js';
import { isRefusal, planMove } from './plan-move.js';

const client = { kind: 'client', id: 'client', name: 'Client' } as const;
const closed = (state: OrderState): OrderProgress => ({ ...claimed, state, closedAt: now });
const hear: Move = {
  name: 'hear',
  messageId: 'message',
  text: 'Ring Ada.',
  answersWaiting: false,
  token: 'token',
};

describe('what the client writes', () => {
  const nextOf = ({ nextActionAt, nextActionReason, wokenAction }: OrderProgress) => [
    nextActionAt,
    nextActionReason,
    wokenAction ?? null,
  ];
  const after = (order: OrderProgress, move: Move, mover: Mover, at = now): OrderProgress => {
    const plan = planMove(order, move, mover, at);
    if (isRefusal(plan)) throw new Error(plan.refused);
    return { ...order, ...plan.changes };
  };
  const agreed = { at: scheduled.nextActionAt!.getTime(), reason: 'callback_agreed' };
  const heard = after(scheduled, hear, client);

  it.each<OrderProgress>([
    waiting,
    claimed,
    closed('won'),
    closed('lost'),
    { ...scheduled, kind: 'enquiry', state: 'offered' },
  ])('makes a request in state $state due, and its text is not in the audit trail', (order) => {
    const plan = planMove(order, hear, client, now) as MovePlan;
    expect(plan.changes).toMatchObject({ nextActionAt: now, nextActionReason: 'client_wrote' });
    expect([plan.changes.state, plan.details]).toEqual([
      order.state,
      { from: order.state, to: order.state, version: 1 + order.version, ...about },
    ]);
  });
  const about = { messageId: 'message', answersWaiting: false, token: 'token' };

  it('wakes a call-back, and counts from the first message that is not settled', () => {
    const later = new Date(now.getTime() + 60_000);
    const again = after(heard, hear, client, later);
    const expected = [now, 'client_wrote', agreed];
    expect([heard, again].map(nextOf)).toEqual([expected, expected]);
  });

  it.each<[Move, Mover]>([
    [{ name: 'cancel', reason: 'client_request' }, client],
    [{ name: 'release', reason: 'On leave.' }, sam],
    [{ name: 'resume' }, { kind: 'chargeRule' }],
  ])('stays due after $name, which no one makes who has read it', (move, mover) => {
    expect(nextOf(after(heard, move, mover))).toEqual([now, 'client_wrote', null]);
  });

  it('waits with what the service schedules meanwhile', () => {
    const answered = { name: 'schedule', nextActionAt: now, reason: 'charge_answered' } as const;
    const order = after(heard, answered, { kind: 'chargeRule' });
    const woken = { at: now.getTime(), reason: 'charge_answered' };
    expect(nextOf(order)).toEqual([now, 'client_wrote', woken]);
  });

  it.each<Move>([
    { name: 'logContact', channel: 'phone', result: 'reached' },
    { name: 'lose', reason: 'price' },
  ])('is settled by the owner: $name', (move) => {
    expect(nextOf(after(heard, move, sam))).toEqual([null, null, null]);
  });

  it.each<Move>([{ name: 'reply', text: 'We ring.' }, { name: 'settle' }])(
    'is settled by $name, and the call-back that it has woken comes back',
    (move) => {
      const manager = { ...sam, id: 'bo' };
      const order = after(heard, move, manager);
      expect([order.state, ...nextOf(order)]).toEqual([
        'scheduled',
        scheduled.nextActionAt,
        'callback_agreed',
        null,
      ]);
      expect(nextOf(after(after(claimed, hear, client), move, manager))).toEqual([
        null,
        null,
        null,
      ]);
    },
  );

  it('is settled once', () => {
    expect(planMove(after(heard, { name: 'settle' }, sam), { name: 'settle' }, sam, now)).toEqual({
      refused: 'state',
      detail: 'No message or amendment of the client waits for an answer.',
    });
  });
});

describe('what staff write', () => {
  it('counts as a contact while the request is open, and its text is not in the audit trail', () => {
    const reply: Move = { name: 'reply', text: 'We ring.' };
    const plan = planMove(waiting, reply, sam, now) as MovePlan;
    expect(plan.details).toEqual({ from: 'waiting', to: 'waiting', version: 1 });
    expect(plan.changes).toMatchObject({ firstContactAt: now, publicStateAt: now });
    expect(planMove(closed('lost'), reply, sam, now)).not.toHaveProperty('changes.firstContactAt');
  });
});
