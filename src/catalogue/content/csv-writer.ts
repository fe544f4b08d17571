import type { CoverageIndex } from './coverage-index.js';
import { COVERAGE_COLUMNS } from './csv-reader.js';
import { csvChunks, csvRecord } from './csv.js';
import { priceFields, type PriceRow, productFields, type ProductRow } from './offer-fields.js';
import { type AnyRow, columnsOf, entriesOf, type FieldsOfRows } from './offers.js';

/** The rows as products.csv. */
export function printProducts(products: readonly ProductRow[]): string {
  return printFile(productFields, products);
}

/** The rows as prices.csv. */
export function printPrices(prices: readonly PriceRow[]): string {
  return printFile(priceFields, prices);
}

function printFile(fields: FieldsOfRows, rows: readonly object[]): string {
  const entries = entriesOf(fields);
  const records = rows.map((row) =>
    entries.map(([property, { print }]) => {
      const value = (row as AnyRow)[property];
      return print ? print(value, row as AnyRow) : ((value ?? '') as string | number);
    }),
  );
  return [columnsOf(fields), ...records].map(csvRecord).join('');
}

/** The index as coverage.csv, in chunks of some tens of kilobytes. */
export function printCoverage(coverage: CoverageIndex): Generator<string> {
  return csvChunks(coverageRecords(coverage));
}

function* coverageRecords(coverage: CoverageIndex): Generator<readonly string[]> {
  yield COVERAGE_COLUMNS;
  for (const { place, zone } of coverage.rows()) yield [place, zone];
}
