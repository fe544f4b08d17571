import type { PriceBasis } from '../../catalogue/content/cells.js';
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { decimalsOf, majorUnits } from '../../platform/kernel/money.js';
import type { PlaceConstraint } from '../../catalogue/content/zone-fields.js';
import type { ConstraintCount, QuoteTotalView } from './quotes.dto.js';

type PricedProduct = Pick<OfferedProduct, 'price' | 'setupPrice' | 'term' | 'currency'>;

/** Set-up and all months of the term, in minor units; a set-up price that is not stated counts as none. */
export function totalMinor({ price, setupPrice, term, currency }: PricedProduct): number {
  return minorUnits(setupPrice ?? 0, currency) + minorUnits(price, currency) * term;
}

/** As `totalMinor`; null where the set-up price is not stated. */
export function contractMinor(product: PricedProduct): number | null {
  return product.setupPrice === null ? null : totalMinor(product);
}

/** As `contractMinor`, in major units. */
export function contractValue(product: PricedProduct): number | null {
  const minor = contractMinor(product);
  return minor === null ? null : majorUnits(minor, product.currency);
}

/** Prices have no more decimals than their currency. */
export function minorUnits(price: number, currency: string): number {
  return Math.round(price * 10 ** decimalsOf(currency));
}

/** The lines of a quote with one currency and basis. Amounts in minor units; null where one of them is not stated. */
export interface QuoteSum {
  readonly currency: string;
  readonly basis: PriceBasis;
  /** The number of its first line. */
  readonly first: number;
  readonly lines: number;
  readonly monthly: number;
  readonly setup: number | null;
  readonly contract: number | null;
  /** Lines by constraint; missing in quotes from before version 1.1.0. */
  readonly constraints?: readonly ConstraintCount[];
}

export type SummedProduct = PricedProduct &
  Pick<OfferedProduct, 'basis'> & {
    /** Of its place. */
    readonly constraints?: readonly PlaceConstraint[] | undefined;
  };

/** @param first the number of its line */
export function sumOf(product: SummedProduct, first: number): QuoteSum {
  const { currency, basis, price, setupPrice, constraints = [] } = product;
  const monthly = minorUnits(price, currency);
  const setup = setupPrice === null ? null : minorUnits(setupPrice, currency);
  return {
    currency,
    basis,
    first,
    lines: 1,
    monthly,
    setup,
    contract: contractMinor(product),
    constraints: constraints.map((one) => ({ ...one, lines: 1 })),
  };
}

/** One for each currency and basis, in the order of the lines. */
export function added(sums: readonly QuoteSum[]): QuoteSum[] {
  const groups = Map.groupBy(sums, ({ currency, basis }) => `${currency} ${basis}`);
  return [...groups.values()].map((group) => group.reduce(plus)).sort((a, b) => a.first - b.first);
}

function plus(a: QuoteSum, b: QuoteSum): QuoteSum {
  return {
    currency: a.currency,
    basis: a.basis,
    first: Math.min(a.first, b.first),
    lines: a.lines + b.lines,
    monthly: a.monthly + b.monthly,
    setup: a.setup === null || b.setup === null ? null : a.setup + b.setup,
    contract: a.contract === null || b.contract === null ? null : a.contract + b.contract,
    constraints: counted([...(a.constraints ?? []), ...(b.constraints ?? [])]),
  };
}

/** One for each code, with the words that come first. */
function counted(counts: readonly ConstraintCount[]): ConstraintCount[] {
  const byCode = Map.groupBy(counts, ({ code }) => code);
  return [...byCode.values()].map((same) => ({
    ...same[0]!,
    lines: same.reduce((sum, { lines }) => sum + lines, 0),
  }));
}

/** In major units; one for each currency and basis, in the order of the lines. */
export function totalsOf(sums: readonly QuoteSum[]): QuoteTotalView[] {
  return added(sums).map(({ currency, basis, lines, constraints = [], ...minor }) => {
    const major = (amount: number | null) =>
      amount === null ? null : majorUnits(amount, currency);
    return {
      currency,
      basis,
      lines,
      monthly: majorUnits(minor.monthly, currency),
      setup: major(minor.setup),
      contract: major(minor.contract),
      constraints: [...constraints],
    };
  });
}
