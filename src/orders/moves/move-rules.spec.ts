import { describe, expect, it } from '@jest/globals';
import {
  claimed,
  now,
  sam,
  scheduled,
  waiting,
} from '../../../test/support/order-progress.given.js';
import type { Move, MoveName, Mover } from './move-contents.js';
import { type MovePlan, type MoveRule, moveRules } from './move-rules.js';
import {
  closedStates,
  type EnquiryState,
  type OrderProgress,
  type OrderState,
  orderStates,
  statesOf,
  type WorkKind,
  workKinds,
} from '../record/order-states.js';
import { isRefusal, planMove } from './plan-move.js';
import { publicStateOf } from '../record/public-state.js';

const eve = { ...sam, id: 'eve', name: 'Eve' };

/** A request of Sam's in each state. Only a waiting one has no owner; a closed one was just closed. */
function requestIn(kind: WorkKind, state: OrderState): OrderProgress {
  return { ...orderIn(state), kind };
}

function orderIn(state: OrderState): OrderProgress {
  if (state === 'waiting') return waiting;
  if (state === 'in_progress') return claimed;
  if (state === 'scheduled') return scheduled;
  if (state === 'offered') return { ...scheduled, state };
  return { ...claimed, state, closedAt: now, duplicateOf: state === 'duplicate' ? 'other' : null };
}

/** Each move with content that the service accepts. */
const moves: { readonly [Name in MoveName]: Extract<Move, { name: Name }> } = {
  claim: { name: 'claim' },
  assign: { name: 'assign', owner: eve },
  logContact: { name: 'logContact', channel: 'phone', result: 'reached' },
  schedule: {
    name: 'schedule',
    nextActionAt: new Date('2026-03-02T09:01Z'),
    reason: 'callback_agreed',
  },
  resume: { name: 'resume' },
  handOver: { name: 'handOver', owner: eve, note: 'Please call them.' },
  release: { name: 'release', reason: 'On leave.' },
  win: { name: 'win' },
  lose: { name: 'lose', reason: 'price' },
  cancel: { name: 'cancel', reason: 'client_request' },
  duplicate: {
    name: 'duplicate',
    of: { id: 'other', kind: 'order', clientId: 'client', state: 'waiting' },
  },
  reopen: { name: 'reopen', reason: 'A better price.' },
  reply: { name: 'reply', text: 'We ring.' },
  settle: { name: 'settle' },
  offer: { name: 'offer', offer: 'BESPOKE-7F3K9Q' },
  accept: { name: 'accept', offer: 'BESPOKE-7F3K9Q' },
  decline: { name: 'decline', note: 'Too dear.' },
  expire: { name: 'expire' },
  retract: { name: 'retract' },
  amend: { name: 'amend', changed: ['reference'], before: {}, after: {} },
  correct: { name: 'correct', changed: ['reference'], before: {}, after: {} },
  hear: {
    name: 'hear',
    messageId: 'message',
    text: 'Ring Ada.',
    answersWaiting: false,
    token: 'token',
  },
  endDelivery: { name: 'endDelivery', reason: 'client_request' },
};

/** A duplicate is of the same kind as its original. */
function moveOn(kind: WorkKind, name: MoveName): Move {
  const move = moves[name];
  return move.name === 'duplicate' ? { ...move, of: { ...move.of, kind } } : move;
}

const movers: Readonly<Record<string, Mover>> = {
  o: sam, // the owner, where the order has one
  a: eve, // another agent
  m: { kind: 'staff', id: 'bo', name: 'Bo', manager: true }, // a manager who is not the owner
  c: { kind: 'client', id: 'client', name: 'Client' }, // the API client that placed the order
  x: { kind: 'client', id: 'another', name: 'Another' }, // another API client
  s: { kind: 'staleRule' },
  v: { kind: 'service' },
  r: { kind: 'chargeRule' },
};

/**
 * The state that each move leads to, and the letters of those in `movers` who may make it from each
 * state. A dash means no one, and a full stop no one of these.
 */
