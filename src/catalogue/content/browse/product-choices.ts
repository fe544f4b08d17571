import { counted } from '../../../platform/kernel/counts.js';
import { BESPOKE } from '../cells.js';
import { bandwidthInWords, type ProductRow } from '../offer-fields.js';
import { familiesOf } from '../offers.js';

interface Choice {
  readonly value: string;
  readonly name: string;
}

/** By what lists and reports are filtered, in place of the codes of all products. */
export function productChoices(products: readonly ProductRow[]) {
  const families = [...familiesOf(products), { code: BESPOKE, name: 'Bespoke offers' }].map(
    ({ code, name }): Choice => ({ value: code, name: name === code ? code : `${name} (${code})` }),
  );
  const bandwidths = numbersIn(products, ({ bandwidthProvisionedMbps: mbps }) => mbps / 1_000).map(
    (gbps): Choice => ({ value: String(gbps), name: bandwidthInWords(gbps) }),
  );
  const terms = numbersIn(products, ({ termMonths }) => termMonths).map((months): Choice => ({
    value: String(months),
    name: counted(months, 'month'),
  }));
  return { families, bandwidths, terms };
}

/** The different values of a number, in ascending order. */
function numbersIn(
  products: readonly ProductRow[],
  number: (product: ProductRow) => number,
): number[] {
  return [...new Set(products.map(number))].sort((a, b) => a - b);
}
