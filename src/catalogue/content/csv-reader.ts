import { createHash } from 'node:crypto';
import { parsePlace, PostcodeRefusal } from '../../kernel/postcode.js';
import {
  BadCell,
  bandwidth,
  currencyCode,
  leadTimeDays,
  nearest,
  priceIn,
  pricedZone,
  priceListName,
  productCode,
  productName,
  termMonths,
  zoneName,
} from './cells.js';
import { CoverageBuilder, CoverageIndex, MOST_ZONES } from './coverage-index.js';
import { CsvTable, FaultList, Faults, parseCells, Wrong } from './csv-table.js';

export type { Fault, Faults } from './csv-table.js';

export type CatalogueFile = 'products' | 'prices' | 'coverage';

export interface ProductRow {
  readonly code: string;
  readonly name: string;
  readonly bandwidthProvisionedMbps: number;
  readonly bandwidthCapacityMbps: number;
  readonly termMonths: number;
}

export interface PriceRow {
  readonly productCode: string;
  readonly zone: string;
  readonly priceList: string;
  /** Minor units of the currency: 54999 is GBP 549.99. */
  readonly amountMinor: number;
  /** ISO 4217. */
  readonly currency: string;
  readonly leadTimeDays: number;
}

/** What one catalogue version says. */
export interface CatalogueContent {
  readonly products: readonly ProductRow[];
  readonly prices: readonly PriceRow[];
  readonly coverage: CoverageIndex;
}

export interface CatalogueFilesResult {
  /** Products and prices in their canonical order; null where there is any fault. */
  readonly content: CatalogueContent | null;
  readonly faults: Faults;
}

const PRODUCT_CELLS = {
  code: productCode,
  name: productName,
  bandwidth_provisioned_gbps: bandwidth,
  bandwidth_capacity_gbps: bandwidth,
  term_months: termMonths,
};

const PRICE_CELLS = {
  product: productCode,
  zone: pricedZone,
  price_list: priceListName,
  price: (text: string) => text,
  currency: currencyCode,
  lead_time_days: leadTimeDays,
};

export const PRODUCT_COLUMNS = Object.keys(PRODUCT_CELLS);
export const PRICE_COLUMNS = Object.keys(PRICE_CELLS);
export const COVERAGE_COLUMNS = ['place', 'zone'];

const PLACES =
  'Write a unit (EC2A 2BS), sector (EC2A 2), subdistrict (EC2A), district (EC2) or area (EC).';

/**
 * Reads the three files of a catalogue, in chunks that may be cut anywhere and come in any order,
 * and reports every bad row and cell in them.
 */
export class CatalogueFilesReader {
  private readonly faults = new FaultList();
  private readonly products: ProductRow[] = [];
  private readonly prices: PriceRow[] = [];
  private readonly coverage = new CoverageBuilder();
  /** Where each product code, and each product, zone and price list together, stands first. */
  private readonly productLines = new Map<string, number>();
  private readonly priceLines = new Map<string, number>();
  /** Every line of prices with the product it names. */
  private readonly priced: { code: string; line: number }[] = [];

  private readonly tables: Readonly<Record<CatalogueFile, CsvTable>> = {
    products: new CsvTable('products.csv', PRODUCT_COLUMNS, this.faults, (cells, line) =>
      this.readProduct(cells, line),
    ),
    prices: new CsvTable('prices.csv', PRICE_COLUMNS, this.faults, (cells, line) =>
      this.readPrice(cells, line),
    ),
    coverage: new CsvTable('coverage.csv', COVERAGE_COLUMNS, this.faults, (cells, line) =>
      this.readPlace(cells[0]!, cells[1]!, line),
    ),
  };

  push(file: CatalogueFile, chunk: string): void {
    this.tables[file].push(chunk);
  }

  /** Call it once, after all chunks. */
  end(): CatalogueFilesResult {
    for (const table of Object.values(this.tables)) table.end();
    if (this.tables.products.readable) this.checkPricedProducts();
    const coverage = this.coverage.build(({ place, line, firstLine }) =>
      this.tables.coverage.refuse(line, 'place', place, repeats('place', firstLine)),
    );
    const faults = this.faults.sorted(['products.csv', 'prices.csv', 'coverage.csv']);
    const content = {
      products: sortedProducts(this.products),
      prices: sortedPrices(this.prices),
      coverage,
    };
    return { content: faults.total === 0 ? content : null, faults };
  }

  private readProduct(cells: readonly string[], line: number): void {
    const table = this.tables.products;
    const row = parseCells(PRODUCT_CELLS, cells, (...bad) => table.refuse(line, ...bad));
    const { code, name, term_months: term } = row;
    const provisioned = row.bandwidth_provisioned_gbps;
    const capacity = row.bandwidth_capacity_gbps;
    if (code !== undefined) {
      const first = firstLineOf(this.productLines, code, line);
      if (first !== line) table.refuse(line, 'code', code, repeats('product code', first));
    }
    if (provisioned !== undefined && capacity !== undefined && provisioned > capacity) {
      table.refuse(line, 'bandwidth_provisioned_gbps', String(provisioned / 1000), {
        reason: `It is more than the capacity, ${capacity / 1000} Gbit/s.`,
        suggestion: 'Exchange the two, or correct one.',
      });
    }
    if (code === undefined || name === undefined || term === undefined) return;
    if (provisioned === undefined || capacity === undefined) return;
    this.products.push({
      code,
      name,
      bandwidthProvisionedMbps: provisioned,
      bandwidthCapacityMbps: capacity,
      termMonths: term,
    });
  }

