import { lowerFirst } from '../../platform/kernel/text.js';
/** What moves carry: the codes and names of each choice, and the fields with their limits. */

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

/** Why the service itself schedules an order with an extra charge. */
export const chargeReasonNames = {
  charge_open: 'Charge awaiting an answer',
  charge_answered: 'Charge answered',
  charge_lapsed: 'Charge not answered in time',
} as const;
export type ChargeReason = keyof typeof chargeReasonNames;

/** What the owner of a scheduled order does next. */
export const nextActionNames: Readonly<Record<ScheduleReason | ChargeReason, string>> = {
  callback_agreed: 'call back',
  awaiting_client: 'chase client',
  awaiting_supplier: 'chase supplier',
  retry_no_answer: 'try again',
  charge_open: 'chase answer to charge',
  charge_answered: 'read answer to charge',
  charge_lapsed: 'chase lapsed charge',
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

interface FieldWords {
  readonly label: string;
  readonly hint?: string;
  /** In the form of an enquiry, instead of `hint`. */
  readonly enquiryHint?: string;
  /** Instead of `hint` for a caller who is no client: nothing notifies them. */
  readonly callerHint?: string;
  /** The message if it is empty. A field without this is optional. */
  readonly missing?: string;
}

export type MoveField = FieldWords &
  (
    | { readonly kind: 'text' | 'long'; readonly longest: number }
    | { readonly kind: 'choice'; readonly names: CodeNames }
    | { readonly kind: 'time' | 'person' | 'order' }
    /** Only of an order whose price is to be confirmed, where it is required. */
    | { readonly kind: 'amount'; readonly of: 'price' | 'setupPrice' }
  );

const note: MoveField = { kind: 'long', label: 'Note (optional)', longest: 2_000 };
const why = { kind: 'choice', label: 'Reason' } as const;

/** The fields of all moves. */
export const fields = {
  note,
  noteForOther: { ...note, hint: '“Another reason” needs a note.' },
  noteForNewOwner: {
    kind: 'long',
    label: 'Handover note',
    missing: 'Enter a handover note.',
    longest: 2_000,
  },
  newOwner: { kind: 'person', label: 'Assign to', missing: 'Choose the new owner.' },
  contactChannel: {
    kind: 'choice',
    label: 'Channel',
    missing: 'Choose a channel.',
    names: contactChannelNames,
  },
  contactResult: {
    kind: 'choice',
    label: 'Outcome',
    missing: 'Choose an outcome.',
    names: contactResultNames,
  },
  nextActionAt: {
    kind: 'time',
    label: 'When',
    missing: 'Enter the time of the next step.',
  },
  scheduleReason: { ...why, missing: 'Choose a reason.', names: scheduleReasonNames },
  lostReason: {
    ...why,
    hint: 'If you choose “Cannot be supplied there” or “Invalid details” the client will see the order as rejected.',
    enquiryHint: 'The client will see that you are unable to provide it.',
    callerHint: 'The caller is not notified: call them.',
    missing: 'Choose a reason.',
    names: lostReasonNames,
  },
  cancelReason: { ...why, missing: 'Choose a reason.', names: cancelReasonNames },
  /** In a person's own words. */
  ownReason: { kind: 'long', label: 'Reason', missing: 'Enter a reason.', longest: 500 },
  externalReference: {
    kind: 'text',
    label: 'Reference in the order system (optional)',
    longest: 64,
  },
  confirmedPrice: { kind: 'amount', of: 'price', label: 'Confirmed monthly price, excl. VAT' },
  confirmedSetup: { kind: 'amount', of: 'setupPrice', label: 'Confirmed set-up price, excl. VAT' },
  offers: { kind: 'text', label: 'Offers', longest: 200 },
  answeredBy: { kind: 'text', label: 'Accepted by', longest: 120 },
  original: {
    kind: 'order',
    label: 'Duplicate of',
    hint: 'The reference of the original order, of the same client.',
    missing: 'Enter the reference of the original order.',
  },
} as const satisfies Record<string, MoveField>;

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
} satisfies Record<ScheduleReason | ChargeReason, string>;

/** "scheduled a call-back" */
export function scheduledWords(reason: string): string {
  return `scheduled ${nameOf(scheduled, reason) || 'the next step'}`;
}

/** The name of a code, or the code itself if it is unknown. */
export function nameOf(names: CodeNames, code: string): string {
  return Object.hasOwn(names, code) ? (names[code] ?? code) : code;
}
