/** The forms with which staff move an order: what each asks for, and how what was typed is read. */
import { addWorkingTime, type Calendar } from '../../kernel/working-hours.js';
import type { FollowUpOrder } from '../../follow-up/follow-up.dto.js';
import type { StaffPerson } from '../../follow-up/moves/moves.dto.js';
import {
  cancelReasons,
  contactChannels,
  contactResults,
  lostReasons,
  type MoveName,
  scheduleReasons,
} from '../../orders/moves/order-state.js';
import type { Choice, Faults } from '../forms/fields.js';
import type { Form } from '../forms/form.js';
import { fromLocalInput, toLocalInput } from '../shell/times.js';
import {
  cancelReasonNames,
  channelNames,
  lostReasonNames,
  resultNames,
  scheduleReasonNames,
} from '../shell/words.js';

/** What the choices and the first values of a form depend on. */
export interface FormContext {
  readonly order: FollowUpOrder;
  readonly people: readonly StaffPerson[];
  /** References of orders that this one may repeat. */
  readonly twins: readonly string[];
  readonly now: Date;
  readonly calendar: Calendar;
}

interface Asked {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** What is said where it is left empty; a field without this may be. */
  readonly missing?: string;
}

export type Field =
  | (Asked & { readonly kind: 'text' | 'long'; readonly longest: number })
  | (Asked & { readonly kind: 'time' })
  | (Asked & { readonly kind: 'reference' })
  | (Asked & { readonly kind: 'choice'; readonly choices: (about: FormContext) => Choice[] });

export const movePaths = [
  'claim',
  'contact',
  'schedule',
  'resume',
  'hand-over',
  'release',
  'win',
  'lose',
  'cancel',
  'duplicate',
  'reopen',
  'note',
  'assign',
] as const;
export type MovePath = (typeof movePaths)[number];

export interface MoveForm {
  /** Of the state table; null: a note is no move. */
  readonly move: MoveName | null;
  /** On the page of the order. */
  readonly action: string;
  /** Over the form. */
  readonly title: string;
  readonly intro?: string;
  readonly button: string;
  readonly key?: string;
  readonly fields: readonly Field[];
}

const note = (label = 'Note', hint?: string): Field => ({
  kind: 'long',
  name: 'note',
  label: `${label} (optional)`,
  ...(hint !== undefined && { hint }),
  longest: 2_000,
});

const fromList = (codes: readonly string[], names: Readonly<Record<string, string>>) => () =>
  codes.map((value) => ({ value, name: names[value] ?? value }));

const person: Field = {
  kind: 'choice',
  name: 'ownerId',
  label: 'To whom',
  missing: 'Choose who gets it.',
  choices: ({ people, order }) =>
    people
      .filter(({ id }) => id !== order.ownerId)
      .map(({ id, name, role }) => ({ value: id, name: `${name} (${role})` })),
};

export const moveForms: Readonly<Record<MovePath, MoveForm>> = {
  claim: {
    move: 'claim',
    action: 'Claim',
    title: 'Claim this order',
    intro: 'It is yours then: you contact the client, and nobody else does.',
    button: 'Claim it',
    key: 'c',
    fields: [],
  },
  contact: {
    move: 'logContact',
    action: 'Log contact',
    title: 'Log a contact',
    button: 'Log it',
    fields: [
      {
        kind: 'choice',
        name: 'channel',
        label: 'How',
        missing: 'Choose how you contacted them.',
        choices: fromList(contactChannels, channelNames),
      },
      {
        kind: 'choice',
        name: 'result',
        label: 'What came of it',
        missing: 'Choose what came of it.',
        choices: fromList(contactResults, resultNames),
      },
      note(),
    ],
  },
  schedule: {
    move: 'schedule',
    action: 'Schedule',
    title: 'Schedule the next action',
    intro: 'The order leaves your list until then, and comes back as due.',
    button: 'Schedule it',
    key: 's',
    fields: [
      {
        kind: 'time',
        name: 'nextActionAt',
        label: 'When',
        hint: 'London time.',
        missing: 'Say when it comes back.',
      },
      {
        kind: 'choice',
        name: 'reason',
        label: 'Why',
        missing: 'Choose why it waits.',
        choices: fromList(scheduleReasons, scheduleReasonNames),
      },
      note(),
    ],
  },
  resume: {
    move: 'resume',
    action: 'Resume',
    title: 'Resume this order',
    intro: 'Its next action is taken off the calendar.',
    button: 'Resume it',
    fields: [note()],
  },
  'hand-over': {
    move: 'handOver',
    action: 'Hand over',
    title: 'Hand this order over',
    button: 'Hand it over',
    key: 'h',
    fields: [
      person,
      {
        kind: 'long',
        name: 'note',
        label: 'What the next person should know',
        missing: 'Say what the next person should know.',
        longest: 2_000,
      },
    ],
  },
  win: {
    move: 'win',
    action: 'Won',
    title: 'Close as won',
    button: 'Close as won',
    key: 'w',
    fields: [
      {
        kind: 'text',
        name: 'externalReference',
        label: 'Reference in the order system (optional)',
        longest: 64,
      },
      note(),
    ],
  },
  lose: {
    move: 'lose',
    action: 'Lost',
    title: 'Close as lost',
    button: 'Close as lost',
    key: 'l',
    fields: [
      {
        kind: 'choice',
        name: 'reason',
        label: 'Why',
        hint: 'By “Cannot be supplied there” and “Details are not valid” the client sees a rejection.',
        missing: 'Choose why it was lost.',
        choices: fromList(lostReasons, lostReasonNames),
      },
      note('Note', '“Another reason” needs a note.'),
    ],
  },
  note: {
    move: null,
    action: 'Note',
    title: 'Add a note',
    button: 'Add it',
    key: 'e',
    fields: [
      {
        kind: 'long',
        name: 'note',
        label: 'Note',
        hint: 'Seen by staff only, and found by search.',
        missing: 'Write the note.',
        longest: 2_000,
      },
    ],
  },
  assign: {
    move: 'assign',
    action: 'Assign',
    title: 'Assign this order',
    button: 'Assign it',
    fields: [person, note()],
  },
  release: {
    move: 'release',
    action: 'Give back',
    title: 'Give this order back to the queue',
    intro: 'It keeps its place and its deadline.',
    button: 'Give it back',
    fields: [{ kind: 'long', name: 'reason', label: 'Why', missing: 'Say why.', longest: 500 }],
  },
  cancel: {
    move: 'cancel',
    action: 'Cancel order',
    title: 'Cancel this order',
    intro: 'The client sees that it is cancelled.',
    button: 'Cancel the order',
    fields: [
      {
        kind: 'choice',
        name: 'reason',
        label: 'Why',
        missing: 'Choose why it is cancelled.',
        choices: fromList(cancelReasons, cancelReasonNames),
      },
      note('Note', '“Another reason” needs a note.'),
    ],
  },
  duplicate: {
    move: 'duplicate',
    action: 'Duplicate',
    title: 'Close as a duplicate',
    button: 'Close as a duplicate',
    fields: [
      {
        kind: 'reference',
        name: 'of',
        label: 'Of which order',
        hint: 'The reference of the order that stays, of the same client.',
        missing: 'Say of which order.',
      },
      note(),
    ],
  },
  reopen: {
    move: 'reopen',
    action: 'Reopen',
    title: 'Reopen this order',
    button: 'Reopen it',
    fields: [{ kind: 'long', name: 'reason', label: 'Why', missing: 'Say why.', longest: 500 }],
  },
};

