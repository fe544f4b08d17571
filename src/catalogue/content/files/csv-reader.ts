import { parsePlace, parsePostcode, PostcodeRefusal } from '../../../platform/kernel/postcode.js';
import {
  type CatalogueFile,
  catalogueFileNames,
  type FileRows,
  type CatalogueTexts,
  fileInfo,
  type OwnRowFile,
  ownRowFiles,
  type RowOfFile,
  type SupplierFile,
  supplierFileNames,
} from '../catalogue-files.js';
import { didYouMean } from '../../../platform/tables/nearest.js';
import { BadCell, premisesName, uprnNumber, zoneName } from '../cells.js';
import { AREAS_OFF_GRID, type Position, type Positions } from '../../../near-net/positions.js';
import { bandFaults, networkPointFields } from '../band-fields.js';
import type { CatalogueContent } from '../catalogue.js';
import { constraintBits, constraintCell, NO_CONSTRAINTS } from '../zone-fields.js';
import { bookFaults } from '../cost-books.js';
import { NO_ROW } from '../coverage-codec.js';
import { CoverageBuilder, MOST_ZONES } from '../coverage-index.js';
import {
  CsvTable,
  FaultList,
  FileFaults,
  FaultReason,
} from '../../../platform/tables/csv-table.js';
import { datesInWords, overlappingPrices } from '../dates.js';
import { MOST_PREMISES, PremisesBuilder } from '../premises-index.js';
import { priceListFaults } from '../effective-prices.js';
import type { TableTarget } from '../../../platform/tables/table-file.js';
import { BookReader, type BookTexts } from './book-reader.js';
import { PolygonReader } from './polygon-reader.js';
import { repeats, RowsOf } from './rows-of-file.js';
import { whole } from '../../../platform/kernel/counts.js';

export interface CatalogueFilesResult {
  /** Rows in canonical order; null if there is any fault. */
  readonly content: CatalogueContent | null;
  readonly faults: FileFaults;
}

/** A file of the catalogue itself, or of the folder of a supplier. */
export interface FileOfCatalogue {
  readonly file: CatalogueFile | SupplierFile;
  readonly supplier: string | null;
}

export const COVERAGE_COLUMNS = ['place', 'zone'];
export const PREMISES_COLUMNS = ['uprn', 'postcode', 'name', 'zone'];
/** Of premises.csv, too, where it has them. */
export const POSITION_COLUMNS = ['easting', 'northing'] as const;
export const CONSTRAINTS_COLUMN = 'constraints';

const PLACES =
  'Write a unit (EC2A 2BS), sector (EC2A 2), subdistrict (EC2A), district (EC2) or area (EC).';

/**
 * Reads the files of a catalogue and reports every bad row and cell. Chunks may be cut anywhere,
 * and those of different files may alternate.
 */
export class CatalogueFilesReader {
  private readonly faults = new FaultList();
  private readonly rows = Object.fromEntries(
    ownRowFiles.map((file) => [file, new RowsOf(file)]),
  ) as unknown as { readonly [F in OwnRowFile]: RowsOf<RowOfFile<F>> };
  private readonly books = new BookReader(this.faults);
  /** Reads coverage.geojson, whose text may also arrive as bytes. */
  readonly polygons: PolygonReader;
  private readonly coverage = new CoverageBuilder();
  /** The files that are not empty. */
  private readonly given = new Set<CatalogueFile>();
  private readonly premises = new PremisesBuilder();
  /** The product code of each line of prices. */
  private readonly priced: { code: string; line: number }[] = [];

  private readonly tables: Readonly<Record<Exclude<CatalogueFile, 'polygons'>, CsvTable>> = {
    ...(Object.fromEntries(ownRowFiles.map((file) => [file, this.rowTable(file)])) as Record<
      OwnRowFile,
      CsvTable
    >),
    coverage: this.table('coverage', { columns: COVERAGE_COLUMNS }, (cells, line) =>
      this.readPlace(cells[0]!, cells[1]!, line),
    ),
    premises: this.table(
      'premises',
      {
        columns: [...PREMISES_COLUMNS, ...POSITION_COLUMNS, CONSTRAINTS_COLUMN],
        optional: [...POSITION_COLUMNS, CONSTRAINTS_COLUMN],
      },
      (cells, line) => this.readPremises(cells, line),
    ),
  };

