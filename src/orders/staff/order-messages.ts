import type { TakenOrder } from './moves.dto.js';
import { inWordsOf, moveNames, moveWords } from '../moves/move-words.js';
import { nameOf, nextActionNames } from '../moves/move-fields.js';
import type { FollowUpOrder } from './follow-up.dto.js';
import { upperFirst } from '../../platform/kernel/text.js';
import { readReferences } from '../record/references.js';
import { shortTime } from '../../platform/kernel/time-words.js';
import type { StaffMove } from '../moves/move-contents.js';
import { moveRules } from '../moves/move-rules.js';
import { type FlashMessage, FlashMessages } from '../../platform/ui/flash-messages.js';
import type { Form } from '../../platform/ui/forms/form.js';

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

export function messageOfTaken(why: TakenWhy): TakenCode {
  return `taken-${why.replaceAll(' ', '-')}`;
}

const said = {
  'nothing-to-take': 'Nothing to take: no orders are waiting and you have no call-backs due.',
  note: 'Note added.',
  amended: 'Order amended. The client sees it.',
  undone: 'Undone. The client was not notified.',
  'too-late': 'Too late to undo. You can reopen a closed order.',
  'charge-covered':
    'Charge accepted automatically: it is within the amount the client approved in advance.',
  'charge-answered': 'Answer recorded.',
  'charge-ended': 'The charge had already been answered, withdrawn or lapsed.',
  'order-taken': 'Order placed. It is yours, and this call is logged.',
  'answer-awaits': 'Sent for approval. The client cannot see it until a manager approves it.',
  'answer-refused': 'Refused. The author sees the reason in the timeline.',
  'offer-withdrawn': 'Offer withdrawn.',
  'offer-accepted': 'Acceptance recorded. This is the order.',
  'cancellation-answered': 'Answer saved. The client sees it.',
  'enquiry-logged': 'Enquiry logged. It is yours, and this call is logged.',
};

const delivered: FlashMessage = {
  text: 'Delivery changed. You can undo this for 10 seconds.',
  later: 'Delivery changed. The client sees it.',
};

interface News {
  readonly done: string;
  /** Of what can be undone: what is true until then; and what is done where no message follows. */
  readonly open?: { readonly before: string; readonly made: string };
}

const news = {
  'charge-proposed': { done: 'Charge proposed.' },
  'charge-withdrawn': { done: 'Charge withdrawn.' },
  'answer-sent': {
    done: 'Offer sent.',
    open: { before: 'The offer will be sent in 10 seconds.', made: 'Offer made.' },
  },
  'answer-approved': {
    done: 'Approved. The offer is sent.',
    open: { before: 'Approved. The offer will be sent in 10 seconds.', made: 'Approved.' },
  },
} as const satisfies Readonly<Record<string, News>>;

const CALL = 'No email or webhook reaches the client: call them.';

function saidOfNews({ done, open }: News): { reached: FlashMessage; call: FlashMessage } {
  if (!open) {
    return {
      reached: { text: `${done} The client is notified.` },
      call: { text: `${done} ${CALL}` },
    };
  }
  const { before, made } = open;
  return {
    reached: { text: before, later: done },
    call: { text: `${made} You can undo this for 10 seconds. ${CALL}`, later: `${made} ${CALL}` },
  };
}

type NewsCode = keyof typeof news;
type TakenCode = `taken-${string}`;
export type OrderMessage =
  keyof typeof said | 'delivery-changed' | NewsCode | `${NewsCode}-call` | TakenCode;

/** The message about news for the client. Where no message reaches the client, it asks to call. */
export function codeOfNews(code: NewsCode, isNotified: boolean): OrderMessage {
  return isNotified ? code : `${code}-call`;
}

/** The codes of moves are their paths. */
export const orderMessages = new FlashMessages<OrderMessage>({
  ...said,
  'delivery-changed': delivered,
  ...Object.fromEntries(
    Object.entries<News>(news).flatMap(([code, about]) => {
      const { reached, call } = saidOfNews(about);
      return [
        [code, reached],
        [`${code}-call`, call],
      ];
    }),
  ),
  ...Object.fromEntries(moveNames.map((name) => [moveRules[name].path, saidAfter(name)])),
  // It can be undone, and no other move is its opposite.
  [moveRules.logContact.path]: { text: contact, later: contact },
  [moveRules.reply.path]: { text: moveWords.reply.done, later: 'Message sent.' },
  [moveRules.settle.path]: { text: moveWords.settle.done, later: moveWords.settle.done },
  ...Object.fromEntries(
    (['schedule', 'win', 'lose'] as const).map((name) => {
      const after = saidAfter(name);
      return [`contact-${moveRules[name].path}`, { ...after, text: `${contact} ${after.text}` }];
    }),
  ),
  ...Object.fromEntries(
    Object.entries(taken).map(([why, text]) => [messageOfTaken(why as TakenWhy), text]),
  ),
});

/** The message for the page of an order or an enquiry. */
export function messageFor(
  order: Pick<FollowUpOrder, 'kind' | 'nextActionAt' | 'nextActionReason'>,
  query: Form,
  now: Date,
): FlashMessage | null {
  const message = orderMessages.in(query);
  if (message === null) return null;
  const scheduled =
    order.nextActionAt &&
    `${upperFirst(nameOf(nextActionNames, order.nextActionReason ?? ''))} on ${shortTime(order.nextActionAt, now)}.`;
  const text = message.text.replace(moveWords.schedule.done, scheduled ?? '$&');
  const [noted] = readReferences(query.text('noted'));
  const before = noted === undefined ? '' : `${noted}: note added. `;
  return { ...message, text: `${before}${inWordsOf(order.kind, text)}` };
}