type Expectations = Readonly<Record<MoveName, readonly [OrderState | 'same', string]>>;
const never = (columns: number, to: OrderState): readonly [OrderState, string] => [
  to,
  Array<string>(columns).fill('-').join(' '),
];

const expectations: Readonly<Record<WorkKind, Expectations>> = {
  // Waiting, in progress, scheduled, won, lost, cancelled, duplicate.
  order: {
    claim: ['in_progress', 'oam -   -   -  -  -  -'],
    assign: ['in_progress', 'm   -   -   -  -  -  -'],
    logContact: ['in_progress', '-   o   o   -  -  -  -'],
    schedule: ['scheduled', '-   or  or  -  -  -  -'],
    resume: ['in_progress', '-   -   omr -  -  -  -'],
    handOver: ['same', '-   om  om  -  -  -  -'],
    release: ['waiting', '-   oms oms -  -  -  -'],
    win: ['won', '-   o   o   -  -  -  -'],
    lose: ['lost', '-   o   o   -  -  -  -'],
    cancel: ['cancelled', 'mc  omc omc -  -  -  -'],
    duplicate: ['duplicate', 'oam oam oam -  -  -  -'],
    reopen: ['in_progress', '-   -   -   om om om om'],
    reply: ['same', 'oam oam oam oam oam oam oam'],
    settle: never(7, 'waiting'),
    offer: never(7, 'offered'),
    accept: never(7, 'won'),
    decline: never(7, 'lost'),
    expire: never(7, 'lost'),
    retract: never(7, 'in_progress'),
    amend: ['same', 'oamc oamc oamc oamc - - -'],
    correct: ['same', '. o o o - - -'],
    hear: ['same', 'c   c   c   c  c  c  c'],
    endDelivery: ['cancelled', '-   -   -   omcv - - -'],
  },
  // Waiting, in progress, scheduled, offered, won, lost, cancelled, duplicate.
  enquiry: {
    claim: ['in_progress', 'oam -   -   -   -  -  -  -'],
    assign: ['in_progress', 'm   -   -   -   -  -  -  -'],
    logContact: ['in_progress', '-   o   o   o   -  -  -  -'],
    schedule: ['scheduled', '-   or  or  or  -  -  -  -'],
    resume: ['in_progress', '-   -   omr omr -  -  -  -'],
    handOver: ['same', '-   om  om  om  -  -  -  -'],
    release: ['waiting', '-   oms oms -   -  -  -  -'],
    win: never(8, 'won'),
    lose: ['lost', '-   o   o   o   -  -  -  -'],
    cancel: ['cancelled', 'mc  omc omc omc -  -  -  -'],
    duplicate: ['duplicate', 'oam oam oam oam -  -  -  -'],
    reopen: ['in_progress', '-   -   -   -   -  om om om'],
    reply: ['same', 'oam oam oam oam oam oam oam oam'],
    settle: never(8, 'waiting'),
    offer: ['offered', '-   om  om  om  -  -  -  -'],
    accept: ['won', '-   -   -   oamcv - - - -'],
    decline: ['lost', '-   -   -   cv  -  -  -  -'],
    expire: ['lost', '-   -   -   v   -  -  -  -'],
    retract: ['in_progress', '-   -   -   omv -  -  -  -'],
    amend: ['same', 'oamc oamc oamc oamc - - - -'],
    correct: ['same', '. o o o - - - -'],
    hear: ['same', 'c   c   c   c   c  c  c  c'],
    endDelivery: never(8, 'cancelled'),
  },
};
/** An offered enquiry stays offered while its owner calls the client. */
const staysOffered: readonly MoveName[] = ['logContact', 'schedule', 'resume'];

type Cell = [MoveName, WorkKind, OrderState, allowed: string, to: OrderState];
const cells = workKinds.flatMap((kind) =>
  (Object.keys(expectations[kind]) as MoveName[]).flatMap((name) => {
    const [to, row] = expectations[kind][name];
    return row.split(/ +/).map((allowed, i): Cell => {
      const state = statesOf(kind)[i]!;
      const stays = to === 'same' || (state === 'offered' && staysOffered.includes(name));
      return [name, kind, state, allowed, stays ? state : to];
    });
  }),
);