  /** @param positions of the register, for polygons; null if it has none */
  constructor(positions: () => Positions | null = () => null) {
    this.polygons = new PolygonReader(this.faults, positions);
  }

  push(file: CatalogueFile, chunk: string): void {
    if (chunk === '') return;
    this.given.add(file);
    if (file === 'polygons') this.polygons.push(Buffer.from(chunk));
    else this.tables[file].push(chunk);
  }

  /** What takes in a file: its text in chunks, or the rows of its sheet. */
  receiving({ file, supplier }: FileOfCatalogue): TableTarget {
    if (supplier !== null) return this.books.receiving(supplier, file as SupplierFile);
    const own = file as Exclude<CatalogueFile, 'polygons'>;
    return {
      push: (chunk) => this.push(own, chunk),
      pushRow: (cells, line) => {
        this.given.add(own);
        this.tables[own].pushRow(cells, line);
      },
    };
  }

  /** @param supplier the folder of the file */
  pushOf(supplier: string, file: SupplierFile, chunk: string): void {
    if (chunk !== '') this.books.receiving(supplier, file).push(chunk);
  }

  /** Call once, after all chunks. */
  end(): CatalogueFilesResult {
    for (const file of catalogueFileNames) {
      if (file === 'polygons') continue;
      if (!fileInfo(file).isOptional || this.given.has(file)) this.tables[file].end();
    }
    const tables = { ...this.ownRows(), ...this.books.end() };
    this.polygons.end(this.knownZones(tables));
    if (this.tables.products.readable) this.checkPricedProducts();
    this.checkPriceLists();
    this.checkDates();
    this.checkBands();
    if (this.tables.products.readable) this.checkBooks(tables);
    const coverage = this.coverage.build(({ place, line, firstLine }) =>
      this.tables.coverage.refuse(line, 'place', place, repeats('place', firstLine)),
    );
    const premises = this.premises.build(this.coverage.renumbering().renumbered);
    const polygons = this.polygons.place({ coverage, premises });
    const faults = this.faults.sorted([
      ...catalogueFileNames.map((file) => fileInfo(file).fileName),
      ...this.books.fileNames,
    ]);
    const content = { ...tables, coverage, premises, polygons };
    return { content: faults.total === 0 ? content : null, faults };
  }

  private ownRows(): Omit<FileRows, SupplierFile | 'polygons'> {
    const rows = ownRowFiles.map((file) => [file, this.rows[file].sorted()]);
    return Object.fromEntries(rows) as Omit<FileRows, SupplierFile | 'polygons'>;
  }

  /** Those with a price, a cost, a row or a place. */
  private knownZones({ prices, zones, costs }: Pick<FileRows, 'prices' | 'zones' | 'costs'>) {
    const named = [...prices, ...zones, ...costs].map(({ zone }) => zone);
    return new Set([...named, ...this.coverage.zones()]);
  }

  private table(
    file: CatalogueFile,
    columns: { readonly columns: readonly string[]; readonly optional?: readonly string[] },
    onRow: (cells: readonly string[], line: number) => void,
  ): CsvTable {
    return new CsvTable(fileInfo(file).fileName, columns, this.faults, onRow);
  }

  private rowTable(file: OwnRowFile): CsvTable {
    return this.table(file, this.rows[file], (cells, line) => {
      const row = this.rows[file].read(cells, line, this.tables[file]);
      if ('productCode' in row) this.priced.push({ code: row.productCode!, line });
    });
  }

  private readPlace(text: string, zone: string, line: number): void {
    const place = parsePlace(text);
    const zoneNumber = this.zoneNumberOf(zone, line, this.tables.coverage);
    if (place instanceof PostcodeRefusal) {
      this.tables.coverage.refuse(line, 'place', text, placeFault(place, PLACES));
    } else if (zoneNumber !== undefined) {
      this.coverage.add(place, zoneNumber, line);
    }
  }

