import { parsePlace, PostcodeRefusal } from '../../kernel/postcode.js';
import { BadCell, nearest, zoneName } from './cells.js';
import type { CatalogueContent } from './catalogue.js';
import { CoverageBuilder, MOST_ZONES } from './coverage-index.js';
import { CsvTable, FaultList, FileFaults, FaultReason } from './csv-table.js';
import {
  type OfferFields,
  priceFields,
  type PriceRow,
  productFields,
  type ProductRow,
} from './offer-fields.js';
import { type AnyField, type AnyRow, columnsOf, entriesOf } from './offers.js';

export type { FileFault, FileFaults } from './csv-table.js';

export type CatalogueFile = 'products' | 'prices' | 'coverage';

export interface CatalogueFilesResult {
  /** Products and prices in their canonical order; null where there is any fault. */
  readonly content: CatalogueContent | null;
  readonly faults: FileFaults;
}

export const COVERAGE_COLUMNS = ['place', 'zone'];

const PLACES =
  'Write a unit (EC2A 2BS), sector (EC2A 2), subdistrict (EC2A), district (EC2) or area (EC).';

/**
 * Reads the three files of a catalogue, in chunks that may be cut anywhere and come in any order,
 * and reports every bad row and cell in them.
 */
export class CatalogueFilesReader {
  private readonly faults = new FaultList();
  private readonly products = new RowsOf<ProductRow>(productFields, 'product code');
  private readonly prices = new RowsOf<PriceRow>(priceFields, 'product, zone and price list');
  private readonly coverage = new CoverageBuilder();
  /** Every line of prices with the product it names. */
  private readonly priced: { code: string; line: number }[] = [];

  private readonly tables: Readonly<Record<CatalogueFile, CsvTable>> = {
    products: new CsvTable('products.csv', this.products, this.faults, (cells, line) => {
      this.products.read(cells, line, this.tables.products);
    }),
    prices: new CsvTable('prices.csv', this.prices, this.faults, (cells, line) => {
      const { productCode } = this.prices.read(cells, line, this.tables.prices);
      if (productCode !== undefined) this.priced.push({ code: productCode, line });
    }),
    coverage: new CsvTable(
      'coverage.csv',
      { columns: COVERAGE_COLUMNS },
      this.faults,
      (cells, line) => this.readPlace(cells[0]!, cells[1]!, line),
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
      products: this.products.sorted(),
      prices: this.prices.sorted(),
      coverage,
    };
    return { content: faults.total === 0 ? content : null, faults };
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
    const codes = this.products.lines;
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

/** The rows of one file, as its fields say. */
class RowsOf<T extends object> {
  readonly columns: readonly string[];
  readonly optional: readonly string[];
  /** Where each key stands first. */
  readonly lines = new Map<string, number>();
  private readonly rows: T[] = [];
  private readonly fields: [property: string, field: AnyField, at: number][];
  private readonly checked: typeof this.fields;
  private readonly keys: [property: string, field: AnyField][];

  /** @param keyName of all key fields together, for messages */
  constructor(
    fields: OfferFields<ProductRow> | OfferFields<PriceRow>,
    private readonly keyName: string,
  ) {
    const entries = entriesOf(fields);
    this.columns = columnsOf(fields);
    this.optional = entries.flatMap(([, { column, absent }]) =>
      absent === undefined ? [] : column,
    );
    this.keys = entries.filter(([, { isKey }]) => isKey);
    // Those that read another one come after it.
    this.fields = entries
      .map(([property, field], at): [string, AnyField, number] => [property, field, at])
      .sort(([, a], [, b]) => Number(a.reads !== undefined) - Number(b.reads !== undefined));
    this.checked = this.fields.filter(([, { check }]) => check !== undefined);
  }

  /** Keeps the row where it has no fault. @returns what could be read of it */
  read(cells: readonly string[], line: number, table: CsvTable): Partial<T> {
    const row: Record<string, unknown> = {};
    let faults = 0;
    const refuse = (column: string, cell: string, fault: BadCell) => {
      faults += 1;
      table.refuse(line, column, cell, fault);
    };
    for (const [property, field, at] of this.fields) {
      const cell = cells[at]!;
      const isAbsent = cell === '' && field.absent !== undefined;
      const value = isAbsent ? field.absent : field.parse(cell, row);
      if (value instanceof BadCell) refuse(field.column, cell, value);
      else row[property] = value;
    }
    for (const [property, { check, column }, at] of this.checked) {
      const fault = property in row ? check!(row[property], row) : null;
      if (fault) refuse(column, cells[at]!, fault);
    }
    this.refuseRepeated(row, line, table);
    if (faults === 0) this.rows.push(row as T);
    return row as Partial<T>;
  }

  private refuseRepeated(row: AnyRow, line: number, table: CsvTable): void {
    const values = this.keys.map(([property]) => row[property]);
    if (values.includes(undefined)) return;
    const key = values.join(' ');
    const first = this.lines.get(key);
    if (first === undefined) this.lines.set(key, line);
    else
      table.refuse(line, this.keys[0]![1].column, String(values[0]), repeats(this.keyName, first));
  }

  /** In canonical order: by the key fields. */
  sorted(): T[] {
    const keys = this.keys.map(([property]) => property as keyof T);
    return this.rows.toSorted((a, b) => {
      const key = keys.find((name) => a[name] !== b[name]);
      return key === undefined ? 0 : a[key] < b[key] ? -1 : 1;
    });
  }
}

function repeats(what: string, firstLine: number): FaultReason {
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