describe('the table of moves', () => {
  it.each(workKinds)('reaches every state of an %s from waiting', (kind) => {
    const reached = new Set<string>(['waiting']);
    for (let before = 0; before !== reached.size;) {
      before = reached.size;
      for (const { from, to } of Object.values(moveRules)) {
        if (from[kind].some((state) => reached.has(state)) && to !== 'same') reached.add(to);
      }
    }
    expect([...reached].sort()).toEqual(statesOf(kind).sort());
  });

  it.each(closedStates)(
    'leads out of %s by reopening only, and never out of a won enquiry',
    (state) => {
      for (const kind of workKinds) {
        const names = (Object.keys(moveRules) as MoveName[]).filter((name) => {
          const { from, to, keeps } = moveRules[name] as MoveRule<Move>;
          return from[kind].includes(state) && to !== 'same' && !keeps?.includes(state);
        });
        const cancelled = kind === 'order' && state === 'won' ? ['endDelivery'] : [];
        expect(names).toEqual(
          kind === 'enquiry' && state === 'won' ? [] : ['reopen', ...cancelled],
        );
      }
    },
  );
});

describe('who may make a move', () => {
  it('is declared for each of 23 moves from each state of each kind', () => {
    expect(new Set(cells.map(([name, kind, state]) => `${name} ${kind} ${state}`)).size).toBe(345);
    expect(cells).toHaveLength(23 * 7 + 23 * 8);
    expect(cells.every(([, , state]) => orderStates.includes(state))).toBe(true);
  });

  it.each(cells)(
    'makes %s of an %s in state %s possible for: %s',
    (name, kind, state, allowed, to) => {
      const outcomes = Object.entries(movers).map(([letter, mover]) => {
        const plan = planMove(requestIn(kind, state), moveOn(kind, name), mover, now);
        return [letter, isRefusal(plan) ? plan.refused : plan.changes.state];
      });
      const refused = allowed === '-' ? 'state' : 'permission';
      expect(outcomes).toEqual(
        Object.keys(movers).map((letter) => [letter, allowed.includes(letter) ? to : refused]),
      );
    },
  );

  it('asks to claim a waiting enquiry before it is answered', () => {
    const plan = planMove(requestIn('enquiry', 'waiting'), moves.offer, sam, now);
    expect(plan).toEqual({ refused: 'state', detail: 'Claim the enquiry before you answer it.' });
  });

  it('refuses a duplicate of the other kind', () => {
    expect(planMove(requestIn('enquiry', 'in_progress'), moves.duplicate, sam, now)).toMatchObject({
      refused: 'content',
      errors: [{ pointer: '/of' }],
    });
  });
});

describe('a move of an offered enquiry', () => {
  const offered = requestIn('enquiry', 'offered');
  const client = movers.c!;
  const service = movers.v!;

  it.each<[MoveName, Mover, EnquiryState, reason: string | null]>([
    ['accept', client, 'accepted', null],
    ['decline', client, 'declined', 'declined'],
    ['expire', service, 'expired', 'offer_expired'],
    ['retract', sam, 'inProgress', null],
    ['lose', sam, 'unableToProvide', 'price'],
    ['logContact', sam, 'offered', null],
  ])('%s shows the client: %s', (name, mover, shown, closeReason) => {
    const plan = planMove(offered, moves[name], mover, now);
    if (isRefusal(plan)) throw new Error(plan.refused);
    const after = { ...offered, ...plan.changes, kind: 'enquiry' } as const;
    expect([publicStateOf(after), after.closeReason]).toEqual([shown, closeReason]);
    expect('publicStateAt' in plan.changes).toBe(shown !== 'offered');
  });

  it('cancels a call only if one is scheduled', () => {
    const uncalled = { ...offered, nextActionAt: null, nextActionReason: null };
    expect(planMove(uncalled, moves.resume, sam, now)).toEqual({
      refused: 'state',
      detail: 'No call-back is scheduled.',
    });
  });

  it('counts the first answer as the first contact', () => {
    const before = requestIn('enquiry', 'in_progress');
    expect(planMove(before, moves.offer, sam, now)).toMatchObject({
      changes: { state: 'offered', firstContactAt: now, lastContactAt: now },
      details: { offer: 'BESPOKE-7F3K9Q' },
    });
  });
});

