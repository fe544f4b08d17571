/** What a page says once, after an action: a code in its address stands for a text of these. */
import type { Taken } from '../../follow-up/moves/moves.dto.js';
import { moveNames, moveWords } from '../../orders/moves/move-words.js';
import { type MoveName, moveRules } from '../../orders/moves/order-state.js';

export interface Said {
  readonly text: string;
  /** The move that takes it back, where there is one. */
  readonly undo?: { readonly path: string; readonly label: string };
}

type TakenWhy = NonNullable<Taken['why']>;

function saidAfter(move: MoveName, more = ''): Said {
  const { done, undo } = moveWords[move];
  const text = `${done}${more}`;
  return undo ? { text, undo: { path: moveRules[undo.move].path, label: undo.label } } : { text };
}

const taken: Readonly<Record<TakenWhy, Said>> = {
  'call-back due': { text: 'Your call-back is due. This order is yours already.' },
  late: saidAfter('claim', ' It is late: contact the client first.'),
  'nearly late': saidAfter('claim', ' Its first contact is due soon.'),
  waiting: saidAfter('claim', ' It has waited longest.'),
};

/** The code for an order that was taken next. */
export function saidOfTaken(why: TakenWhy): string {
  return `taken-${why.replaceAll(' ', '-')}`;
}

/** The codes of moves are their paths. */
const texts: Readonly<Record<string, Said>> = {
  ...Object.fromEntries(moveNames.map((name) => [moveRules[name].path, saidAfter(name)])),
  ...Object.fromEntries(
    Object.entries(taken).map(([why, said]) => [saidOfTaken(why as TakenWhy), said]),
  ),
  'nothing-to-take': { text: 'Nothing waits, and no call-back of yours is due.' },
  note: { text: 'The note is in the timeline.' },
  'keys-on': { text: 'Single keys do things again.' },
  'keys-off': { text: 'Single keys do nothing now.' },
};

/** Null where the code stands for nothing: an address never brings a text of its own. */
export function saidBy(code: string): Said | null {
  return Object.hasOwn(texts, code) ? (texts[code] ?? null) : null;
}
