import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changed, changesBy, isRefused, type OfferAction, outcomeOf } from './offer-rules.js';
import {
  isLive,
  isOpenAt,
  type OfferProgress,
  offerStates,
  offerSteps,
} from '../record/offer-states.js';

const now = new Date('2026-03-02T09:00:00Z');
const at = (day: number) => new Date(now.getTime() + day * 86_400_000);

function offer(about: Partial<OfferProgress> = {}): OfferProgress {
  return { id: 'a', answer: 1, state: 'open', validUntil: at(30), createdBy: 'ada', ...about };
}

const states = (offers: readonly OfferProgress[]) =>
  Object.fromEntries(offers.map(({ id, state }) => [id, state]));

function after(offers: readonly OfferProgress[], action: OfferAction, when = now) {
  const changes = changesBy(offers, action, when);
  return isRefused(changes) ? changes.refused : states(changed(offers, changes));
}

describe('the states of an offer', () => {
  it('are all reached, and the ended ones are never left', () => {
    const reached = Object.values(offerSteps).map(({ to }) => to);
    expect(new Set(['awaitingApproval', ...reached])).toEqual(new Set(offerStates));
    for (const { from } of Object.values(offerSteps)) expect(from.every(isLive)).toBe(true);
  });
});

describe('the offers of an enquiry', () => {
  const both = [offer(), offer({ id: 'b' })];

  it('are declined when the client accepts another one', () => {
    expect(after(both, { name: 'accept', offerId: 'b' })).toEqual({ a: 'declined', b: 'accepted' });
  });

  it('are all declined when the client declines', () => {
    expect(after(both, { name: 'decline' })).toEqual({ a: 'declined', b: 'declined' });
  });

  it('are not approved where one of them has expired meanwhile', () => {
    const [one, other] = both.map((of) => ({ ...of, state: 'awaitingApproval' as const }));
    const approve = { name: 'approve', answer: 1, by: 'grace' } as const;
    const answer = [one!, { ...other!, validUntil: at(1) }];
    expect(after(answer, approve, at(1))).toEqual({ a: 'open', b: 'open' });
    expect(after(answer, approve, at(2))).toBe('expired');
  });

  it('cannot be accepted after their last instant', () => {
    const accept = { name: 'accept', offerId: 'a' } as const;
    expect(after(both, accept, at(30))).toEqual({ a: 'accepted', b: 'declined' });
    expect(after(both, accept, new Date(at(30).getTime() + 1))).toBe('expired');
    expect(after(both, { name: 'decline' }, at(31))).toBe('not-open');
  });

  it.each([
    ['withdrawn', 'not-open'],
    ['replaced', 'not-open'],
    ['accepted', 'not-open'],
    ['declined', 'not-open'],
    ['expired', 'expired'],
    // The client must not learn of offers that no one approved.
    ['awaitingApproval', 'unknown'],
    ['refused', 'unknown'],
  ] as const)('cannot be accepted once they are %s', (state, refused) => {
    expect(after([offer({ state })], { name: 'accept', offerId: 'a' })).toBe(refused);
  });

  it('stay open until the next answer is approved', () => {
    const sent = [offer(), offer({ id: 'b', answer: 2, state: 'awaitingApproval' })];
    expect(after([offer()], { name: 'send', needsApproval: true })).toEqual({ a: 'open' });
    expect(after([offer()], { name: 'send', needsApproval: false })).toEqual({ a: 'replaced' });
    const approve = { name: 'approve', answer: 2, by: 'grace' } as const;
    expect(after(sent, approve)).toEqual({ a: 'replaced', b: 'open' });
    expect(after(sent, { ...approve, name: 'refuse' })).toEqual({ a: 'open', b: 'refused' });
    expect(after(sent, { ...approve, by: 'ada' })).toBe('own-answer');
    expect(after(sent, { ...approve, name: 'refuse', by: 'ada' })).toBe('own-answer');
    expect(after(sent, approve, at(30))).toEqual({ a: 'replaced', b: 'open' });
    expect(after(sent, approve, at(31))).toBe('expired');
    expect(after([offer()], { ...approve, answer: 1 })).toBe('not-awaiting');
  });

  it('end the enquiry when the last one expires, unless an answer awaits approval', () => {
    const expire = { name: 'expire' } as const;
    const gone = offer({ state: 'expired' });
    expect(outcomeOf([gone, offer({ id: 'b' })], expire)).toBe('stays');
    expect(outcomeOf([gone], expire)).toBe('expire');
    expect(outcomeOf([gone, offer({ id: 'b', state: 'awaitingApproval' })], expire)).toBe(
      'retract',
    );
    expect(outcomeOf([offer({ state: 'withdrawn' })], { name: 'withdraw', offerId: 'a' })).toBe(
      'retract',
    );
  });
});

