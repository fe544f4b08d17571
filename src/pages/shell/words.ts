/** What the staff's pages call what the interface calls by a code. */
import type { FollowUpOrder, View } from '../../follow-up/follow-up.dto.js';
import type { TimelineEntry } from '../../follow-up/queue/detail.dto.js';
import type { StaffRole } from '../../access/scopes.js';
import type { Calendar } from '../../kernel/working-hours.js';
import { deadlineWords } from './deadline.js';
import { dayOnly, shortTime } from './times.js';

type Words = Readonly<Record<string, string>>;

export const roleNames: Readonly<Record<StaffRole, string>> = {
  agent: 'Agent',
  manager: 'Manager',
  admin: 'Administrator',
};

export const viewNames: Readonly<Record<View, string>> = {
  waiting: 'Waiting',
  mine: 'Mine',
  due: 'Due',
  'nearly-late': 'Nearly late',
  late: 'Late',
  open: 'All open',
  closed: 'Closed',
  all: 'All orders',
};

export const stateNames: Words = {
  waiting: 'Waiting',
  in_progress: 'In progress',
  scheduled: 'Scheduled',
  won: 'Won',
  lost: 'Lost',
  cancelled: 'Cancelled',
  duplicate: 'Duplicate',
};

export const channelNames: Words = {
  phone: 'Telephone',
  email: 'E-mail',
  meeting: 'Meeting',
  other: 'Another way',
};

export const resultNames: Words = {
  reached: 'Reached them',
  no_answer: 'No answer',
  voicemail: 'Left a message',
  emailed: 'Sent an e-mail',
  wrong_details: 'Number or address is wrong',
};

export const scheduleReasonNames: Words = {
  callback_agreed: 'Call-back agreed',
  awaiting_client: 'Waiting for the client',
  awaiting_supplier: 'Waiting for a supplier',
  retry_no_answer: 'Try again, no answer so far',
};

export const lostReasonNames: Words = {
  not_serviceable: 'Cannot be supplied there',
  price: 'Price',
  lead_time: 'Lead time',
  competitor: 'Went to a competitor',
  no_response: 'No response',
  requirements_changed: 'Requirements have changed',
  invalid_details: 'Details are not valid',
  other: 'Another reason',
};

export const cancelReasonNames: Words = {
  client_request: 'The client asked for it',
  test_request: 'It was a test',
  invalid_request: 'It was no proper request',
  other: 'Another reason',
};

/** A code of any of these lists in words; a code that none has, as it is. */
export function reasonWords(code: string): string {
  return scheduleReasonNames[code] ?? lostReasonNames[code] ?? cancelReasonNames[code] ?? code;
}

/** What an order waits for, as its row says it. `tone`: whether that is late, or soon. */
export interface Standing {
  readonly state: string;
  readonly next: string;
  readonly tone: 'late' | 'soon' | '';
}

export function standingOf(order: FollowUpOrder, now: Date, calendar: Calendar): Standing {
  const state = stateNames[order.state] ?? order.state;
  if (order.closedAt !== null) {
    const why = order.closeReason === null ? '' : `${lower(reasonWords(order.closeReason))}, `;
    return { state, next: `${why}${shortTime(order.closedAt, now)}`, tone: '' };
  }
  const untouched = order.firstContactAt === null;
  const deadline = untouched ? deadlineWords(order.firstContactDueAt, now, calendar) : '';
  const tone = order.late ? 'late' : order.nearlyLate || order.due ? 'soon' : '';
  if (order.nextActionAt !== null) {
    const long = now.getTime() - order.nextActionAt.getTime() > 86_400_000;
    const time = long ? dayOnly(order.nextActionAt) : shortTime(order.nextActionAt, now);
    const why = nextActionNames[order.nextActionReason ?? ''] ?? 'comes back';
    const next = order.due ? `${why}, due since ${time}` : `${why} ${time}`;
    return { state, next: order.late ? `${next}; first contact ${deadline}` : next, tone };
  }
  if (untouched) {
    const next = order.state === 'waiting' ? deadline : `first contact ${deadline}`;
    return { state, next, tone };
  }
  const { contactAttempts } = order;
  const times = contactAttempts === 1 ? '1 contact' : `${contactAttempts} contacts`;
  return { state, next: times, tone };
}

const nextActionNames: Words = {
  callback_agreed: 'call back',
  awaiting_client: 'ask the client',
  awaiting_supplier: 'ask the supplier',
  retry_no_answer: 'try again',
};

/** What somebody did, without the name: "claimed this", "handed this over to Kim". */
export function deedWords({ action, details }: Pick<TimelineEntry, 'action' | 'details'>): string {
  const text = (name: string) => {
    const value = details[name];
    return typeof value === 'string' ? value : '';
  };
  const to = text('ownerName') ? ` to ${text('ownerName')}` : '';
  const because = text('reason') ? `: ${lower(reasonWords(text('reason')))}` : '';
  switch (action) {
    case 'received':
      return text('source') === 'telephone'
        ? 'placed the order request for the client, on the telephone'
        : 'placed the order request';
    case 'claimed':
      return 'claimed this';
    case 'assigned':
      return `assigned this${to}`;
    case 'contact_logged':
      return contactWords(text('channel'), text('result'));
    case 'scheduled':
      return `scheduled the next action${because}`;
    case 'resumed':
      return 'took this up again';
    case 'handed_over':
      return `handed this over${to}`;
    case 'released':
      return 'gave this back to the queue';
    case 'won':
      return 'closed this as won';
    case 'lost':
      return `closed this as lost${because}`;
    case 'cancelled':
      return `cancelled this${because}`;
    case 'marked_duplicate':
      return 'closed this as a duplicate';
    case 'reopened':
      return 'reopened this';
    case 'noted':
      return 'added a note';
    default:
      return action.replaceAll('_', ' ');
  }
}

function contactWords(channel: string, result: string): string {
  const means = lower(channelNames[channel] ?? channel);
  const by = channel === 'meeting' ? 'at a meeting' : channel === 'other' ? '' : `by ${means}`;
  const came = lower(resultNames[result] ?? result);
  return `logged a contact${by && ` ${by}`}: ${came}`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** What was said with a deed: a note, or a reason in a person's own words. */
export function saidWith({ action, details }: Pick<TimelineEntry, 'action' | 'details'>): string {
  const own = action === 'released' || action === 'reopened' ? details.reason : details.note;
  return typeof own === 'string' ? own : '';
}
