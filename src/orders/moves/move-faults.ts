/** Why a move cannot be made: what is refused, and the rules about what moves carry. */
import { minorUnits } from '../record/bespoke-terms.js';
import type { OrderProgress } from '../record/order-states.js';

/** Why a move cannot be made. */
export interface MoveRefusal {
  readonly refused: 'state' | 'permission' | 'content';
  readonly detail: string;
  /** A JSON pointer to the field, if the content is refused. */
  readonly pointer?: string;
}

export function contentRefusal(pointer: string, detail: string): MoveRefusal {
  return { refused: 'content', pointer, detail };
}
export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

export const otherNeedsNote = (
  _order: OrderProgress,
  { reason, note }: { readonly reason: string; readonly note?: string },
) =>
  reason === 'other' && isBlank(note)
    ? contentRefusal('/note', 'Add a note to explain the reason.')
    : null;

/** Before an order for an indicative price is won, a person has confirmed both prices. */
export function confirmationFault(
  { basis, currency }: OrderProgress,
  move: { readonly price?: number | null; readonly setupPrice?: number | null },
): MoveRefusal | null {
  for (const name of ['price', 'setupPrice'] as const) {
    const amount = move[name] ?? null;
    if (basis !== 'indicative') {
      if (amount === null) continue;
      return contentRefusal(`/${name}`, 'The price of this order is not to be confirmed.');
    }
    const what = name === 'price' ? 'monthly price' : 'set-up price';
    if (amount === null) {
      return contentRefusal(`/${name}`, `Enter the ${what} that the client has confirmed.`);
    }
    if (amount < 0 || minorUnits(amount, currency ?? '') === null) {
      return contentRefusal(`/${name}`, 'Enter an amount, such as 249.50.');
    }
  }
  return null;
}
