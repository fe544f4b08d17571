/** The call panel: a contact, its next step and a note in one form. */
import { tooLong } from '../../platform/kernel/text.js';
import { DAY } from '../../platform/kernel/time.js';
import { londonWeekHour } from '../../platform/kernel/working-hours.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { moveWords } from '../../orders/moves/move-words.js';
import type { SentMove } from '../../orders/staff/order-actions.service.js';
import {
  type ContactChannel,
  type ContactResult,
  contactResultNames,
  type LostReason,
  lostReasonNames,
  type ScheduleReason,
} from '../../orders/moves/move-fields.js';
import type { WorkKind } from '../../orders/record/order-states.js';
import type { Form } from '../../platform/ui/forms/form.js';
import { dayOnly, fromLocalInput, toLocalInput } from '../../platform/kernel/time-words.js';
import { plainAmount } from '../../platform/ui/forms/form-spec.js';
import { fieldsOfInput, readNumber } from '../../platform/http/valid.js';
import { Win } from '../../orders/staff/moves.dto.js';
import { type CalendarNow, inWorkingHours, morningIn, startOfWork } from './order-forms.js';

interface OutcomeMeaning {
  readonly name: string;
  /** The contact with the client that is logged; none if there was none. */
  readonly contact?: { readonly channel: ContactChannel; readonly result: ContactResult };
  /** Why the next action is scheduled after it. */
  readonly reason: ScheduleReason;
}

const { reached, no_answer, voicemail, emailed, wrong_details } = contactResultNames;

/** By value; their order gives the digits. */
const outcomes = {
  reached: {
    name: reached,
    contact: { channel: 'phone', result: 'reached' },
    reason: 'callback_agreed',
  },
  no_answer: {
    name: no_answer,
    contact: { channel: 'phone', result: 'no_answer' },
    reason: 'retry_no_answer',
  },
  voicemail: {
    name: voicemail,
    contact: { channel: 'phone', result: 'voicemail' },
    reason: 'retry_no_answer',
  },
  emailed: {
    name: emailed,
    contact: { channel: 'email', result: 'emailed' },
    reason: 'awaiting_client',
  },
  wrong_details: {
    name: wrong_details,
    contact: { channel: 'phone', result: 'wrong_details' },
    reason: 'awaiting_client',
  },
  meeting: {
    name: 'Meeting',
    contact: { channel: 'meeting', result: 'reached' },
    reason: 'callback_agreed',
  },
  supplier: { name: 'Waiting for supplier', reason: 'awaiting_supplier' },
} as const satisfies Record<string, OutcomeMeaning>;

/** The greatest length of each text, in characters. */
export const longest = Object.fromEntries(
  fieldsOfInput(Win).map((field) => [field.name, field.longest]),
) as Readonly<Record<'note' | 'externalReference', number>>;

/** Leads to the note. */
export const NOTE_KEY = 'e';

/** One option of a group. */
export interface CallChoice {
  readonly value: string;
  readonly name: string;
  /** Chooses it: on the whole page, or only while its group has the focus. */
  readonly key: string;
}

export const outcomeChoices = numbered(
  Object.entries(outcomes).map(([value, { name }]) => [value, name] as const),
);
export const lostChoices = numbered(Object.entries(lostReasonNames));

function numbered(names: readonly (readonly [string, string])[]): CallChoice[] {
  return names.map(([value, name], i) => ({ value, name, key: String(i + 1) }));
}

/**
 * The options of `next`. That of the next working day is the time itself. An enquiry is won when its client
 * accepts an offer.
 */
export function nextChoices(times: CalendarNow, kind: WorkKind): CallChoice[] {
  const morning = morningIn(1, times);
  const [day = '', time = ''] = toLocalInput(morning).split('T');
  const isTomorrow = day === toLocalInput(new Date(times.now.getTime() + DAY)).slice(0, 10);
  const name = `${isTomorrow ? 'Tomorrow' : dayOnly(morning)} ${time}`;
  return [
    { value: 'hour', name: 'In 1 working hour', key: 'i' },
    { value: `${day}T${time}`, name, key: 't' },
    { value: 'day', name: 'Another day', key: 'd' },
    { value: 'pick', name: 'Pick a time', key: moveWords.schedule.key! },
    ...(kind === 'order' ? [{ value: 'win', name: 'Won', key: moveWords.win.key! }] : []),
    { value: 'lose', name: 'Lost', key: moveWords.lose.key! },
  ];
}

/** The working days of the next week. Their keys are the same each week: 1 is Monday. */
export function dayChoices({ now, calendar }: CalendarNow): CallChoice[] {
  return [1, 2, 3, 4, 5, 6, 7].flatMap((days) => {
    const at = new Date(now.getTime() + days * DAY);
    const start = startOfWork(at, calendar);
    const value = toLocalInput(start).slice(0, 10);
    if (value !== toLocalInput(at).slice(0, 10)) return [];
    return { value, name: dayOnly(start), key: String(londonWeekHour(start).weekday + 1) };
  });
}

/** Whole hours in which any day has working time; at most nine. */
export function timeChoices({ calendar }: CalendarNow): CallChoice[] {
  const hours = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) =>
    calendar.week.some((day) => day.some(({ from, to }) => from <= hour * 60 && hour * 60 < to)),
  );
  return numbered(
    hours.slice(0, 9).map((hour) => {
      const time = `${String(hour).padStart(2, '0')}:00`;
      return [time, time];
    }),
  );
}

