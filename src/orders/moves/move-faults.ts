/** Why a move cannot be made: what is refused, and the rules about what moves carry beyond those of their bodies. */
import type { FieldError } from '../../platform/problems/problem.js';
import { minorUnits } from '../record/bespoke-terms.js';
import type { OrderProgress } from '../record/order-states.js';

/** Why the state of the order, or who the mover is, forbids a move. */
export interface MoveObstacle {
  readonly refused: 'state' | 'permission';
  readonly detail: string;
}

/** Why a move cannot be made. */
export type MoveRefusal =
  MoveObstacle | { readonly refused: 'content'; readonly errors: readonly FieldError[] };

/** What the rules about the content of moves need to know of the order. */
export type MoveSubject = Pick<
  OrderProgress,
  'id' | 'kind' | 'clientId' | 'ownerId' | 'basis' | 'currency'
>;

export function notAllowed(name: string, detail: string): FieldError {
  return { pointer: `/${name}`, code: 'not-allowed', detail };
}

export const otherNeedsNote = (
  _order: MoveSubject | null,
  { reason, note = '' }: { readonly reason?: string; readonly note?: string },
) =>
  reason === 'other' && note.trim() === ''
    ? [notAllowed('note', 'Add a note to explain the reason.')]
    : [];

/** What to do where the price of an indicative order has not been confirmed. */
export const confirmationWords = {
  price: 'Enter the monthly price that the client has confirmed.',
  setupPrice: 'Enter the set-up price that the client has confirmed.',
} as const;

/** Before an order for an indicative price is won, a person has confirmed both prices. */
export function confirmationFaults(
  { basis, currency }: MoveSubject,
  move: { readonly price?: number | null; readonly setupPrice?: number | null },
): FieldError[] {
  return (['price', 'setupPrice'] as const).flatMap((name) => {
    const amount = move[name] ?? null;
    if (basis !== 'indicative') {
      if (amount === null) return [];
      return notAllowed(name, 'The price of this order is not to be confirmed.');
    }
    if (amount === null) return notAllowed(name, confirmationWords[name]);
    const isAmount = amount >= 0 && minorUnits(amount, currency ?? '') !== null;
    return isAmount ? [] : notAllowed(name, 'Enter an amount, such as 249.50.');
  });
}

/** What binds the client who accepts an offer or a charge. */
export interface BindingTerms {
  /** Who wrote the offer or proposed the charge; null for no member of staff. */
  readonly authorId: string | null;
  /** In major units; of an offer, the whole term and the set-up price. */
  readonly amount: number;
  readonly currency: string;
}

/** In major units. */
export interface AloneLimit {
  readonly amount: number;
  readonly currency: string;
}

/** Why the author alone cannot record the acceptance. */
export const ACCEPTED_BY_ANOTHER =
  'You wrote this, so you cannot record that the client accepts it: a colleague does, or the client by the API.';

/**
 * Anyone may record an acceptance, except the author above the limit: no one binds a client alone to more.
 * @param limit null: an author never may
 */
export function mayBindAlone(
  { authorId, amount, currency }: BindingTerms,
  staffId: string,
  limit: AloneLimit | null,
): boolean {
  if (authorId !== staffId) return true;
  if (limit === null || limit.currency !== currency) return false;
  return amount <= limit.amount;
}
