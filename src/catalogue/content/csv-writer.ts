import {
  COVERAGE_COLUMNS,
  PRICE_COLUMNS,
  PriceRow,
  PRODUCT_COLUMNS,
  ProductRow,
} from './csv-reader.js';
import type { CoverageIndex } from './coverage-index.js';
import { csvRecord } from './csv.js';
import { printAmount } from './money.js';

const LONGEST_CHUNK = 65_536;

/** The rows as products.csv. */
export function printProducts(products: readonly ProductRow[]): string {
  const rows = products.map((p) => [
    p.code,
    p.name,
    p.bandwidthProvisionedMbps / 1000,
    p.bandwidthCapacityMbps / 1000,
    p.termMonths,
  ]);
  return [PRODUCT_COLUMNS, ...rows].map(csvRecord).join('');
}

/** The rows as prices.csv. */
export function printPrices(prices: readonly PriceRow[]): string {
  const rows = prices.map((p) => [
    p.productCode,
    p.zone,
    p.priceList,
    printAmount(p.amountMinor, p.currency),
    p.currency,
    p.leadTimeDays,
  ]);
  return [PRICE_COLUMNS, ...rows].map(csvRecord).join('');
}

/** The index as coverage.csv, in chunks of some tens of kilobytes. */
export function* printCoverage(coverage: CoverageIndex): Generator<string> {
  let chunk = csvRecord(COVERAGE_COLUMNS);
  for (const { place, zone } of coverage.rows()) {
    if (chunk.length > LONGEST_CHUNK) {
      yield chunk;
      chunk = '';
    }
    chunk += `${place},${zone}\n`;
  }
  yield chunk;
}