/** What the panel was sent with. */
export interface SentCall {
  readonly faults: ReadonlyMap<string, string>;
  /** Empty for a note alone. */
  readonly moves: readonly SentMove[];
  readonly note: string;
  /** The code of the message after it: `contact-win`. */
  readonly said: string;
}

/** Whether the panel offers outcomes and next steps to this member. Everyone can add a note. */
export function canRecordCall(
  { closedAt, ownerId }: Pick<FollowUpOrder, 'closedAt' | 'ownerId'>,
  { staffId }: StaffCaller,
): boolean {
  return closedAt === null && ownerId === staffId;
}

/**
 * Reads the panel: which moves it makes, or its faults by field.
 * @param offersSteps whether the panel has more than the note
 * @param confirms whether the price of the order is to be confirmed before it is won
 */
export function readCall(
  form: Form,
  times: CalendarNow,
  offersSteps: boolean,
  confirms = false,
): SentCall {
  const faults = new Map<string, string>();
  const text = (name: keyof typeof longest) => {
    const value = form.text(name);
    const { [name]: most } = longest;
    if (value.length > most) faults.set(name, tooLong(most, value));
    return value;
  };
  const note = text('note');
  const outcome = codeIn(form, 'outcome', outcomes, faults);
  const step = readStep(form, times, outcome, faults);
  const win = step?.name === 'win' && confirms ? { ...step, ...readPrices(form, faults) } : null;
  if (step?.name === 'lose' && step.reason === 'other' && note === '') {
    faults.set('note', 'Add a note to explain the reason.');
  }
  if (step?.name === 'win') text('externalReference');
  if (!outcome && !step && note === '' && faults.size === 0) {
    if (offersSteps) faults.set('outcome', 'Choose an outcome or a next step, or write a note.');
    else faults.set('note', 'Write a note.');
  }
  const withNote = note === '' ? {} : { note };
  const explainsLoss = step?.name === 'lose';
  const meaning: OutcomeMeaning | null = outcome && outcomes[outcome];
  if (meaning && !meaning.contact && step?.name !== 'schedule' && faults.size === 0) {
    faults.set('next', 'Choose when to chase the supplier.');
  }
  const contact: SentMove | null = meaning?.contact
    ? { name: 'logContact', ...meaning.contact, ...(!explainsLoss && withNote) }
    : null;
  const next: SentMove | null = step && {
    ...(win ?? step),
    ...((explainsLoss || !contact) && withNote),
  };
  const moves = [contact, next].filter((move) => move !== null);
  const said = [contact && 'contact', next?.name].filter(Boolean).join('-') || 'note';
  return { faults, moves, note, said };
}

type Step =
  | { name: 'schedule'; nextActionAt: Date; reason: ScheduleReason }
  | { name: 'win'; externalReference?: string; price?: number; setupPrice?: number }
  | { name: 'lose'; reason: LostReason };

/** The prices that were confirmed, with the call in which the order is won. */
function readPrices(form: Form, faults: Map<string, string>) {
  const amount = (name: 'price' | 'setupPrice') => {
    const value = readNumber(plainAmount(form.text(name)));
    if (typeof value === 'number' && value >= 0) return value;
    faults.set(name, 'Enter the amount that the client has confirmed, such as 249.50.');
    return 0;
  };
  return { price: amount('price'), setupPrice: amount('setupPrice') };
}

function readStep(
  form: Form,
  times: CalendarNow,
  outcome: keyof typeof outcomes | null,
  faults: Map<string, string>,
): Step | null {
  const next = form.text('next');
  if (next === '') return null;
  if (next === 'win') {
    const externalReference = form.text('externalReference');
    return { name: 'win', ...(externalReference !== '' && { externalReference }) };
  }
  if (next === 'lose') {
    const reason = codeIn(form, 'reason', lostReasonNames, faults);
    if (!reason && !faults.has('reason')) faults.set('reason', 'Choose a reason.');
    return reason && { name: 'lose', reason };
  }
  const nextActionAt = readTime(form, next, times, faults);
  if (!nextActionAt) return null;
  const reason = outcome ? outcomes[outcome].reason : 'callback_agreed';
  return { name: 'schedule', nextActionAt, reason };
}

/** The time of the next action, in the future. */
function readTime(
  form: Form,
  next: string,
  times: CalendarNow,
  faults: Map<string, string>,
): Date | null {
  if (next === 'hour') return inWorkingHours(1, times);
  const [field, typed, missing] =
    next === 'day'
      ? readDay(form)
      : next === 'pick'
        ? (['at', form.text('at'), 'Enter the time of the next step.'] as const)
        : (['next', next, 'Choose an option from the list.'] as const);
  const at = fromLocalInput(typed);
  if (!at) faults.set(field, missing);
  else if (at <= times.now) faults.set(field, 'Choose a time in the future.');
  return at;
}

/** The chosen day and time, and what to say of the one that is missing. */
function readDay(form: Form) {
  const [day, time] = [form.text('day'), form.text('time')];
  const typed = `${day}T${time}`;
  return day !== '' && time === ''
    ? (['time', typed, 'Choose a time.'] as const)
    : (['day', typed, 'Choose a day.'] as const);
}

/** The code in a field; null if it is empty or invalid. */
function codeIn<T extends string>(
  form: Form,
  name: string,
  codes: Readonly<Record<T, unknown>>,
  faults: Map<string, string>,
): T | null {
  const value = form.text(name);
  if (value === '') return null;
  if (Object.hasOwn(codes, value)) return value as T;
  faults.set(name, 'Choose an option from the list.');
  return null;
}
