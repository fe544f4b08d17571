import { SeeOther } from '../../http/written-html.js';
import type { TakenOrder } from '../../follow-up/moves/moves.dto.js';
import { moveNames, moveWords } from '../../orders/moves/move-words.js';
import { type MoveName, moveRules } from '../../orders/moves/order-state.js';
import type { Form } from '../forms/form.js';

/** A message that a page shows once, after an action. The address holds its code. */
export interface FlashMessage {
  readonly text: string;
  /** The move that undoes it. */
  readonly undo?: { readonly path: string; readonly label: string };
}

type TakenWhy = NonNullable<TakenOrder['why']>;

function saidAfter(move: MoveName, more = ''): FlashMessage {
  const { done, undo } = moveWords[move];
  const text = `${done}${more}`;
  return undo ? { text, undo: { path: moveRules[undo.move].path, label: undo.label } } : { text };
}

const taken: Readonly<Record<TakenWhy, FlashMessage>> = {
  'call-back due': { text: 'Your call-back is due. This order is yours already.' },
  late: saidAfter('claim', ' It is late: contact the client first.'),
  'nearly late': saidAfter('claim', ' Its first contact is due soon.'),
  waiting: saidAfter('claim', ' It has waited longest.'),
};

export function flashCodeOfTaken(why: TakenWhy): string {
  return `taken-${why.replaceAll(' ', '-')}`;
}

const said = {
  'nothing-to-take': { text: 'Nothing waits, and no call-back of yours is due.' },
  note: { text: 'The note is in the timeline.' },
  'keys-on': { text: 'Single keys do things again.' },
  'keys-off': { text: 'Single keys do nothing now.' },

  'password-changed': { text: 'Your password is changed. Your other sessions have ended.' },
  'session-ended': { text: 'Ended.' },
  'second-factor-removed': { text: 'Your second factor is removed.' },

  'client-added': { text: 'The client is added. Issue its first token below.' },
  'client-enabled': { text: 'The client is enabled.' },
  'client-disabled': { text: 'The client is disabled.' },
  'client-limits': { text: 'The limits are set.' },
  'token-revoked': { text: 'The token is revoked: refused everywhere within 5 seconds.' },
  'webhook-enabled': { text: 'The webhook is enabled: what waits goes out from now on.' },
  'webhook-disabled': { text: 'The webhook is disabled.' },
  'member-added': { text: 'The member is added. Make a link for the first password below.' },
  'member-enabled': { text: 'The member is enabled.' },
  'member-disabled': { text: 'The member is disabled and signed out.' },
  'member-role': { text: 'The role is set. It holds from the next page on.' },
  'member-second-factor': {
    text: 'The second factor is forgotten, and the sessions have ended.',
  },
  'member-sessions': { text: 'The sessions have ended.' },
  'version-draft': { text: 'Stored as a draft. Nothing has changed for clients yet.' },
  'version-activated': {
    text: 'In service: here now, on other instances within about a second.',
  },
  'version-scheduled': { text: 'Scheduled: all instances switch at that instant.' },
  'version-withdrawn': { text: 'The schedule is withdrawn; the version is a draft again.' },
  'version-rolled-back': {
    text: 'The earlier content is in service again, under this new number.',
  },
  'message-resend': { text: 'One message is due again.' },
  'message-discard': { text: 'One message is discarded.' },
  'messages-resend': { text: '# messages are due again.' },
  'messages-discard': { text: '# messages are discarded.' },
} satisfies Readonly<Record<string, FlashMessage>>;

export type FlashCode = keyof typeof said;

/** The codes of moves are their paths. */
const texts: Readonly<Record<string, FlashMessage>> = {
  ...said,
  ...Object.fromEntries(moveNames.map((name) => [moveRules[name].path, saidAfter(name)])),
  ...Object.fromEntries(
    Object.entries(taken).map(([why, text]) => [flashCodeOfTaken(why as TakenWhy), text]),
  ),
};

/** Null for an unknown code: an address never brings its own text. */
export function flashOf(code: string): FlashMessage | null {
  return Object.hasOwn(texts, code) ? (texts[code] ?? null) : null;
}

/** What the address of a page says by its `said`, of as many things as its `count`. */
export function flashIn(query: Form): FlashMessage | null {
  const found = flashOf(query.text('said'));
  return found && { ...found, text: found.text.replace('#', String(query.number('count'))) };
}

/** Redirects to a page without a query, which then shows the message. */
export function redirectTo(path: string, said: FlashCode | null): SeeOther {
  return new SeeOther(said === null ? path : `${path}?said=${said}`);
}
