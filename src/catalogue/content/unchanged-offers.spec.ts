import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { Catalogue } from './catalogue.js';
import { contentOf, givenFiles } from '../../../test/support/catalogue-files.given.js';

/**
 * Answers checks from the rows of the CSV files, in the shortest way: an independent implementation of
 * the contract as it was before set-up price, basis and extra charges.
 */
function plainAnswer(rows: Rows, unit: string, priceList: string): object[] {
  const zone = rows.coverage.find(([place]) => place === unit)?.[1];
  const offers = rows.products.flatMap(([code, name, provisioned, capacity, term]) => {
    const priced = rows.prices.filter(([product, at]) => product === code && at === zone);
    const [, , , price, currency, days] =
      priced.find(([, , list]) => list === priceList) ??
      priced.find(([, , list]) => list === 'standard') ??
      [];
    if (price === undefined) return [];
    return {
      productCode: code,
      name,
      bandwidthProvisioned: Number(provisioned),
      bandwidthCapacity: Number(capacity),
      term: Number(term),
      price: Number(price),
      currency,
      leadTimeDays: Number(days),
    };
  });
  return offers.sort(
    (a, b) =>
      a.bandwidthProvisioned - b.bandwidthProvisioned ||
      a.term - b.term ||
      a.price - b.price ||
      (a.productCode < b.productCode ? -1 : 1),
  );
}

type ProductCells = [
  code: string,
  name: string,
  provisioned: string,
  capacity: string,
  term: string,
];
type PriceCells = [
  product: string,
  zone: string,
  priceList: string,
  price: string,
  currency: string,
  days: string,
];

interface Rows {
  readonly products: ProductCells[];
  readonly prices: PriceCells[];
  readonly coverage: [unit: string, zone: string][];
}

const UNITS = ['EC2A 2BS', 'EC2A 2BT', 'N1 9GU', 'SW1A 1AA'];
const LISTS = ['standard', 'gold'];
const NEW_FIELDS = [
  ...[
    'setupPrice',
    'basis',
    'extraChargesPossible',
    'network',
    'service',
    'needsInterconnect',
    'priceUntil',
  ],
];
const codes = ['A', 'B', 'C', 'D', 'E'];
const zone = fc.constantFrom('X', 'Y', 'Z');
const few = fc.constantFrom('1', '2.5', '10');

const rowsOf: fc.Arbitrary<Rows> = fc.record({
  products: fc.uniqueArray(
    fc
      .tuple(fc.constantFrom(...codes), few, fc.constantFrom('12', '36'))
      .map(([code, gbps, term]): ProductCells => [code, `Line ${code}`, gbps, '10', term]),
    { minLength: 1, selector: ([code]) => code },
  ),
  prices: fc.uniqueArray(
    fc
      .tuple(
        fc.constantFrom(...codes),
        zone,
        fc.constantFrom(...LISTS),
        fc.constantFrom('100', '100.5', '0', '549.99'),
        fc.constantFrom('GBP', 'EUR'),
        fc.constantFrom('0', '10', '84'),
      )
      .map((cells): PriceCells => cells),
    { selector: ([product, at, list]) => `${product} ${at} ${list}` },
  ),
  coverage: fc.uniqueArray(fc.tuple(fc.constantFrom(...UNITS), fc.oneof(zone, fc.constant('-'))), {
    selector: ([unit]) => unit,
  }),
});

it('A catalogue without the newer columns sells the same products in the same order at the same prices', () => {
  fc.assert(
    fc.property(rowsOf, (generated) => {
      const known = generated.products.map(([code]) => code);
      const rows = {
        ...generated,
        prices: generated.prices.filter(([code]) => known.includes(code)),
      };
      const lines = (cells: readonly string[][]) => cells.map((row) => row.join(','));
      const files = givenFiles({
        products: lines(rows.products),
        prices: lines(rows.prices),
        coverage: lines(rows.coverage),
      });
      const catalogue = new Catalogue(1, contentOf(files));
      for (const unit of UNITS) {
        for (const priceList of LISTS) {
          const postcode = parsePostcode(unit) as Postcode;
          const { json } = catalogue.offersAt(postcode, priceList, 0);
          const answered = (JSON.parse(json.text) as object[]).map((product) => {
            const fields = Object.entries(product);
            expect(fields.slice(8).map(([name]) => name)).toEqual(NEW_FIELDS);
            return Object.fromEntries(fields.slice(0, 8));
          });
          // The text also fixes the order of the fields.
          const before = plainAnswer(rows, unit, priceList);
          expect(JSON.stringify(answered)).toBe(JSON.stringify(before));
        }
      }
    }),
    { numRuns: 300 },
  );
});
