/** The words of the staff pages for codes of the API. */
import { priceInWords } from '../../platform/kernel/money.js';
import { isDirectClient } from '../../clients/api-client.entity.js';
import type { FollowUpOrder } from './follow-up.dto.js';
import {
  AMENDED,
  cancelReasonNames,
  lostReasonNames,
  nameOf,
  nextActionNames,
} from '../moves/move-fields.js';
import { lowerFirst } from '../../platform/kernel/text.js';
import { hasOwnReason } from './move-bodies.js';
import { isUnread } from '../moves/move-rules.js';
import { moveByAction, moveWords, undoneWords } from '../moves/move-words.js';
import { stateInfo } from '../record/order-states.js';
import {
  type Calendar,
  workingDay,
  workingTimeBetween,
} from '../../platform/kernel/working-hours.js';
import { DAY, MINUTE } from '../../platform/kernel/time.js';
import { ago, dayOnly, shortTime, duration, isKnown } from '../../platform/kernel/time-words.js';
import { counted } from '../../platform/kernel/counts.js';

/** Deadlines in words, as remaining working time. */
/** Working time is counted over at most two weeks, which bounds the effort. */
const HORIZON = 14 * DAY;

/** "due in 1 h 20 min", "late by 2 d": the working time between `now` and `due`. Outside working hours, "due Mon 23 Nov, 09:10". */
export function deadlineWords(due: Date, now: Date, calendar: Calendar): string {
  if (!isKnown(due)) return 'due at an unknown time';
  const late = due <= now;
  const [from, to] = late ? [due, now] : [now, due];
  const far = to.getTime() - from.getTime() > HORIZON;
  const end = far ? new Date(from.getTime() + HORIZON) : to;
  const span = workingTimeBetween(from, end, calendar);
  const day = workingDay(calendar);
  const days = Math.floor(span / day);
  const words = far || days > 2 ? `${Math.max(days, 1)} d` : duration(span, day);
  const isClosed = workingTimeBetween(now, new Date(now.getTime() + MINUTE), calendar) === 0;
  // The list would say "Due in 9 min" all night.
  if (isClosed && !late && span < day) return `due ${shortTime(due, now)}`;
  return `${late ? 'late by' : 'due in'} ${far ? 'more than ' : ''}${words}`;
}

const closeReasonNames = {
  ...lostReasonNames,
  ...cancelReasonNames,
  declined: 'Offer declined',
  offer_expired: 'Offer expired',
};

/** Who asks: the client; of Direct enquiries, the caller. */
export function askerOf({ client, contact }: FollowUpOrder): string {
  return (isDirectClient(client) && contact.name) || client.name;
}

export interface StatusWords {
  readonly state: string;
  /** The next action as part of a sentence: "call back Mon 23 Nov, 10:00"; of a closed order its end. */
  readonly next: string;
  /** The same for two lines of a table: "Mon 23 Nov, 10:00" and "call back". */
  readonly when: string;
  readonly what: string;
  readonly tone: 'late' | 'soon' | '';
}

export function statusWords(order: FollowUpOrder, now: Date, calendar: Calendar): StatusWords {
  const { name: state } = stateInfo[order.state];
  if (isUnread(order) && order.nextActionAt !== null) {
    const what = ago(order.nextActionAt, now) ?? shortTime(order.nextActionAt, now);
    const when = order.nextActionReason === AMENDED ? 'Amended' : 'Client wrote';
    return { state, next: `${lowerFirst(when)} ${what}`, when, what, tone: 'late' };
  }
  if (order.closedAt !== null) {
    const what =
      order.closeReason === null ? '' : lowerFirst(nameOf(closeReasonNames, order.closeReason));
    const when = shortTime(order.closedAt, now);
    return { state, next: what === '' ? when : `${what}, ${when}`, when, what, tone: '' };
  }
  const untouched = order.firstContactAt === null;
  const deadline = untouched ? deadlineWords(order.firstContactDueAt, now, calendar) : '';
  const tone = order.late || order.due ? 'late' : order.nearlyLate ? 'soon' : '';
  if (order.nextActionAt !== null) {
    const long = now.getTime() - order.nextActionAt.getTime() > DAY;
    const when = long ? dayOnly(order.nextActionAt) : shortTime(order.nextActionAt, now);
    const why = nameOf(nextActionNames, order.nextActionReason ?? '') || 'comes back';
    const also = order.late ? `; first contact ${deadline}` : '';
    const next = `${order.due ? `${why}, overdue since ${when}` : `${why} on ${when}`}${also}`;
    return { state, next, when, what: `${why}${order.due ? ', overdue' : ''}${also}`, tone };
  }
  if (untouched) {
    const next = order.state === 'waiting' ? deadline : `first contact ${deadline}`;
    return { state, next, when: deadline, what: 'first contact', tone };
  }
  const { contactAttempts } = order;
  const times = counted(contactAttempts, 'contact');
  const when = order.state === 'offered' ? 'offer is open' : 'no next step';
  return { state, next: times, when, what: times, tone };
}

