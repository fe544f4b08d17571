/** What the service says of each move, on pages, in timelines and in the keyboard help. */
import { contactWords } from './move-fields.js';
import { type MoveName, moveRules } from './order-state.js';

export interface MoveWords {
  /** Of the button on the order's page. */
  readonly label: string;
  /** Over its form. */
  readonly title: string;
  /** In its form, before it is made. */
  readonly confirmation?: string;
  /** Of the button that makes it. */
  readonly button: string;
  readonly key?: string;
  /** Whether its button is in the first row of the order's page; the others are behind "More". */
  readonly atHand?: boolean;
  /** Whether its button is the primary one wherever the move can be made. */
  readonly usual?: boolean;
  /** What the page says after it, and the move that takes it back. */
  readonly done: string;
  readonly undo?: { readonly move: MoveName; readonly label: string };
  /** In the timeline, after the name of who made it. A chosen reason and a new owner are added. */
  readonly past: string | ((text: (field: string) => string) => string);
}

const reopening = { move: 'reopen', label: 'Reopen it' } as const;

/** In the order in which pages show the moves. */
export const moveWords: Readonly<Record<MoveName, MoveWords>> = {
  claim: {
    label: 'Claim',
    title: 'Claim this order',
    confirmation: 'It is yours then: you contact the client, and nobody else does.',
    button: 'Claim it',
    key: 'c',
    atHand: true,
    usual: true,
    done: 'You have this order now.',
    undo: { move: 'release', label: 'Give it back' },
    past: 'claimed this',
  },
  assign: {
    label: 'Assign',
    title: 'Assign this order',
    button: 'Assign it',
    done: 'It is assigned.',
    past: 'assigned this',
  },
  logContact: {
    label: 'Log contact',
    title: 'Log a contact',
    button: 'Log it',
    atHand: true,
    usual: true,
    done: 'The contact is in the timeline.',
    past: (text) => contactWords(text('channel'), text('result')),
  },
  schedule: {
    label: 'Schedule',
    title: 'Schedule the next action',
    confirmation: 'The order leaves your list until then, and comes back as due.',
    button: 'Schedule it',
    key: 's',
    atHand: true,
    done: 'It comes back to you at that time.',
    undo: { move: 'resume', label: 'Resume it now' },
    past: 'scheduled the next action',
  },
  resume: {
    label: 'Resume',
    title: 'Resume this order',
    confirmation: 'Its next action is taken off the calendar.',
    button: 'Resume it',
    done: 'You work on this order again.',
    past: 'took this up again',
  },
  handOver: {
    label: 'Hand over',
    title: 'Hand this order over',
    button: 'Hand it over',
    key: 'h',
    atHand: true,
    done: 'It is handed over, with your note.',
    past: 'handed this over',
  },
  release: {
    label: 'Give back',
    title: 'Give this order back to the queue',
    confirmation: 'It keeps its place and its deadline.',
    button: 'Give it back',
    done: 'It is back in the queue, at its old place.',
    past: 'gave this back to the queue',
  },
  win: {
    label: 'Won',
    title: 'Close as won',
    button: 'Close as won',
    key: 'w',
    atHand: true,
    done: 'Closed as won.',
    undo: reopening,
    past: 'closed this as won',
  },
  lose: {
    label: 'Lost',
    title: 'Close as lost',
    button: 'Close as lost',
    key: 'l',
    atHand: true,
    done: 'Closed as lost.',
    undo: reopening,
    past: 'closed this as lost',
  },
  duplicate: {
    label: 'Duplicate',
    title: 'Close as a duplicate',
    button: 'Close as a duplicate',
    done: 'Closed as a duplicate.',
    undo: reopening,
    past: 'closed this as a duplicate',
  },
  cancel: {
    label: 'Cancel order',
    title: 'Cancel this order',
    confirmation: 'The client sees that it is cancelled.',
    button: 'Cancel the order',
    done: 'It is cancelled; its client can see that.',
    undo: reopening,
    past: 'cancelled this',
  },
  reopen: {
    label: 'Reopen',
    title: 'Reopen this order',
    button: 'Reopen it',
    done: 'It is open again.',
    past: 'reopened this',
  },
};

export const moveNames = Object.keys(moveWords) as MoveName[];

const moveOfAction = new Map(moveNames.map((name) => [moveRules[name].action, name]));

/** The move whose audit entry has this action. */
export function moveByAction(action: string): MoveName | undefined {
  return moveOfAction.get(action);
}
