import { nearest } from '../cells.js';
import { CsvReader } from '../csv.js';
import { shortened } from '../../../platform/kernel/text.js';

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

/** A CSV file with a header, whose columns may be in any order. */
export class CsvTable {
  private readonly csv: CsvReader;
  private readonly cells: string[] = [];
  private header: readonly string[] | null = null;
  private positions: readonly number[] = [];
  private usable = false;

  private readonly columns: readonly string[];
  private readonly needed: readonly string[];

  /**
   * @param optional columns that may be missing; their cells are then empty
   * @param onRow receives trimmed cells in the order of `columns`, in an array that is reused
   */
  constructor(
    private readonly file: string,
    { columns, optional = [] }: { columns: readonly string[]; optional?: readonly string[] },
    private readonly faults: FaultList,
    private readonly onRow: (cells: readonly string[], line: number) => void,
  ) {
    this.columns = columns;
    this.needed = columns.filter((name) => !optional.includes(name));
    this.csv = new CsvReader(
      (fields, line) => {
        if (this.header === null) this.readHeader(fields, line);
        else if (this.usable) this.readRow(fields, line, this.header.length);
      },
      ({ line, column, value, ...wrong }) =>
        this.refuse(line, this.header?.[column - 1] ?? `column ${column}`, value, wrong),
    );
  }

  push(chunk: string): void {
    this.csv.push(chunk);
  }

  end(): void {
    this.csv.end();
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

  private readHeader(fields: readonly string[], line: number): void {
    const header = fields.map((name) => name.trim());
    const absent = this.columns.filter((name) => !header.includes(name));
    const missing = this.needed.filter((name) => absent.includes(name));
    const seen = new Set<string>();
    this.header = header;
    this.positions = this.columns.map((name) => header.indexOf(name));
    this.usable = missing.length === 0;
    const separator = /[;\t|]/.exec(header.join(','))?.[0];
    if (!this.usable && separator !== undefined) {
      const name = separator === '\t' ? 'tabs' : `"${separator}"`;
      return this.refuse(line, '', fields.join(','), {
        reason: 'The columns are not separated by commas.',
        suggestion: `Save the file with commas instead of ${name}.`,
      });
    }
    for (const [i, name] of header.entries()) {
      const column = name || `column ${i + 1}`;
      if (seen.has(name)) {
        this.refuse(line, column, name, {
          reason: 'Two columns have this name.',
          suggestion: 'Remove one of them.',
        });
      } else if (!this.columns.includes(name)) {
        const near = nearest(name, absent);
        const others = missing.length > 0 ? `Name it ${missing.join(' or ')}, or remove` : 'Remove';
        this.refuse(line, column, name, {
          reason: 'There is no column with this name.',
          suggestion: near === undefined ? `${others} the column.` : `Did you mean "${near}"?`,
        });
      }
      seen.add(name);
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
    if (fields.length !== expected) {
      return this.refuse(line, '', fields.join(','), {
        reason: `The line has ${fields.length} values, the header has ${expected}.`,
        suggestion:
          'Put a value that contains a comma in double quotes; leave an empty value empty.',
      });
    }
    for (let i = 0; i < positions.length; i++) cells[i] = fields[positions[i]!]?.trim() ?? '';
    this.onRow(cells, line);
  }
}