  private readPremises(cells: readonly string[], line: number): void {
    const [uprnCell, postcodeCell, nameCell, zone] = cells as [string, string, string, string];
    const table = this.tables.premises;
    const uprn = uprnNumber(uprnCell);
    const postcode = parsePostcode(postcodeCell);
    const name = premisesName(nameCell);
    const [easting, northing, constraintsCell = ''] = cells.slice(PREMISES_COLUMNS.length);
    const position = this.readPosition([easting ?? '', northing ?? ''], line);
    const stated = statedConstraints(constraintsCell);
    // With a position, they have the zone of their postcode; where it has none, they are priced by distance.
    const isByDistance = zone === '' && position !== null;
    const zoneNumber = isByDistance ? NO_ROW : this.zoneNumberOf(zone, line, table);
    if (uprn instanceof BadCell) table.refuse(line, 'uprn', uprnCell, uprn);
    if (name instanceof BadCell) table.refuse(line, 'name', nameCell, name);
    if (stated instanceof BadCell) table.refuse(line, CONSTRAINTS_COLUMN, constraintsCell, stated);
    if (postcode instanceof PostcodeRefusal) {
      table.refuse(line, 'postcode', postcodeCell, placeFault(postcode, 'Write e.g. EC2A 2BS.'));
      return;
    }
    if (position && AREAS_OFF_GRID.has(postcode.area)) {
      table.refuse(line, POSITION_COLUMNS[0], String(position.easting), {
        reason: `${postcode.area} is not on the National Grid of Great Britain, or has no price by distance.`,
        suggestion: 'Leave easting and northing empty.',
      });
      return;
    }
    if (uprn instanceof BadCell || name instanceof BadCell || position === undefined) return;
    if (zoneNumber === undefined || stated instanceof BadCell) return;
    const firstLine = this.premises.lineOf(uprn);
    if (firstLine !== undefined) table.refuse(line, 'uprn', uprnCell, repeats('UPRN', firstLine));
    else if (this.premises.count < MOST_PREMISES) {
      const { packed } = postcode;
      const constraints = constraintBits(stated);
      this.premises.add({ packed, uprn, zoneNumber, name, position, constraints }, line);
    } else {
      table.refuse(line, 'uprn', uprnCell, {
        reason: `There are more than ${whole(MOST_PREMISES)} premises.`,
        suggestion: 'Leave out premises that have the zone of their postcode.',
      });
    }
  }

  /** Null if it is not stated; undefined for a fault, which is reported. */
  private readPosition(cells: readonly string[], line: number): Position | null | undefined {
    if (cells.every((cell) => cell === '')) return null;
    const read = POSITION_COLUMNS.map((column, i) => {
      const value = networkPointFields[column].parse(cells[i]!, {});
      if (value instanceof BadCell) this.tables.premises.refuse(line, column, cells[i]!, value);
      return value;
    });
    const [easting, northing] = read.filter((value) => typeof value === 'number');
    return northing === undefined ? undefined : { easting: easting!, northing };
  }

  private zoneNumberOf(zone: string, line: number, table: CsvTable): number | undefined {
    return this.coverage.knownZone(zone) ?? this.newZone(zone, line, table);
  }

  private newZone(text: string, line: number, table: CsvTable): number | undefined {
    const zone = zoneName(text);
    if (zone instanceof BadCell) {
      table.refuse(line, 'zone', text, {
        reason: zone.reason,
        suggestion: () => didYouMean(text, this.coverage.zones()) ?? zone.suggestion,
      });
      return undefined;
    }
    if (this.coverage.zoneCount < MOST_ZONES) return this.coverage.addZone(zone);
    table.refuse(line, 'zone', zone, {
      reason: `There are more than ${MOST_ZONES} zones.`,
      suggestion: 'Merge zones that have the same prices and lead times.',
    });
    return undefined;
  }

