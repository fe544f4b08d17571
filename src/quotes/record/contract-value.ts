import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { decimalsOf, majorUnits } from '../../platform/kernel/money.js';
import type { QuoteTotalView } from './quotes.dto.js';

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

/** One for each currency and basis, in the order in which they first appear. */
export function totalsOf(
  products: readonly (PricedProduct & Pick<OfferedProduct, 'basis'>)[],
): QuoteTotalView[] {
  const groups = Map.groupBy(products, ({ currency, basis }) => `${currency} ${basis}`);
  return [...groups.values()].map((group) => {
    const { currency, basis } = group[0]!;
    const sum = (minorOf: (product: PricedProduct) => number | null): number | null => {
      const minors = group.map(minorOf);
      if (minors.includes(null)) return null;
      return majorUnits(
        minors.reduce<number>((total, minor) => total + minor!, 0),
        currency,
      );
    };
    return {
      currency,
      basis,
      lines: group.length,
      monthly: sum(({ price }) => minorUnits(price, currency))!,
      setup: sum(({ setupPrice }) =>
        setupPrice === null ? null : minorUnits(setupPrice, currency),
      ),
      contract: sum(contractMinor),
    };
  });
}
