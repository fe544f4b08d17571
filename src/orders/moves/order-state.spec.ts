import { describe, expect, it } from '@jest/globals';
import { isRefusal, type MoveName, moveRules, planMove, type Situation } from './order-state.js';
import { closedStates, orderStates } from './order-states.js';

const now = new Date('2026-03-02T09:00Z');
const sam = { kind: 'staff', id: 'sam', name: 'Sam', manager: false } as const;

const waiting: Situation = {
  id: 'order',
  clientId: 'client',
  state: 'waiting',
  ownerId: null,
  claimedAt: null,
  firstContactAt: null,
  lastContactAt: null,
  contactAttempts: 0,
  nextActionAt: null,
  nextActionReason: null,
  closedAt: null,
  closeReason: null,
  externalReference: null,
  duplicateOf: null,
  reopenings: 0,
  publicStateAt: now,
  lastEntryAt: now,
  version: 0,
};
const claimed: Situation = { ...waiting, state: 'in_progress', ownerId: 'sam', version: 1 };

describe('the table of moves', () => {
  it('reaches every state from waiting', () => {
    const reached = new Set<string>(['waiting']);
    for (let before = 0; before !== reached.size;) {
      before = reached.size;
      for (const { from, to } of Object.values(moveRules)) {
        if (from.some((state) => reached.has(state)) && to !== 'same') reached.add(to);
      }
    }
    expect([...reached].sort()).toEqual([...orderStates].sort());
  });

  it.each(closedStates)('leads out of %s by reopening only', (state) => {
    const names = Object.keys(moveRules).filter((name) =>
      moveRules[name as MoveName].from.includes(state),
    );
    expect(names).toEqual(['reopen']);
  });
});

describe('a move', () => {
  it('sets what the table says', () => {
    const plan = planMove(
      claimed,
      { name: 'logContact', channel: 'phone', result: 'reached' },
      sam,
      now,
    );
    expect(plan).toMatchObject({
      changes: { firstContactAt: now, lastContactAt: now, contactAttempts: 1, version: 2 },
      details: { from: 'in_progress', to: 'in_progress', channel: 'phone', result: 'reached' },
    });
  });

  it('keeps the time of the first contact', () => {
    const earlier = new Date('2026-03-01T09:00Z');
    const again = { ...claimed, firstContactAt: earlier };
    const move = { name: 'logContact', channel: 'email', result: 'emailed' } as const;
    expect(planMove(again, move, sam, now)).toMatchObject({ changes: { firstContactAt: earlier } });
  });

  it.each([
    [0, true],
    [24 * 3_600_000, true],
    [24 * 3_600_000 + 1, false],
  ])('reopens for the owner %d ms after closing: %s', (age, allowed) => {
    const closedAt = new Date(now.getTime() - age);
    const won: Situation = { ...claimed, state: 'won', closedAt };
    const plan = planMove(won, { name: 'reopen', reason: 'x' }, sam, now);
    expect(isRefusal(plan)).toBe(!allowed);
  });

  it('says when the public state changes, and when not', () => {
    const claim = planMove(waiting, { name: 'claim' }, sam, now);
    expect(claim).toHaveProperty('changes.publicStateAt', now);
    const later = {
      name: 'schedule',
      nextActionAt: new Date(now.getTime() + 1),
      reason: 'awaiting_client',
    } as const;
    expect(planMove(claimed, later, sam, now)).not.toHaveProperty('changes.publicStateAt');
  });
});