  private readPrice(cells: readonly string[], line: number): void {
    const table = this.tables.prices;
    const row = parseCells(PRICE_CELLS, cells, (...bad) => table.refuse(line, ...bad));
    const {
      product,
      zone,
      price_list: priceList,
      price = '',
      currency,
      lead_time_days: days,
    } = row;
    if (product !== undefined) this.priced.push({ code: product, line });
    if (product !== undefined && zone !== undefined && priceList !== undefined) {
      const first = firstLineOf(this.priceLines, `${product} ${zone} ${priceList}`, line);
      if (first !== line) {
        table.refuse(line, 'product', product, repeats('product, zone and price list', first));
      }
    }
    const amountMinor = priceIn(price, currency);
    if (amountMinor instanceof BadCell) return table.refuse(line, 'price', price, amountMinor);
    if (product === undefined || zone === undefined || priceList === undefined) return;
    if (currency === undefined || days === undefined) return;
    this.prices.push({
      productCode: product,
      zone,
      priceList,
      amountMinor,
      currency,
      leadTimeDays: days,
    });
  }

  private readPlace(text: string, zone: string, line: number): void {
    const place = parsePlace(text);
    const zoneNumber = this.coverage.knownZone(zone) ?? this.newZone(zone, line);
    if (place instanceof PostcodeRefusal) {
      const { detail, suggestion } = place;
      // The detail goes on, after a colon, with advice: here that is the suggestion.
      this.tables.coverage.refuse(line, 'place', text, {
        reason: detail.replace(/: .*$/, '.').replace(/ Did you mean .*$/, ''),
        suggestion: suggestion === undefined ? PLACES : `Did you mean "${suggestion}"?`,
      });
    } else if (zoneNumber !== undefined) {
      this.coverage.add(place, zoneNumber, line);
    }
  }

  private newZone(text: string, line: number): number | undefined {
    const zone = zoneName(text);
    if (zone instanceof BadCell) {
      this.tables.coverage.refuse(line, 'zone', text, {
        reason: zone.reason,
        suggestion: () => didYouMean(text, this.coverage.zones()) ?? zone.suggestion,
      });
      return undefined;
    }
    if (this.coverage.zoneCount < MOST_ZONES) return this.coverage.addZone(zone);
    this.tables.coverage.refuse(line, 'zone', zone, {
      reason: `There are more than ${MOST_ZONES} zones.`,
      suggestion: 'Join zones that have the same prices and lead times.',
    });
    return undefined;
  }

  private checkPricedProducts(): void {
    const codes = this.productLines;
    for (const { code, line } of this.priced) {
      if (codes.has(code)) continue;
      this.tables.prices.refuse(line, 'product', code, {
        reason: 'products.csv has no product of this code.',
        suggestion: () =>
          didYouMean(code, codes.keys()) ?? 'Add it to products.csv, or remove this price.',
      });
    }
  }
}

/** Where `key` stands first: `line` itself unless it was seen. */
function firstLineOf(lines: Map<string, number>, key: string, line: number): number {
  const first = lines.get(key);
  if (first === undefined) lines.set(key, line);
  return first ?? line;
}

function repeats(what: string, firstLine: number): Wrong {
  return {
    reason: `The ${what} is on line ${firstLine} too.`,
    suggestion: 'Remove one of the two.',
  };
}

function didYouMean(text: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(text, candidates);
  return near === undefined ? undefined : `Did you mean "${near}"?`;
}

/** Reads three whole texts; see CatalogueFilesReader. */
export function parseCatalogueFiles(texts: Record<CatalogueFile, string>): CatalogueFilesResult {
  const reader = new CatalogueFilesReader();
  for (const file of ['products', 'prices', 'coverage'] as const) reader.push(file, texts[file]);
  return reader.end();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortedProducts(products: readonly ProductRow[]): ProductRow[] {
  return products.toSorted((a, b) => compare(a.code, b.code));
}

function sortedPrices(prices: readonly PriceRow[]): PriceRow[] {
  return prices.toSorted(
    (a, b) =>
      compare(a.productCode, b.productCode) ||
      compare(a.zone, b.zone) ||
      compare(a.priceList, b.priceList),
  );
}

/** SHA-256, in hex, of all that the content says: it does not depend on the order of rows. */
export function contentHash({ products, prices, coverage }: CatalogueContent): string {
  const canonical = {
    products: sortedProducts(products).map((p) => [
      p.code,
      p.name,
      p.bandwidthProvisionedMbps,
      p.bandwidthCapacityMbps,
      p.termMonths,
    ]),
    prices: sortedPrices(prices).map((p) => [
      p.productCode,
      p.zone,
      p.priceList,
      p.amountMinor,
      p.currency,
      p.leadTimeDays,
    ]),
    coverage: coverage.checksum,
  };
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex');
}
