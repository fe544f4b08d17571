/** The codes that moves carry, and their names. */
import { lowerFirst } from '../../platform/kernel/text.js';

export const contactChannelNames = {
  phone: 'Phone',
  email: 'Email',
  meeting: 'Meeting',
  other: 'Other',
} as const;
export type ContactChannel = keyof typeof contactChannelNames;

export const contactResultNames = {
  reached: 'Spoke to them',
  no_answer: 'No answer',
  voicemail: 'Left voicemail',
  emailed: 'Emailed',
  wrong_details: 'Wrong details',
} as const;
export type ContactResult = keyof typeof contactResultNames;

export const scheduleReasonNames = {
  callback_agreed: 'Call-back agreed',
  awaiting_client: 'Waiting for the client',
  awaiting_supplier: 'Waiting for a supplier',
  retry_no_answer: 'No answer so far',
} as const;
export type ScheduleReason = keyof typeof scheduleReasonNames;

/** Code of the reason why an amended order is due. */
export const AMENDED = 'amended';

/** Why the service itself makes an order due. */
export const serviceReasonNames = {
  charge_open: 'Charge awaiting an answer',
  charge_answered: 'Charge answered',
  charge_lapsed: 'Charge not answered in time',
  [AMENDED]: 'Amended',
  client_wrote: 'Client wrote',
} as const;
export type ServiceReason = keyof typeof serviceReasonNames;

/** What the owner of a scheduled order does next. */
export const nextActionNames: Readonly<Record<ScheduleReason | ServiceReason, string>> = {
  callback_agreed: 'call back',
  awaiting_client: 'chase client',
  awaiting_supplier: 'chase supplier',
  retry_no_answer: 'try again',
  charge_open: 'chase answer to charge',
  charge_answered: 'read answer to charge',
  charge_lapsed: 'chase lapsed charge',
  [AMENDED]: 'read amendment',
  client_wrote: 'read message',
};

export const lostReasonNames = {
  not_serviceable: 'Cannot be supplied there',
  price: 'Price',
  lead_time: 'Lead time',
  competitor: 'Went to a competitor',
  no_response: 'No response',
  requirements_changed: 'Requirements changed',
  invalid_details: 'Invalid details',
  other: 'Another reason',
} as const;
export type LostReason = keyof typeof lostReasonNames;

export const cancelReasonNames = {
  client_request: 'Client request',
  test_request: 'Test order',
  invalid_request: 'Invalid request',
  other: 'Another reason',
} as const;
export type CancelReason = keyof typeof cancelReasonNames;

type CodeNames = Readonly<Record<string, string>>;

export function codesOf<T extends CodeNames>(names: T): (keyof T & string)[] {
  return Object.keys(names);
}

/** "logged a contact by telephone: no answer" */
export function contactWords(channel: string, result: string): string {
  const means = lowerFirst(nameOf(contactChannelNames, channel));
  const isSaid = channel === 'other' || result === 'emailed';
  const by = channel === 'meeting' ? ' at a meeting' : isSaid ? '' : ` by ${means}`;
  return `logged a contact${by}: ${lowerFirst(nameOf(contactResultNames, result))}`;
}

const scheduled: Readonly<Record<string, string>> = {
  callback_agreed: 'a call-back',
  awaiting_client: 'a reminder to chase the client',
  awaiting_supplier: 'a reminder to chase the supplier',
  retry_no_answer: 'another try',
  charge_open: 'a reminder to chase the answer to the charge',
  charge_answered: 'a look at the answer to the charge',
  charge_lapsed: 'a look at the lapsed charge',
  [AMENDED]: 'a look at the amendment',
  client_wrote: 'a look at the message',
} satisfies Record<ScheduleReason | ServiceReason, string>;

/** "scheduled a call-back" */
export function scheduledWords(reason: string): string {
  return `scheduled ${nameOf(scheduled, reason) || 'the next step'}`;
}

/** The name of a code, or the code itself if it is unknown. */
export function nameOf(names: CodeNames, code: string): string {
  return Object.hasOwn(names, code) ? (names[code] ?? code) : code;
}