/** An entry of the trail about an order. */
interface ActionEntry {
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** "an offer: BESPOKE-1", "offers: BESPOKE-1, BESPOKE-2" */
function aboutOffers(text: (name: string) => string): string {
  const references = text('offer');
  if (references === '') return 'an offer';
  return `${references.includes(',') ? 'offers' : 'an offer'}: ${references}`;
}

const otherEntries: Readonly<Record<string, (text: (name: string) => string) => string>> = {
  received: (text) => {
    const isEnquiry = text('kind') === 'enquiry';
    if (text('source') === 'telephone') {
      return isEnquiry ? 'logged this enquiry during a call' : 'took this order by phone';
    }
    return isEnquiry ? 'sent the enquiry' : 'placed the order request';
  },
  offer_submitted: (text) => `asked for approval of ${aboutOffers(text)}`,
  offer_approved: (text) => `approved ${aboutOffers(text)}`,
  offer_refused: (text) => `did not approve ${aboutOffers(text)}`,
  offer_withdrawn: (text) => `withdrew ${aboutOffers(text)}`,
  offered: (text) => `sent ${aboutOffers(text)}`,
  offer_accepted: (text) => {
    const by = text('answeredBy');
    return `${by === '' ? '' : `recorded that ${by} `}accepted ${aboutOffers(text)}`;
  },
  offer_declined: (text) => `declined ${aboutOffers(text)}`,
  offer_expired: (text) =>
    `closed this, because nothing was accepted in time: ${aboutOffers(text)}`,
  offer_retracted: (text) => `withdrew the last open offer: ${aboutOffers(text)}`,
  noted: () => 'added a note',
  message_received: (text) =>
    text('answersWaiting') === 'true' ? 'answered what the delivery waits for' : 'wrote',
  amended: (text) => `amended this: ${text('changes')}`,
  charge_proposed: (text) => `proposed an extra charge: ${chargeWords(text)}`,
  charge_accepted: (text) => `${answerWords(text, 'accepted')}: ${chargeWords(text)}`,
  charge_rejected: (text) => `${answerWords(text, 'rejected')}: ${chargeWords(text)}`,
  charge_lapsed: (text) => `ended an extra charge without an answer: ${chargeWords(text)}`,
  charge_withdrawn: (text) => `withdrew an extra charge: ${chargeWords(text)}`,
  delivery_changed: (text) => `changed the delivery: ${deliveryWords(text)}`,
  client_reminded: () => 'reminded the client of what this waits for',
  cancellation_requested: () => 'asked to cancel the accepted order',
  cancellation_refused: () => 'refused to cancel the accepted order',
  undone: (text) => `undid “${undoneWords(text('undone'))}”`,
};

type DetailText = (name: string) => string;

/** Surveyed: 2026-09-28; committed for 2026-12-04; waiting for the client (a site contact) */
export function deliveryWords(text: DetailText): string {
  const part = (name: string, before: string) =>
    text(name) === '' ? [] : [`${before}${text(name)}`];
  return [
    ...part('milestones', ''),
    ...part('committedDate', 'committed for '),
    ...part('waitingFor', 'waiting for '),
    ...part('serviceId', 'service '),
  ].join('; ');
}

function chargeWords(text: DetailText): string {
  return `${text('category')}, ${amountInWords(text('amount'))}`;
}

/** `£250.00` for the `250.00 GBP` of an entry of the trail. */
export function amountInWords(printed: string): string {
  const [, amount, currency] = /^(\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(printed) ?? [];
  return currency === undefined ? printed : priceInWords(Number(amount), currency);
}

function answerWords(text: DetailText, answer: string): string {
  const by = text('answeredBy');
  switch (text('source')) {
    case 'telephone':
      return `recorded that ${by} ${answer} an extra charge`;
    case 'in advance':
      return `${answer} an extra charge, as the order asks`;
    default:
      return `${answer} an extra charge${by === '' ? '' : ` (${by})`}`;
  }
}

/** An action without its actor: "claimed this", "handed this over to Kim". */
export function actionWords({ action, details }: ActionEntry): string {
  const text = (name: string) => {
    const value = details[name];
    return typeof value === 'string' || value === true ? String(value) : '';
  };
  const move = moveByAction(action);
  if (move === undefined) return otherEntries[action]?.(text) ?? action.replaceAll('_', ' ');
  const { past } = moveWords[move];
  if (typeof past === 'function') return past(text);
  const to = text('ownerName') ? ` to ${text('ownerName')}` : '';
  const because =
    text('reason') && !hasOwnReason(move)
      ? `: ${lowerFirst(nameOf(closeReasonNames, text('reason')))}`
      : '';
  return `${past}${to}${because}`;
}

/** The note of an entry, or a reason in the person's own words. */
export function commentOf({ action, details }: ActionEntry): string {
  const move = moveByAction(action);
  const own = move !== undefined && hasOwnReason(move) ? details.reason : details.note;
  const text = own ?? details.text;
  return typeof text === 'string' ? text : '';
}
