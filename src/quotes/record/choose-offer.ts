import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { priceBases } from '../../catalogue/content/cells.js';
import { totalMinor } from './contract-value.js';
import type { LineWanted } from './quotes.dto.js';

/** The rule in a sentence, for people. */
export const RULE =
  'Each line has the product of the wanted service with the least bandwidth that is enough for the wanted term; of several, the one with the least total over the term.';

const MOST_ALTERNATIVES = 3;

export interface ChosenOffers<T> {
  readonly offer: T | null;
  /** The next best of the wanted term, then the best of other terms, shortest first: at most three. */
  readonly alternatives: T[];
}

/**
 * Which of the products at a place a line gets: of the wanted service (any if none is wanted), at least the wanted bandwidth and exactly the wanted term (any
 * if none is wanted); of these the least bandwidth, then the least total over the term (those whose set-up price is
 * not stated are last, by what is known), then the firmer basis, the shorter lead time, the code. Totals in different
 * currencies cannot be compared: then the currencies are in alphabetical order.
 */
export function chooseOffer<T extends OfferedProduct>(
  offers: readonly T[],
  wanted: LineWanted,
): ChosenOffers<T> {
  const service = wanted.service?.toLowerCase();
  const enough = offers
    .filter((one) => service === undefined || one.service?.toLowerCase() === service)
    .filter(({ bandwidthProvisioned }) => bandwidthProvisioned >= wanted.bandwidth)
    .sort(better);
  const suits = ({ term }: T) => wanted.term === null || term === wanted.term;
  const [offer = null, ...rest] = enough.filter(suits);
  const terms = Map.groupBy(
    enough.filter((one) => !suits(one)),
    ({ term }) => term,
  );
  const others = [...terms.keys()].sort((a, b) => a - b).map((term) => terms.get(term)![0]!);
  // One place at least is for another term.
  const next = rest.slice(0, MOST_ALTERNATIVES - Math.min(others.length, MOST_ALTERNATIVES - 1));
  return { offer, alternatives: [...next, ...others].slice(0, MOST_ALTERNATIVES) };
}

/** Negative where the first is better. */
function better(a: OfferedProduct, b: OfferedProduct): number {
  return (
    a.bandwidthProvisioned - b.bandwidthProvisioned ||
    compareTexts(a.currency, b.currency) ||
    Number(a.setupPrice === null) - Number(b.setupPrice === null) ||
    totalMinor(a) - totalMinor(b) ||
    priceBases.indexOf(a.basis) - priceBases.indexOf(b.basis) ||
    a.leadTimeDays - b.leadTimeDays ||
    compareTexts(a.productCode, b.productCode)
  );
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
