/** Who may record that a client accepts an offer or a charge: one pure rule for both. */
/** What binds the client. */
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