  private checkPricedProducts(): void {
    const codes = this.rows.products.lines;
    for (const { code, line } of this.priced) {
      if (codes.has(code)) continue;
      this.tables.prices.refuse(line, 'product', code, {
        reason: 'products.csv has no product with this code.',
        suggestion: () =>
          didYouMean(code, codes.keys()) ?? 'Add it to products.csv, or remove this price.',
      });
    }
  }

  private checkPriceLists(): void {
    const { lines } = this.rows.priceLists;
    const content = {
      prices: this.rows.prices.sorted(),
      priceLists: this.rows.priceLists.sorted(),
    };
    for (const fault of priceListFaults(content, lines.keys())) {
      const line = lines.get(fault.priceList)!;
      this.tables.priceLists.refuse(line, fault.column, fault.value, fault);
    }
  }

  private checkDates(): void {
    for (const rows of overlappingPrices(this.rows.prices.sorted())) {
      const [first, second] = rows
        .map((row) => ({ row, line: this.rows.prices.lineOf(row) }))
        .sort((a, b) => a.line - b.line);
      // The same dates on two lines are reported as a repeated row.
      if (first!.line === second!.line) continue;
      const { validFrom, validUntil } = second!.row;
      const column = validFrom === null ? 'valid_until' : 'valid_from';
      this.tables.prices.refuse(second!.line, column, (validFrom ?? validUntil)!, {
        reason: `These dates overlap those of line ${first!.line}, ${datesInWords(first!.row)}.`,
        suggestion: 'Let one of the two end on the day before the other starts.',
      });
    }
  }

  private checkBooks(content: Parameters<typeof bookFaults>[0]): void {
    for (const fault of bookFaults(content)) {
      const { file, row, column, value } = fault;
      if (file === 'costs') this.books.refuse(row, column, value, fault);
      else this.tables.margins.refuse(this.rows.margins.lineOf(row), column, value, fault);
    }
  }

  private checkBands(): void {
    const zones = new Set([...this.coverage.zones(), ...this.polygons.zones()]);
    for (const { row, column, ...fault } of bandFaults(this.rows.buildBands.inOrder(), zones)) {
      const line = this.rows.buildBands.lines.get(`${row.zone} ${row.toMetres} ${row.products}`)!;
      const value = { zone: row.zone, products: row.products }[column] ?? String(row.toMetres);
      this.tables.buildBands.refuse(line, column, value, fault);
    }
    for (const { point, zone } of this.rows.networkPoints.inOrder()) {
      if (zones.has(zone)) continue;
      this.tables.networkPoints.refuse(this.rows.networkPoints.lines.get(point)!, 'zone', zone, {
        reason: 'Coverage has no place in this zone.',
        suggestion: () =>
          didYouMean(zone, zones) ?? 'Name a zone of coverage.csv or coverage.geojson.',
      });
    }
  }
}

/** Of premises. Empty for those of the zone. */
function statedConstraints(cell: string): string | BadCell {
  return cell === '' || cell === NO_CONSTRAINTS ? cell : constraintCell(cell);
}

/** @param advice replaces what follows a colon in the detail, unless there is a suggestion */
function placeFault({ detail, suggestion }: PostcodeRefusal, advice: string): FaultReason {
  return {
    reason: detail.replace(/: .*$/, '.').replace(/ Did you mean .*$/, ''),
    suggestion: suggestion === undefined ? advice : `Did you mean "${suggestion}"?`,
  };
}

/** @param books the files of cost books, by supplier @param positions of the register, for polygons */
export function parseCatalogueFiles(
  texts: CatalogueTexts,
  books: BookTexts = {},
  positions: Positions | null = null,
): CatalogueFilesResult {
  const reader = new CatalogueFilesReader(() => positions);
  for (const file of catalogueFileNames) reader.push(file, texts[file] ?? '');
  for (const [supplier, ofBook] of Object.entries(books)) {
    for (const file of supplierFileNames) reader.pushOf(supplier, file, ofBook[file] ?? '');
  }
  return reader.end();
}
