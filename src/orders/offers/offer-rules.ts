/** What happens to the bespoke offers of one enquiry: pure functions over all of them. */
import {
  isLive,
  isOpenAt,
  type OfferProgress,
  type OfferState,
  type OfferStep,
  offerSteps,
} from '../record/offer-states.js';
import { addDays, MINUTE } from '../../platform/kernel/time.js';
import { type Calendar, londonDay, startOfLondonDay } from '../../platform/kernel/working-hours.js';

/** Calendar days for which an offer is valid, if its author names no day. */
export const USUAL_VALIDITY = 30;
/** The last day that an author can name, counted from today. */
export const LONGEST_VALIDITY = 365;

/** The day in London that many days after an instant, as `2026-12-25`. */
export function dayAfter(now: Date, days: number): string {
  return addDays(londonDay(now), days);
}

/**
 * The last instant of an offer: 23:59 in London on its last day, or on the next working day where that day
 * is none.
 * @param day as `2026-12-25`
 */
export function endOfValidity(day: string, { week, holidays }: Calendar): Date {
  let last = day;
  // The longest run without work is shorter than this, unless every day is a holiday.
  for (let n = 0; n < LONGEST_VALIDITY && !isWorkingDay(last); n += 1) last = addDays(last, 1);
  return new Date(startOfLondonDay(addDays(last, 1)).getTime() - MINUTE);

  function isWorkingDay(date: string): boolean {
    const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
    return (week[weekday]?.length ?? 0) > 0 && !holidays.has(date);
  }
}

/** What someone, or the service, does to the offers of an enquiry. */
export type OfferAction =
  /** A new answer is sent, whose offers are not among the others yet. */
  | { readonly name: 'send'; readonly needsApproval: boolean }
  | { readonly name: 'approve' | 'refuse'; readonly answer: number; readonly by: string }
  | { readonly name: 'withdraw'; readonly offerId: string }
  | { readonly name: 'accept'; readonly offerId: string }
  | { readonly name: 'decline' }
  /** The time has come for offers whose validity has ended. */
  | { readonly name: 'expire' }
  /** The enquiry has ended in another way, then. */
  | { readonly name: 'close'; readonly at: Date };

export type OfferRefusal = 'unknown' | 'expired' | 'not-open' | 'own-answer' | 'not-awaiting';

/** The new state of each offer that changes, or why nothing does. */
export type OfferChanges = ReadonlyMap<string, OfferState> | { readonly refused: OfferRefusal };

export function isRefused(changes: OfferChanges): changes is { readonly refused: OfferRefusal } {
  return 'refused' in changes;
}

/** What an action does to the offers of an enquiry. */
export function changesBy(
  offers: readonly OfferProgress[],
  action: OfferAction,
  now: Date,
): OfferChanges {
  switch (action.name) {
    case 'send':
      // The client keeps what it has until a manager approves the new answer.
      return stepAll(offers, 'replace', (offer) =>
        action.needsApproval ? offer.state === 'awaitingApproval' : true,
      );
    case 'approve':
    case 'refuse':
      return decided(offers, action, now);
    case 'withdraw': {
      const offer = offers.find(({ id }) => id === action.offerId);
      if (!offer) return { refused: 'unknown' };
      if (!isLive(offer.state)) return { refused: 'not-open' };
      return stepAll([offer], 'withdraw');
    }
    case 'accept': {
      const offer = offers.find(({ id }) => id === action.offerId);
      if (!offer || offer.state === 'awaitingApproval' || offer.state === 'refused') {
        return { refused: 'unknown' };
      }
      if (offer.state === 'expired') return { refused: 'expired' };
      if (offer.state !== 'open') return { refused: 'not-open' };
      if (!isOpenAt(offer, now)) return { refused: 'expired' };
      const others = offers.filter(({ id }) => id !== offer.id);
      return new Map([...stepAll([offer], 'accept'), ...declined(others)]);
    }
    case 'decline':
      if (!offers.some((offer) => isOpenAt(offer, now))) return { refused: 'not-open' };
      return declined(offers);
    case 'expire':
      return stepAll(offers, 'expire', ({ validUntil }) => now > validUntil);
    case 'close':
      return new Map([
        ...stepAll(offers, 'withdraw'),
        ...stepAll(
          offers,
          'expire',
          (offer) => offer.state === 'open' && !isOpenAt(offer, action.at),
        ),
      ]);
  }
}

function decided(
  offers: readonly OfferProgress[],
  { name, answer, by }: Extract<OfferAction, { name: 'approve' | 'refuse' }>,
  now: Date,
): OfferChanges {
  const waiting = offers.filter(
    (offer) => offer.answer === answer && offer.state === 'awaitingApproval',
  );
  if (waiting.length === 0) return { refused: 'not-awaiting' };
  if (waiting.some(({ createdBy }) => createdBy === by)) return { refused: 'own-answer' };
  if (name === 'refuse') return stepAll(waiting, 'refuse');
  if (waiting.some(({ validUntil }) => now > validUntil)) return { refused: 'expired' };
  const others = offers.filter((offer) => offer.answer !== answer);
  return new Map([...stepAll(waiting, 'approve'), ...stepAll(others, 'replace')]);
}

/** The client has seen the open ones only. */
function declined(offers: readonly OfferProgress[]): Map<string, OfferState> {
  const awaiting = offers.filter(({ state }) => state === 'awaitingApproval');
  return new Map([...stepAll(offers, 'decline'), ...stepAll(awaiting, 'withdraw')]);
}

/** Takes this step with each offer from whose state it leads. */
function stepAll(
  offers: readonly OfferProgress[],
  step: OfferStep,
  applies: (offer: OfferProgress) => boolean = () => true,
): Map<string, OfferState> {
  const { from, to } = offerSteps[step];
  const states: readonly OfferState[] = from;
  return new Map(
    offers
      .filter((offer) => states.includes(offer.state) && applies(offer))
      .map(({ id }) => [id, to]),
  );
}

export function changed<T extends OfferProgress>(
  offers: readonly T[],
  changes: ReadonlyMap<string, OfferState>,
): T[] {
  return offers.map((offer) => ({ ...offer, state: changes.get(offer.id) ?? offer.state }));
}

/** What follows for an enquiry that is `offered` from a change of its offers. */
export type OfferOutcome = 'stays' | 'retract' | 'expire';

/**
 * An enquiry is offered while one of its offers is open. When the last one has expired, the enquiry ends,
 * unless another answer awaits approval; otherwise staff go on with it.
 */
export function outcomeOf(after: readonly OfferProgress[], by: OfferAction): OfferOutcome {
  if (after.some(({ state }) => state === 'open')) return 'stays';
  const isAwaiting = after.some(({ state }) => state === 'awaitingApproval');
  return by.name === 'expire' && !isAwaiting ? 'expire' : 'retract';
}
