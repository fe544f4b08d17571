import { nearest } from './nearest.js';
import { shortened } from '../kernel/text.js';
import type { CsvFault } from './csv.js';
import { isBlank, keyOfName, TableReader } from './table-reader.js';

export interface FileFault {
  /** Its name, e.g. `products.csv`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Empty if the fault is in the whole line. */
  readonly column: string;
  /** The cell, cut to 80 characters. */
  readonly value: string;
  readonly reason: string;
  readonly suggestion: string;
}

export interface FileFaults {
  /** The first 1,000 found, by file and line. */
  readonly shown: readonly FileFault[];
  readonly total: number;
}

/** A function computes an expensive suggestion only if the fault is shown. */
export interface FaultReason {
  readonly reason: string;
  readonly suggestion: string | (() => string);
}

const MOST_SHOWN = 1_000;
const LONGEST_VALUE = 80;

export class FaultList {
  private readonly shown: FileFault[] = [];
  private total = 0;

  add(file: string, line: number, column: string, value: string, wrong: FaultReason): void {
    this.total++;
    if (this.shown.length >= MOST_SHOWN) return;
    const { reason, suggestion } = wrong;
    this.shown.push({
      file,
      line,
      column,
      value: shortened(value, LONGEST_VALUE),
      reason,
      suggestion: typeof suggestion === 'string' ? suggestion : suggestion(),
    });
  }

  get count(): number {
    return this.total;
  }

  /** @param files the order of the files */
  sorted(files: readonly string[]): FileFaults {
    const shown = this.shown.toSorted(
      (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line,
    );
    return { shown, total: this.total };
  }
}

/** Cells of one line each; a value that is copied from a sheet can have line breaks. */
const oneLine = (cell: string) =>
  cell.includes('\n') ? cell.trim().replaceAll(/\s*\n\s*/g, ' ') : cell.trim();

/** A table with a row of names, whose columns may be in any order, and whose names in any spelling. */
export class CsvTable {
  private readonly table: TableReader;
  private readonly cells: string[] = [];
  private header: readonly string[] | null = null;
  private positions: readonly number[] = [];
  private unnamed: readonly number[] = [];
  private usable = false;

  private readonly columns: readonly string[];
  private readonly needed: readonly string[];

  /**
   * @param optional columns that may be missing; their cells are then empty
   * @param onRow receives cells of one line in the order of `columns`, in an array that is reused
   */
  constructor(
    private readonly file: string,
    { columns, optional = [] }: { columns: readonly string[]; optional?: readonly string[] },
    private readonly faults: FaultList,
    private readonly onRow: (cells: readonly string[], line: number) => void,
  ) {
    this.columns = columns;
    this.needed = columns.filter((name) => !optional.includes(name));
    const handlers = {
      onHead: (names: readonly string[], line: number) => this.readHeader(names, line),
      onRow: (cells: readonly string[], line: number) => {
        if (this.usable) this.readRow(cells, line, this.header!.length);
      },
      onFault: ({ line, column, value, ...wrong }: CsvFault) =>
        this.refuse(line, this.header?.[column - 1] || `column ${column}`, value, wrong),
    };
    this.table = new TableReader({ known: new Set(columns.map(keyOfName)) }, handlers);
  }

  push(chunk: string): void {
    this.table.push(chunk);
  }

  /** A row of a sheet, in place of text. */
  pushRow(cells: readonly string[], line: number): void {
    const missing = Math.max(0, (this.header?.length ?? 0) - cells.length);
    this.table.pushRow([...cells, ...Array<string>(missing).fill('')], line);
  }

  end(): void {
    this.table.end();
    if (this.header !== null) return;
    this.refuse(1, '', '', {
      reason: 'The file has no header.',
      suggestion: `Start it with the line ${this.needed.join(',')}`,
    });
  }

  /** Whether the header was valid. */
  get readable(): boolean {
    return this.usable;
  }

  refuse(line: number, column: string, value: string, wrong: FaultReason): void {
    this.faults.add(this.file, line, column, value, wrong);
  }

  private readHeader(header: readonly string[], line: number): void {
    const keys = header.map(keyOfName);
    const absent = this.columns.filter((name) => !keys.includes(keyOfName(name)));
    const missing = this.needed.filter((name) => absent.includes(name));
    this.header = header;
    this.positions = this.columns.map((name) => keys.indexOf(keyOfName(name)));
    this.unnamed = header.flatMap((name, i) => (name === '' ? i : []));
    this.usable = missing.length === 0;
    for (const [i, name] of header.entries()) {
      // A column without a name may be empty: see `readRow`.
      if (name === '') continue;
      const first = keys.indexOf(keys[i]!);
      if (first < i) {
        this.refuse(line, name, name, {
          reason: `Columns ${first + 1} and ${i + 1} have the same name: ${header[first]!} and ${name}.`,
          suggestion: 'Remove one of them.',
        });
      } else if (!this.columns.some((column) => keyOfName(column) === keys[i])) {
        const near = nearest(name, absent);
        const others = missing.length > 0 ? `Name it ${missing.join(' or ')}, or remove` : 'Remove';
        this.refuse(line, name, name, {
          reason: 'There is no column with this name.',
          suggestion: near === undefined ? `${others} the column.` : `Did you mean "${near}"?`,
        });
      }
    }
    for (const name of missing) {
      this.refuse(line, name, '', {
        reason: 'This column is missing.',
        suggestion: `Write the header ${this.needed.join(',')}`,
      });
    }
  }

  private readRow(fields: readonly string[], line: number, expected: number): void {
    const { cells, positions } = this;
    const isLonger = fields.length > expected && !isBlank(fields.slice(expected));
    if (fields.length < expected || isLonger) {
      return this.refuse(line, '', fields.join(','), {
        reason: `The line has ${fields.length} values, the header has ${expected}.`,
        suggestion:
          'Put a value that contains a comma in double quotes; leave an empty value empty.',
      });
    }
    const unnamed = this.unnamed.find((at) => fields[at]!.trim() !== '');
    if (unnamed !== undefined) {
      return this.refuse(line, `column ${unnamed + 1}`, fields[unnamed]!, {
        reason: 'This column has no name.',
        suggestion: 'Name the column, or remove it.',
      });
    }
    for (let i = 0; i < positions.length; i++) cells[i] = oneLine(fields[positions[i]!] ?? '');
    this.onRow(cells, line);
  }
}
