import { decimalsOf, LARGEST_AMOUNT, parseAmount } from '../../platform/kernel/money.js';
import { nearest } from '../../platform/tables/nearest.js';
import { namesProduct, productPattern } from './band-fields.js';
import { BadCell } from './cells.js';
import type { OfferFields } from './offer-fields.js';

/** From when on a row holds: the acceptance of the order, or a milestone of its delivery, in their usual order. */
export const cancellationPhases = [
  'accepted',
  'surveyed',
  'wayleave',
  'built',
  'appointment',
  'installed',
  'tested',
  'live',
] as const;
export type CancellationPhase = (typeof cancellationPhases)[number];

/** What cancelling costs from a phase on: the three parts are added up. */
export interface CancellationTerm {
  readonly after: CancellationPhase;
  /** Of the set-up price; up to three decimals. */
  readonly percentSetup: number;
  /** How many monthly prices. */
  readonly months: number;
  /** Hundredths of a unit of the order's currency. */
  readonly amount: number;
}

/** A row of cancellation.csv. */
export interface CancellationRow extends CancellationTerm {
  /** Product codes: one, those with a prefix (`ETH-*`), or all (`*`). */
  readonly products: string;
}

const MOST_MONTHS = 120;

/** In the order of cancellation.csv. */
export const cancellationFields: OfferFields<CancellationRow> = {
  products: { column: 'products', isKey: true, parse: productPattern },
  after: { column: 'after', isKey: true, parse: phase },
  percentSetup: { column: 'percent_setup', absent: 0, parse: share },
  months: { column: 'months', absent: 0, parse: monthCount },
  amount: {
    column: 'amount',
    absent: 0,
    parse(text) {
      const amount = parseAmount(text, 'GBP');
      if (amount !== null) return amount;
      return new BadCell(
        'An amount is a decimal number of major units, without a sign, currency or separators.',
        'Write e.g. 250 or 249.50, or leave it empty for none.',
      );
    },
    print: (hundredths) => (hundredths === 0 ? '' : hundredths / 100),
  },
};

function phase(text: string): CancellationPhase | BadCell {
  const known = cancellationPhases.find((one) => one === text);
  if (known) return known;
  const meant = nearest(text, cancellationPhases);
  return new BadCell(
    `A phase is one of ${cancellationPhases.join(', ')}.`,
    meant === undefined ? 'Write accepted, or the code of a milestone.' : `Did you mean ${meant}?`,
  );
}

function share(text: string): number | BadCell {
  const value = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (value <= 100) return value;
  const plain = text.replaceAll(/[\s%]/g, '').replace(',', '.');
  return new BadCell(
    'A share of the set-up price is a number of per cent from 0 to 100, with up to 3 decimals.',
    /^\d{1,3}(\.\d{1,3})?$/.test(plain) && Number(plain) <= 100
      ? `Write ${plain}.`
      : 'Write e.g. 50, or leave it empty for none.',
  );
}

function monthCount(text: string): number | BadCell {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : NaN;
  if (value <= MOST_MONTHS) return value;
  return new BadCell(
    `Months are a whole number from 0 to ${MOST_MONTHS}.`,
    'Write e.g. 3, or leave it empty for none.',
  );
}

/** What cancelling costs by a catalogue. */
export class CancellationCosts {
  /** By product. */
  private readonly known = new Map<string, readonly CancellationTerm[]>();

  constructor(private readonly rows: readonly CancellationRow[]) {}

  /** One row for each phase that has any: that of the longest pattern. In the order of the phases. */
  of(productCode: string): readonly CancellationTerm[] {
    const known = this.known.get(productCode);
    if (known) return known;
    const named = this.rows
      .filter(({ products }) => namesProduct(products, productCode))
      .sort((a, b) => lengthOf(b) - lengthOf(a));
    const found = cancellationPhases.flatMap((after) => {
      const row = named.find((one) => one.after === after);
      if (!row) return [];
      const { percentSetup, months, amount } = row;
      return { after, percentSetup, months, amount };
    });
    this.known.set(productCode, found);
    return found;
  }
}

/** Of what a pattern fixes: a whole code is more than the start of one. */
function lengthOf({ products }: CancellationRow): number {
  return products.endsWith('*') ? products.length - 1 : Infinity;
}

/** The prices of an order, in units of its currency. */
interface CancelledPrices {
  readonly price: number;
  /** Null is not stated. */
  readonly setupPrice: number | null;
  readonly currency: string;
}

/**
 * What cancelling costs now, in minor units: the row of the latest phase that is done.
 * @param done whether a milestone is
 * @returns null where no row holds, or where it needs a price that is not stated: a person says
 */
export function cancellationCost(
  terms: readonly CancellationTerm[],
  { price, setupPrice, currency }: CancelledPrices,
  done: (phase: CancellationPhase) => boolean,
): { readonly amountMinor: number; readonly after: CancellationPhase } | null {
  const term = terms.findLast(({ after }) => after === 'accepted' || done(after));
  if (!term || (term.percentSetup > 0 && setupPrice === null)) return null;
  const scale = 10 ** decimalsOf(currency);
  const minor = (units: number) => Math.round(units * scale);
  // Thousandths of a per cent, so that no fraction of a penny is lost before it is rounded.
  const setup = Math.round(
    (minor(setupPrice ?? 0) * Math.round(term.percentSetup * 1_000)) / 100_000,
  );
  const amountMinor = setup + minor(price) * term.months + Math.round((term.amount * scale) / 100);
  return amountMinor > LARGEST_AMOUNT ? null : { amountMinor, after: term.after };
}