/** A random step of the model. */
type Step =
  | { readonly do: 'send'; readonly lines: number; readonly needsApproval: boolean; by: string }
  | { readonly do: 'wait'; readonly days: number }
  | { readonly do: OfferAction['name']; readonly pick: number; readonly by: string };

const people = fc.constantFrom('ada', 'grace', 'mary');
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('send' as const),
    lines: fc.integer({ min: 1, max: 5 }),
    needsApproval: fc.boolean(),
    by: people,
  }),
  fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 20 }) }),
  fc.record({
    do: fc.constantFrom<OfferAction['name'][]>(
      'approve',
      'refuse',
      'withdraw',
      'accept',
      'decline',
      'expire',
      'close',
    ),
    pick: fc.nat(),
    by: people,
  }),
);

describe('any sequence of actions', () => {
  it('keeps the rules of offers', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 40 }), (sequence) => {
        let day = 0;
        let offers: OfferProgress[] = [];
        let accepted = 0;
        for (const step of sequence) {
          if (step.do === 'wait') {
            day += step.days;
            continue;
          }
          const before = offers;
          const action = actionOf(step, offers);
          const changes = changesBy(offers, action, at(day));
          if (isRefused(changes)) continue;
          offers = changed(offers, changes);
          if (step.do === 'send' && 'lines' in step)
            offers = [...offers, ...sent(step, offers, day)];

          for (const { id, state } of before) {
            if (!isLive(state)) expect(states(offers)[id]).toBe(state);
          }
          const open = offers.filter(({ state }) => state === 'open');
          const awaiting = offers.filter(({ state }) => state === 'awaitingApproval');
          expect(new Set(open.map(({ answer }) => answer)).size).toBeLessThan(2);
          expect(new Set(awaiting.map(({ answer }) => answer)).size).toBeLessThan(2);
          if (action.name === 'accept') {
            accepted += 1;
            const chosen = before.find(({ id }) => id === action.offerId)!;
            expect(isOpenAt(chosen, at(day))).toBe(true);
          }
          if (action.name === 'approve') {
            const opened = open.filter(({ id }) => states(before)[id] !== 'open');
            expect(opened.length).toBeGreaterThan(0);
            expect(opened.map(({ createdBy }) => createdBy)).not.toContain(action.by);
          }
          if (['accept', 'decline', 'close'].includes(action.name)) {
            expect(offers.some(({ state }) => isLive(state))).toBe(false);
          }
          // The model sends no answer to an enquiry that has ended.
          if (accepted > 0) break;
        }
        const won = offers.filter(({ state }) => state === 'accepted');
        expect(won).toHaveLength(accepted);
      }),
      { numRuns: 500 },
    );
  });
});

function actionOf(
  step: Exclude<Step, { do: 'wait' }>,
  offers: readonly OfferProgress[],
): OfferAction {
  if ('lines' in step) return { name: 'send', needsApproval: step.needsApproval };
  const { id: offerId = 'none', answer = 0 } = offers[step.pick % offers.length] ?? {};
  switch (step.do) {
    case 'approve':
    case 'refuse':
      return { name: step.do, answer, by: step.by };
    case 'withdraw':
    case 'accept':
      return { name: step.do, offerId };
    case 'decline':
    case 'expire':
      return { name: step.do };
    case 'close':
      return { name: step.do, at: now };
    case 'send':
      return { name: 'send', needsApproval: false };
  }
}

function sent(
  { lines, needsApproval, by }: Extract<Step, { lines: number }>,
  offers: readonly OfferProgress[],
  day: number,
): OfferProgress[] {
  const answer = Math.max(0, ...offers.map((one) => one.answer)) + 1;
  return Array.from({ length: lines }, (_, i) => ({
    id: `${answer}-${i}`,
    answer,
    state: needsApproval ? ('awaitingApproval' as const) : ('open' as const),
    validUntil: at(day + 30),
    createdBy: by,
  }));
}