export function isMovePath(text: string): text is MovePath {
  return (movePaths as readonly string[]).includes(text);
}

/** What a form holds before anything is typed. */
export function firstValues({ fields }: MoveForm, about: FormContext): Record<string, string> {
  const values: Record<string, string> = {};
  for (const field of fields) {
    if (field.kind === 'time') values[field.name] = toLocalInput(suggestedTimes(about)[0]!.at);
    if (field.kind === 'reference') values[field.name] = about.twins[0] ?? '';
  }
  return values;
}

/** Times to choose with one press: within working hours, soonest last. */
export function suggestedTimes({ now, calendar }: FormContext): { name: string; at: Date }[] {
  const hour = 3_600_000;
  const morning = (days: number) =>
    startOfWork(new Date(now.getTime() + days * 24 * hour), calendar);
  const tomorrow = morning(1);
  return [
    {
      name: 'Next working day, an hour after work begins',
      at: new Date(tomorrow.getTime() + hour),
    },
    { name: 'In an hour of working time', at: wholeMinutes(addWorkingTime(now, hour, calendar)) },
    {
      name: 'In four hours of working time',
      at: wholeMinutes(addWorkingTime(now, 4 * hour, calendar)),
    },
    { name: 'In a week', at: new Date(morning(7).getTime() + hour) },
  ];
}

/** When work begins on the first working day from that of `at` on. */
function startOfWork(at: Date, calendar: Calendar): Date {
  const midnight = fromLocalInput(`${toLocalInput(at).slice(0, 10)}T00:00`) ?? at;
  return new Date(addWorkingTime(midnight, 1, calendar).getTime() - 1);
}

function wholeMinutes(at: Date): Date {
  return new Date(Math.ceil(at.getTime() / 300_000) * 300_000);
}

/** What was typed into a form, checked. */
export interface Typed {
  readonly values: Readonly<Record<string, string>>;
  readonly times: Readonly<Record<string, Date>>;
  readonly faults: Faults;
}

export function readMoveForm({ fields }: MoveForm, form: Form, about: FormContext): Typed {
  const values: Record<string, string> = {};
  const times: Record<string, Date> = {};
  const faults = new Map<string, string>();
  for (const field of fields) {
    const text = form.text(field.name);
    values[field.name] = text;
    const fault = text === '' ? (field.missing ?? null) : faultOf(field, text, about);
    if (fault !== null) faults.set(field.name, fault);
    else if (field.kind === 'time' && text !== '') times[field.name] = fromLocalInput(text)!;
  }
  return { values, times, faults };
}

function faultOf(field: Field, text: string, about: FormContext): string | null {
  switch (field.kind) {
    case 'text':
    case 'long':
      return [...text].length > field.longest
        ? `At most ${field.longest} characters; these are ${[...text].length}.`
        : null;
    case 'choice':
      return field.choices(about).some(({ value }) => value === text)
        ? null
        : 'Choose one of the list.';
    case 'time': {
      const at = fromLocalInput(text);
      if (at === null) return 'Give a day and a time, such as 21/11/2026, 09:30.';
      return at > about.now ? null : 'Choose a time that is still to come.';
    }
    case 'reference':
      return null;
  }
}
