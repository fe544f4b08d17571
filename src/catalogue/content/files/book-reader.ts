import {
  fieldsOf,
  type SupplierFile,
  supplierFileNames,
  supplierFiles,
  supplierPath,
} from '../catalogue-files.js';
import type { CatalogueContent } from '../catalogue.js';
import { BadCell } from '../cells.js';
import { type CostRow, supplierCode, type SupplierRow } from '../cost-fields.js';
import { CsvTable, type FaultList, type FaultReason } from '../../../platform/tables/csv-table.js';
import { sortedRows } from '../offers.js';
import { RowsOf } from './rows-of-file.js';

/** The texts of the files of each supplier. */
export type BookTexts = Readonly<Record<string, Readonly<Partial<Record<SupplierFile, string>>>>>;

interface BookFile {
  readonly rows: RowsOf<SupplierRow>;
  readonly table: CsvTable;
  readonly lines: number[];
}

/** Reads the cost books of suppliers: the files in their folders. */
export class BookReader {
  private readonly books = new Map<string, Partial<Record<SupplierFile, BookFile>>>();

  constructor(private readonly faults: FaultList) {}

  /** What takes in a file of a supplier. */
  receiving(supplier: string, file: SupplierFile): CsvTable {
    const book = this.books.get(supplier) ?? {};
    this.books.set(supplier, book);
    return (book[file] ??= this.open(supplier, file)).table;
  }

  /** In the order of reports. */
  get fileNames(): string[] {
    return [...this.books.keys()]
      .sort()
      .flatMap((supplier) => supplierFileNames.map((file) => supplierPath(supplier, file)));
  }

  /** Call once. */
  end(): Pick<CatalogueContent, SupplierFile> {
    for (const [supplier, book] of this.books) this.check(supplier, book);
    const tables = supplierFileNames.map((file) => {
      const rows = [...this.books.values()].flatMap((book) => book[file]?.rows.inOrder() ?? []);
      return [file, sortedRows(fieldsOf(file), rows)];
    });
    return Object.fromEntries(tables) as Pick<CatalogueContent, SupplierFile>;
  }

  refuse(row: CostRow, column: string, value: string, wrong: FaultReason): void {
    const { table, rows } = this.books.get(row.supplier)!.costs!;
    table.refuse((rows as object as RowsOf<CostRow>).lineOf(row), column, value, wrong);
  }

  private open(supplier: string, file: SupplierFile): BookFile {
    const rows = new RowsOf<SupplierRow>(file, file === 'suppliers' ? {} : { supplier });
    const lines: number[] = [];
    const path = supplierPath(supplier, file);
    const table: CsvTable = new CsvTable(path, rows, this.faults, (cells, line) => {
      const row = rows.read(cells, line, table);
      if (file !== 'suppliers') return;
      lines.push(line);
      if (row.supplier !== undefined && row.supplier !== supplier) {
        const other = this.books.has(row.supplier) ? ', which has a folder already' : '';
        table.refuse(line, 'supplier', row.supplier, {
          reason: `The folder is ${supplier}, but the file is of ${row.supplier}${other}: a supplier has one folder and one code.`,
          suggestion: `Write ${supplier}, or rename the folder.`,
        });
      }
    });
    return { rows, table, lines };
  }

  private check(supplier: string, book: Partial<Record<SupplierFile, BookFile>>): void {
    const code = supplierCode(supplier);
    const [first] = supplierFileNames.filter((file) => book[file]);
    if (code instanceof BadCell) {
      const { reason, suggestion } = code;
      const rename = suggestion.replace('Write', 'Rename the folder to');
      book[first!]!.table.refuse(1, '', supplier, { reason, suggestion: rename });
    }
    for (const file of supplierFileNames) {
      const { fileName, ...info } = supplierFiles[file];
      book[file]?.table.end();
      if (book[file] || 'isOptional' in info) continue;
      book[first!]!.table.refuse(1, '', '', {
        reason: `The folder has no ${fileName}.`,
        suggestion: `Add suppliers/${supplier}/${fileName}, or remove the folder.`,
      });
    }
    const { table, lines = [] } = book.suppliers ?? {};
    if (!table?.readable || lines.length === 1) return;
    table.refuse(lines[1] ?? 2, '', '', {
      reason: `The file has ${lines.length} rows, of exactly one.`,
      suggestion: 'Write one row, with the code of the supplier, its name, and the last day.',
    });
  }
}