describe('a move', () => {
  it.each(['win', 'lose', 'cancel', 'duplicate'] as const)(
    'that closes a scheduled order clears its next action: %s',
    (name) => {
      expect(planMove(scheduled, moves[name], sam, now)).toMatchObject({
        changes: { nextActionAt: null, nextActionReason: null, closedAt: now },
      });
    },
  );

  it.each(['logContact', 'resume', 'release'] as const)(
    'that ends the wait of a scheduled order clears its next action: %s',
    (name) => {
      expect(planMove(scheduled, moves[name], sam, now)).toMatchObject({
        changes: { nextActionAt: null, nextActionReason: null },
      });
    },
  );

  it.each([
    ['claim', waiting, 'sam'],
    ['assign', waiting, 'eve'],
    ['handOver', claimed, 'eve'],
    ['reopen', orderIn('won'), 'sam'],
    ['reopen', { ...orderIn('cancelled'), ownerId: null }, 'bo'],
  ] as const)(
    '%s counts from now for the owner that the order has then',
    (name, order, ownerId) => {
      const manager = { ...sam, id: 'bo', manager: true };
      const mover = name === 'claim' ? sam : manager;
      expect(planMove({ ...order, claimedAt: new Date(0) }, moves[name], mover, now)).toMatchObject(
        {
          changes: { ownerId, claimedAt: now },
        },
      );
    },
  );

  it.each(['handOver', 'release'] as const)(
    'to another owner forgets that this one took the order: %s',
    (name) => {
      const taken = { ...claimed, takenAt: now };
      expect(planMove(taken, moves[name], sam, now)).toMatchObject({ changes: { takenAt: null } });
    },
  );

  it.each<[what: string, OrderProgress, Move, ...names: string[]]>([
    [
      'the note of another reason is blank',
      claimed,
      { name: 'lose', reason: 'other', note: ' ' },
      'note',
    ],
    [
      'no price is confirmed',
      { ...claimed, basis: 'indicative' },
      { name: 'win' },
      'price',
      'setupPrice',
    ],
    [
      'a firm price is confirmed',
      claimed,
      { name: 'win', price: 1, setupPrice: 0 },
      'price',
      'setupPrice',
    ],
    ['the time has passed', claimed, { ...moves.schedule, nextActionAt: now }, 'nextActionAt'],
    ['the new owner owns it', { ...claimed, ownerId: 'eve' }, { ...moves.handOver }, 'ownerId'],
  ])('is refused where %s, with every fault', (_what, order, move, ...names) => {
    const manager = { ...sam, id: order.ownerId ?? '', manager: true };
    const plan = planMove(order, move, manager, now);
    const pointers = names.map((name) => ({ pointer: `/${name}` }));
    expect(plan).toMatchObject({ refused: 'content', errors: pointers });
  });

  it('keeps the reference of the order system that an earlier deal had, unless it brings another', () => {
    const before = { ...claimed, externalReference: 'CRM-1' };
    const referenceAfter = (move: Move) =>
      (planMove(before, move, sam, now) as MovePlan).changes.externalReference;
    expect([
      referenceAfter({ name: 'win' }),
      referenceAfter({ name: 'win', externalReference: 'CRM-2' }),
    ]).toEqual(['CRM-1', 'CRM-2']);
  });

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
    const won: OrderProgress = { ...claimed, state: 'won', closedAt };
    const plan = planMove(won, { name: 'reopen', reason: 'x' }, sam, now);
    expect(isRefusal(plan)).toBe(!allowed);
  });

  it('sets the time of the public state only when that changes', () => {
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
