import {
  type CatalogueFile,
  catalogueFileNames,
  fieldsOf,
  fileInfo,
  type RowFile,
  type SupplierFile,
  supplierFileNames,
  supplierPath,
} from '../catalogue-files.js';
import type { CatalogueContent } from '../catalogue.js';
import type { SupplierRow } from '../cost-fields.js';
import { printPlace } from '../../../platform/kernel/postcode.js';
import type { CoverageIndex } from '../coverage-index.js';
import { printPolygons } from './polygon-reader.js';
import {
  CONSTRAINTS_COLUMN,
  COVERAGE_COLUMNS,
  POSITION_COLUMNS,
  PREMISES_COLUMNS,
} from './csv-reader.js';
import { cellOfConstraints } from '../zone-fields.js';
import { csvChunks } from '../../../platform/tables/csv.js';
import { type AnyRow, columnEntriesOf, type FieldsOfRows, usedProperties } from '../offers.js';

/** A file of a catalogue as text, in chunks. */
export interface WrittenFile {
  readonly file: CatalogueFile | SupplierFile;
  /** Null for a file that is in no cost book. */
  readonly supplier: string | null;
  readonly fileName: string;
  readonly chunks: Iterable<string>;
}

/**
 * The files of a content, without optional ones that have no rows.
 * @param isWhole includes these too, with only their headers
 */
export function printCatalogue(content: CatalogueContent, isWhole = false): WrittenFile[] {
  const own = catalogueFileNames.flatMap((file): WrittenFile | [] => {
    const { fileName, fields, isOptional } = fileInfo(file);
    if (file === 'polygons') {
      const { polygons } = content;
      if (polygons.length === 0 && !isWhole) return [];
      return { file, supplier: null, fileName, chunks: printPolygons(polygons) };
    }
    const count = fields ? content[file as RowFile].length : content.premises.count;
    if (isOptional && count === 0 && !isWhole) return [];
    const records = fields
      ? recordsOf(fields, content[file as RowFile])
      : file === 'premises'
        ? premisesRecords(content)
        : coverageRecords(content.coverage);
    return { file, supplier: null, fileName, chunks: csvChunks(records) };
  });
  const books = content.suppliers.flatMap(({ supplier }) =>
    supplierFileNames.flatMap((file): WrittenFile | [] => {
      const rows = (content[file] as readonly SupplierRow[]).filter(
        (row) => row.supplier === supplier,
      );
      if (fileInfo(file).isOptional && rows.length === 0) return [];
      const chunks = csvChunks(recordsOf(fieldsOf(file), rows));
      return { file, supplier, fileName: supplierPath(supplier, file), chunks };
    }),
  );
  return [...own, ...books];
}

/** Omits a column that is empty in every row, so that files without it stay as they are. A file without rows has all. */
function* recordsOf(
  fields: FieldsOfRows,
  rows: readonly object[],
): Generator<readonly (string | number)[]> {
  const used = usedProperties(fields, rows);
  const entries = columnEntriesOf(fields).filter(
    ([property]) => rows.length === 0 || used.includes(property),
  );
  yield entries.map(([, { column }]) => column);
  for (const row of rows as readonly AnyRow[]) {
    yield entries.map(([property, { print }]) => {
      const value = row[property];
      return print ? print(value, row) : ((value ?? '') as string | number);
    });
  }
}

function* coverageRecords(coverage: CoverageIndex): Generator<readonly string[]> {
  yield COVERAGE_COLUMNS;
  for (const { place, zone } of coverage.rows()) yield [place, zone];
}

function* premisesRecords({
  coverage,
  premises,
}: CatalogueContent): Generator<readonly (string | number)[]> {
  const { arePlaced, areConstrained } = premises;
  const placed = arePlaced ? POSITION_COLUMNS : [];
  yield [...PREMISES_COLUMNS, ...placed, ...(areConstrained ? [CONSTRAINTS_COLUMN] : [])];
  for (const { uprn, packed, zoneNumber, name, position, constraints } of premises.listed()) {
    const zone = coverage.zoneName(zoneNumber) ?? '';
    const cells = [uprn, printPlace('unit', packed), name ?? '', zone];
    if (arePlaced) cells.push(position?.easting ?? '', position?.northing ?? '');
    if (areConstrained) cells.push(cellOfConstraints(constraints));
    yield cells;
  }
}
