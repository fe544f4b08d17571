import { SeeOther } from '../http/written-html.js';
import type { TakenOrder } from '../../orders/staff/moves.dto.js';
import { inWordsOf, moveNames, moveWords } from '../../orders/moves/move-words.js';
import type { WorkKind } from '../../orders/record/order-states.js';
import { moveRules, type StaffMove } from '../../orders/moves/move-rules.js';
import type { Form } from './forms/form.js';

/** A message that a page shows once, after an action. The address holds its code. */
export interface FlashMessage {
  readonly text: string;
  /** The move that undoes the action. */
  readonly undo?: { readonly path: string; readonly label: string };
}

type TakenWhy = NonNullable<TakenOrder['why']>;

const contact = moveWords.logContact.done;

function saidAfter(move: StaffMove, more = ''): FlashMessage {
  const { done, undo } = moveWords[move];
  const text = `${done}${more}`;
  return undo ? { text, undo: { path: moveRules[undo.move].path, label: undo.label } } : { text };
}

const taken: Readonly<Record<TakenWhy, FlashMessage>> = {
  'call-back due': { text: 'Your call-back is due. You already own this order.' },
  late: saidAfter('claim', ' It is late: contact the client first.'),
  'nearly late': saidAfter('claim', ' Its first contact is due soon.'),
  waiting: saidAfter('claim', ' It has waited longest.'),
};

export function flashCodeOfTaken(why: TakenWhy): string {
  return `taken-${why.replaceAll(' ', '-')}`;
}

const said = {
  'nothing-to-take': {
    text: 'Nothing to take: no orders are waiting and you have no call-backs due.',
  },
  note: { text: 'Note added.' },
  undone: { text: 'Undone. The client was not notified.' },
  'too-late': { text: 'Too late to undo. You can reopen a closed order.' },
  'charge-covered': { text: 'Charge accepted: the client accepts this amount in advance.' },
  'charge-answered': { text: 'Answer recorded.' },
  'charge-ended': { text: 'The charge had already been answered, withdrawn or lapsed.' },
  'order-taken': { text: 'Order placed. It is yours, and this call is logged.' },
  'answer-awaits': {
    text: 'Sent for approval. The client cannot see it until a manager approves it.',
  },
  'answer-refused': { text: 'Refused. The author sees the reason in the timeline.' },
  'offer-withdrawn': { text: 'Offer withdrawn.' },
  'offer-accepted': { text: 'Acceptance recorded. This is the order.' },
  'enquiry-logged': { text: 'Enquiry logged. It is yours, and this call is logged.' },
  'keys-on': { text: 'Keyboard shortcuts are on.' },
  'keys-off': { text: 'Keyboard shortcuts are off.' },

  'password-changed': { text: 'Password changed. Your other sessions have ended.' },
  'session-ended': { text: 'Session ended.' },
  'second-factor-removed': { text: 'Second factor removed.' },

  'client-added': { text: 'Client added. Issue its tokens next.' },
  'client-edited': { text: 'Client saved. The changes apply from its next request on.' },
  'client-enabled': { text: 'Client enabled.' },
  'client-disabled': { text: 'Client disabled.' },
  'token-revoked': { text: 'Token revoked: refused everywhere within 5 seconds.' },
  'webhook-enabled': { text: 'Webhook enabled. Waiting messages go out from now on.' },
  'webhook-disabled': { text: 'Webhook disabled.' },
  'member-added': { text: 'Member added. Create a link for the first password below.' },
  'member-enabled': { text: 'Member enabled.' },
  'member-disabled': { text: 'Member disabled and signed out.' },
  'member-role': {
    text: 'Role saved. It applies from the next page on, and to the member’s tokens at once.',
  },
  'member-second-factor': { text: 'Second factor removed. All sessions have ended.' },
  'member-sessions': { text: 'Sessions ended.' },
  'version-draft': { text: 'Stored as a draft. Nothing has changed for clients yet.' },
  'version-activated': { text: 'Live here, and on other instances within about a second.' },
  'version-activated-instead': {
    text: 'Live here, and on other instances within about a second. The history says which schedule this cancelled.',
  },
  'version-scheduled': { text: 'Scheduled: all instances switch at that time.' },
  'version-discarded': { text: 'Draft discarded.' },
  'version-rebased': { text: 'This draft has the changes of both. Check them again.' },
  'version-withdrawn': { text: 'Schedule cancelled. The version is a draft again.' },
  'version-rolled-back': { text: 'The earlier content is live again, as this new version.' },
  'version-rolled-back-instead': {
    text: 'The earlier content is live again, as this new version. The history says which schedule this cancelled.',
  },
  'message-resend': { text: '1 message will be retried now.' },
  'message-discard': { text: '1 message discarded.' },
  'messages-resend': { text: '# messages will be retried now.' },
  'messages-discard': { text: '# messages discarded.' },
} satisfies Readonly<Record<string, FlashMessage>>;

/** What was done, and when a message tells the client. */
const news = {
  'charge-proposed': ['Charge proposed.', 'The client is notified.'],
  'charge-withdrawn': ['Charge withdrawn.', 'The client is notified.'],
  'answer-sent': ['Offer sent.', 'The client is notified in 10 seconds.'],
  'answer-approved': ['Approved.', 'The client is notified in 10 seconds.'],
} as const;

type NewsCode = keyof typeof news;
export type FlashCode = keyof typeof said | NewsCode | `${NewsCode}-call`;

/** The message about news for the client. Where no message reaches the client, it asks to call. */
export function codeOfNews(code: NewsCode, isNotified: boolean): FlashCode {
  return isNotified ? code : `${code}-call`;
}

/** The codes of moves are their paths. */
const texts: Readonly<Record<string, FlashMessage>> = {
  ...said,
  ...Object.fromEntries(
    Object.entries(news).flatMap(([code, [done, notified]]) => [
      [code, { text: `${done} ${notified}` }],
      [`${code}-call`, { text: `${done} No email or webhook reaches the client: call them.` }],
    ]),
  ),
  ...Object.fromEntries(moveNames.map((name) => [moveRules[name].path, saidAfter(name)])),
  ...Object.fromEntries(
    (['schedule', 'win', 'lose'] as const).map((name) => {
      const after = saidAfter(name);
      return [`contact-${moveRules[name].path}`, { ...after, text: `${contact} ${after.text}` }];
    }),
  ),
  ...Object.fromEntries(
    Object.entries(taken).map(([why, text]) => [flashCodeOfTaken(why as TakenWhy), text]),
  ),
};

/**
 * The message whose code is `said` in a page's address, with `count` for its `#`. Null for an unknown
 * code: the address cannot set the text.
 */
export function flashIn(query: Form, kind: WorkKind = 'order'): FlashMessage | null {
  const code = query.text('said');
  const found = Object.hasOwn(texts, code) ? texts[code] : undefined;
  if (!found) return null;
  const text = inWordsOf(kind, found.text).replace('#', String(query.number('count')));
  return { ...found, text };
}

/**
 * Redirects to a path without a query, which then shows the message.
 * @param saved the name of the draft that is saved now
 */
export function redirectTo(path: string, said: FlashCode | null, saved?: string): SeeOther {
  const draft = saved === undefined ? '' : `&saved=${encodeURIComponent(saved)}`;
  return new SeeOther(said === null ? path : `${path}?said=${said}${draft}`);
}
