/** The texts of each move on pages, in timelines and in the keyboard help. */
import { contactWords, scheduledWords } from './move-fields.js';
import type { StaffMove } from './move-contents.js';
import { moveRules } from './move-rules.js';
import type { WorkKind } from '../record/order-states.js';

export interface MoveWords {
  /** The button on the order's page. */
  readonly label: string;
  /** The heading of its form. */
  readonly title: string;
  /** A hint in its form. */
  readonly confirmation?: string;
  /** Instead of it for a caller who is no client: nothing notifies them. */
  readonly callerConfirmation?: string;
  readonly button: string;
  /**
   * Opens its form: of the order's page, or of the focused row of a list. On an order's page, *Schedule*, *Won* and
   * *Lost* are choices of the call panel, with the same keys (`call-form.ts`).
   */
  readonly key?: string;
  /** A button on the order's page; the others are in its call panel and behind "More". */
  readonly atHand?: boolean;
  /** The primary button wherever the move is possible. */
  readonly usual?: boolean;
  /** The message after the move, and the move that undoes it. */
  readonly done: string;
  readonly undo?: { readonly move: StaffMove; readonly label: string };
  /** In the timeline, after the name of the staff member; the page adds reason and new owner. */
  readonly past: string | ((text: (field: string) => string) => string);
}

const reopening = { move: 'reopen', label: 'Reopen' } as const;

/** In the order in which pages show the moves. */
export const moveWords: Readonly<Record<StaffMove, MoveWords>> = {
  claim: {
    label: 'Claim',
    title: 'Claim this order',
    confirmation: 'You become the owner and contact the client.',
    button: 'Claim',
    key: 'c',
    atHand: true,
    usual: true,
    done: 'This order is now yours.',
    undo: { move: 'release', label: 'Return to queue' },
    past: 'claimed this',
  },
  assign: {
    label: 'Assign',
    title: 'Assign this order',
    button: 'Assign',
    done: 'Order assigned.',
    past: 'assigned this',
  },
  logContact: {
    label: 'Log contact',
    title: 'Log a contact',
    button: 'Log contact',
    done: 'Contact logged.',
    past: (text) => contactWords(text('channel'), text('result')),
  },
  schedule: {
    label: 'Schedule',
    title: 'Schedule the next step',
    confirmation: 'The order stays in your list and becomes due at this time.',
    button: 'Schedule',
    key: 's',
    done: 'Next step scheduled.',
    undo: { move: 'resume', label: 'Cancel call-back' },
    past: (text) => scheduledWords(text('reason')),
  },
  resume: {
    label: 'Cancel call-back',
    title: 'Cancel the call-back',
    confirmation: 'The order then has no next step.',
    button: 'Cancel call-back',
    done: 'Call-back cancelled.',
    past: 'cleared the next step',
  },
  handOver: {
    label: 'Hand over',
    title: 'Hand this order over',
    button: 'Hand over',
    key: 'h',
    atHand: true,
    done: 'Order handed over with your note.',
    past: 'handed this over',
  },
  release: {
    label: 'Return to queue',
    title: 'Return this order to the queue',
    confirmation: 'It keeps its place and its deadline.',
    button: 'Return to queue',
    done: 'Order returned to the queue, at its old place.',
    past: 'returned this to the queue',
  },
  win: {
    label: 'Won',
    title: 'Close as won',
    button: 'Close as won',
    key: 'w',
    done: 'Closed as won.',
    undo: reopening,
    past: 'closed this as won',
  },
  lose: {
    label: 'Lost',
    title: 'Close as lost',
    button: 'Close as lost',
    key: 'l',
    done: 'Closed as lost.',
    undo: reopening,
    past: 'closed this as lost',
  },
  duplicate: {
    label: 'Mark as duplicate',
    title: 'Close as a duplicate',
    button: 'Close as a duplicate',
    done: 'Closed as a duplicate.',
    undo: reopening,
    past: 'closed this as a duplicate',
  },
  cancel: {
    label: 'Cancel order',
    title: 'Cancel this order',
    confirmation: 'The client will see that the order is cancelled.',
    callerConfirmation: 'The caller is not notified: call them.',
    button: 'Cancel order',
    done: 'Order cancelled.',
    undo: reopening,
    past: 'cancelled this',
  },
  reply: {
    label: 'Write to client',
    title: 'Write to the client',
    button: 'Send',
    key: 'r',
    atHand: true,
    done: 'The message will be sent in 10 seconds.',
    past: 'wrote to the client',
  },
  settle: {
    label: 'No answer needed',
    title: 'This message needs no answer',
    button: 'No answer needed',
    key: 'f',
    atHand: true,
    done: 'The message needs no answer.',
    past: 'settled the message without an answer',
  },
  reopen: {
    label: 'Reopen',
    title: 'Reopen this order',
    button: 'Reopen',
    done: 'Order reopened.',
    past: 'reopened this',
  },
};

export const moveNames = Object.keys(moveWords) as StaffMove[];

/** A text about an order, such as "Claim this order", in the words of the other kind: "Claim this enquiry". */
export function inWordsOf(kind: WorkKind, text: string): string {
  return kind === 'order'
    ? text
    : text.replaceAll(/\border\b/g, kind).replaceAll(/\bOrder\b/g, 'Enquiry');
}

const moveOfAction = new Map<string, StaffMove>(
  moveNames.map((name) => [moveRules[name].action, name]),
);

/** What can be undone and is no move of staff, by its action. */
const otherUndone: Readonly<Record<string, string>> = {
  offered: 'Send offers',
  offer_approved: 'Approve offers',
  delivery_changed: 'Change delivery',
};

/** What an entry of the trail says was undone: `Won`. */
export function undoneWords(action: string): string {
  const move = moveByAction(action);
  if (move !== undefined) return moveWords[move].label;
  return otherUndone[action] ?? action;
}

/** The move of staff whose audit entry has this action. */
export function moveByAction(action: string): StaffMove | undefined {
  return moveOfAction.get(action);
}
