import { fieldsOf, fileInfo, type RowFile } from '../catalogue-files.js';
import { BadCell } from '../cells.js';
import type { CsvTable, FaultReason } from '../../../platform/tables/csv-table.js';
import {
  type AnyField,
  type AnyRow,
  columnEntriesOf,
  columnsOf,
  entriesOf,
  sortedRows,
} from '../offers.js';

/** Values of one column that are kept. */
const MOST_KNOWN = 20_000;

/** Reads the rows of one file by its field definitions. */
export class RowsOf<T extends object> {
  readonly columns: readonly string[];
  readonly optional: readonly string[];
  /** The first line of each key. */
  readonly lines = new Map<string, number>();
  private readonly rows: T[] = [];
  private readonly fields: [property: string, field: AnyField, at: number][];
  private readonly checked: typeof this.fields;
  /** By column: values of cells that do not depend on another one. A file repeats most of them. */
  private readonly known: Map<string, unknown>[];
  private readonly keys: [property: string, field: AnyField][];

  /** @param ofFolder the values that the folder of the file gives to all rows */
  constructor(
    private readonly file: RowFile,
    private readonly ofFolder: AnyRow = {},
  ) {
    const ofFile = fieldsOf(file);
    const entries = columnEntriesOf(ofFile);
    this.columns = columnsOf(ofFile);
    this.optional = entries.flatMap(([, { column, absent }]) =>
      absent === undefined ? [] : column,
    );
    this.keys = entriesOf(ofFile).filter(([, { isKey }]) => isKey);
    // A field that depends on another one is parsed after it.
    this.fields = entries
      .map(([property, field], at): [string, AnyField, number] => [property, field, at])
      .sort(([, a], [, b]) => Number(a.reads !== undefined) - Number(b.reads !== undefined));
    this.known = this.columns.map(() => new Map<string, unknown>());
    this.checked = this.fields.filter(([, { check }]) => check !== undefined);
  }

  /** Keeps the row if it has no fault. @returns the cells that could be read */
  read(cells: readonly string[], line: number, table: CsvTable): Partial<T> {
    const row: Record<string, unknown> = { ...this.ofFolder };
    let faults = 0;
    const refuse = (column: string, cell: string, fault: BadCell) => {
      faults += 1;
      table.refuse(line, column, cell, fault);
    };
    for (const [property, field, at] of this.fields) {
      const cell = cells[at]!;
      const isAbsent = cell === '' && field.absent !== undefined;
      const value = isAbsent ? field.absent : this.valueOf(cell, field, row, at);
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

  private valueOf(cell: string, field: AnyField, row: AnyRow, at: number): unknown {
    if (field.reads !== undefined) return field.parse(cell, row);
    const known = this.known[at]!;
    const found = known.get(cell);
    if (found !== undefined) return found;
    const value = field.parse(cell, row);
    if (known.size < MOST_KNOWN && !(value instanceof BadCell)) known.set(cell, value);
    return value;
  }

  private keyOf(row: AnyRow): unknown[] {
    return this.keys.map(([property]) => row[property]);
  }

  private refuseRepeated(row: AnyRow, line: number, table: CsvTable): void {
    const values = this.keyOf(row);
    if (values.includes(undefined)) return;
    const key = values.join(' ');
    const first = this.lines.get(key);
    if (first === undefined) this.lines.set(key, line);
    else {
      const [property, { column }] = this.keys.find(([, { inFolder }]) => !inFolder)!;
      table.refuse(
        line,
        column,
        String(row[property]),
        repeats(fileInfo(this.file).keyName!, first),
      );
    }
  }

  /** @param row one of `sorted` */
  lineOf(row: T): number {
    return this.lines.get(this.keyOf(row as AnyRow).join(' '))!;
  }

  sorted(): T[] {
    return sortedRows(fieldsOf(this.file), this.rows);
  }

  /** As in the file. */
  inOrder(): readonly T[] {
    return this.rows;
  }
}

export function repeats(what: string, firstLine: number): FaultReason {
  return {
    reason: `The ${what} is also on line ${firstLine}.`,
    suggestion: 'Remove one of the two.',
  };
}
