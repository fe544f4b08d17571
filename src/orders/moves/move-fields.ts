/** What moves carry: the codes of each choice and their names, and the fields with their limits. */

export const contactChannelNames = {
  phone: 'Telephone',
  email: 'E-mail',
  meeting: 'Meeting',
  other: 'Another way',
} as const;
export type ContactChannel = keyof typeof contactChannelNames;

export const contactResultNames = {
  reached: 'Reached them',
  no_answer: 'No answer',
  voicemail: 'Left a message',
  wrong_details: 'Number or address is wrong',
  emailed: 'Sent an e-mail',
} as const;
export type ContactResult = keyof typeof contactResultNames;

export const scheduleReasonNames = {
  callback_agreed: 'Call-back agreed',
  awaiting_client: 'Waiting for the client',
  awaiting_supplier: 'Waiting for a supplier',
  retry_no_answer: 'Try again, no answer so far',
} as const;
export type ScheduleReason = keyof typeof scheduleReasonNames;

/** What the owner of a scheduled order does next. */
export const nextActionNames: Readonly<Record<ScheduleReason, string>> = {
  callback_agreed: 'call back',
  awaiting_client: 'ask the client',
  awaiting_supplier: 'ask the supplier',
  retry_no_answer: 'try again',
};

export const lostReasonNames = {
  not_serviceable: 'Cannot be supplied there',
  price: 'Price',
  lead_time: 'Lead time',
  competitor: 'Went to a competitor',
  no_response: 'No response',
  requirements_changed: 'Requirements have changed',
  invalid_details: 'Details are not valid',
  other: 'Another reason',
} as const;
export type LostReason = keyof typeof lostReasonNames;

export const cancelReasonNames = {
  client_request: 'The client asked for it',
  test_request: 'It was a test',
  invalid_request: 'It was no proper request',
  other: 'Another reason',
} as const;
export type CancelReason = keyof typeof cancelReasonNames;

type Names = Readonly<Record<string, string>>;

/** The codes of a choice, in the order in which pages list them. */
export function codesOf<T extends Names>(names: T): (keyof T & string)[] {
  return Object.keys(names);
}

interface FieldWords {
  readonly label: string;
  readonly hint?: string;
  /** The message where it is left empty; a field without this is optional. */
  readonly missing?: string;
}

/** One thing that a move carries. */
export type MoveField = FieldWords &
  (
    | { readonly kind: 'text' | 'long'; readonly longest: number }
    | { readonly kind: 'choice'; readonly names: Names }
    | { readonly kind: 'time' | 'person' | 'order' }
  );

const note: MoveField = { kind: 'long', label: 'Note (optional)', longest: 2_000 };
const why = { kind: 'choice', label: 'Why' } as const;

/** The fields of all moves. */
export const fields = {
  note,
  noteForOther: { ...note, hint: '“Another reason” needs a note.' },
  noteForNewOwner: {
    kind: 'long',
    label: 'What the next person should know',
    missing: 'Say what the next person should know.',
    longest: 2_000,
  },
  newOwner: { kind: 'person', label: 'To whom', missing: 'Choose who gets it.' },
  contactChannel: {
    kind: 'choice',
    label: 'How',
    missing: 'Choose how you contacted them.',
    names: contactChannelNames,
  },
  contactResult: {
    kind: 'choice',
    label: 'What came of it',
    missing: 'Choose what came of it.',
    names: contactResultNames,
  },
  nextActionAt: {
    kind: 'time',
    label: 'When',
    hint: 'London time.',
    missing: 'Say when it comes back.',
  },
  scheduleReason: { ...why, missing: 'Choose why it waits.', names: scheduleReasonNames },
  lostReason: {
    ...why,
    hint: 'By “Cannot be supplied there” and “Details are not valid” the client sees a rejection.',
    missing: 'Choose why it was lost.',
    names: lostReasonNames,
  },
  cancelReason: { ...why, missing: 'Choose why it is cancelled.', names: cancelReasonNames },
  /** In a person's own words. */
  ownReason: { kind: 'long', label: 'Why', missing: 'Say why.', longest: 500 },
  externalReference: {
    kind: 'text',
    label: 'Reference in the order system (optional)',
    longest: 64,
  },
  original: {
    kind: 'order',
    label: 'Of which order',
    hint: 'The reference of the order that stays, of the same client.',
    missing: 'Say of which order.',
  },
} as const satisfies Record<string, MoveField>;

/** "logged a contact by telephone: no answer" */
export function contactWords(channel: string, result: string): string {
  const means = lowerFirst(nameOf(contactChannelNames, channel));
  const by = channel === 'meeting' ? ' at a meeting' : channel === 'other' ? '' : ` by ${means}`;
  return `logged a contact${by}: ${lowerFirst(nameOf(contactResultNames, result))}`;
}

/** The name of a code; of a code that the list does not have, the code. */
export function nameOf(names: Names, code: string): string {
  return Object.hasOwn(names, code) ? (names[code] ?? code) : code;
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
