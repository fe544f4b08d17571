import { type CsvFault, CsvReader } from './csv.js';

/** A name without what people add to it: `Post-code *` and `Postcode (required)` are one name. */
export function keyOfName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\((?:required|mandatory|optional)\)/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** As a spreadsheet names a column, from 0: `A`, `Z`, `AA`. */
export function columnLetter(at: number): string {
  const before = at < 26 ? '' : columnLetter(Math.floor(at / 26) - 1);
  return before + String.fromCharCode(65 + (at % 26));
}

export const isBlank = (cells: readonly string[]): boolean =>
  cells.every((cell) => cell.trim() === '');

export interface TableRule {
  /** The keys of the names of columns that the table can have: see `keyOfName`. */
  readonly known: ReadonlySet<string>;
  /** Whether lines that begin with `#` are skipped; true by default. */
  readonly hasComments?: boolean;
}

/** Receives a table. Lines count from 1, as the person sees them: of a text, or of a sheet. */
export interface TableHandlers {
  readonly onHead: (names: readonly string[], line: number) => void;
  /** The array is used again for the next row. No row is blank, or repeats the names. */
  readonly onRow: (cells: readonly string[], line: number) => void;
  readonly onFault: (fault: CsvFault) => void;
}

const SEPARATORS = [',', ';', '\t', '|'];
/** Characters after which separator and line ends are decided. */
const START = 8_192;
/** Rows among which the names of the columns are: a title may be above them. */
const FIRST_ROWS = 20;

/**
 * Reads a table from text that arrives in chunks, or from the rows of a sheet. Finds out what separates the values
 * (also by a first line `sep=;`), how lines end, and which row names the columns: of the first rows, the one with the most
 * known names. Blank rows are skipped.
 */
export class TableReader {
  private start: string | null = '';
  private csv: CsvReader | undefined;
  private hasBareCr = false;
  private isHeadFound = false;
  private firstName = '';
  private first: { readonly cells: readonly string[]; readonly line: number }[] = [];

  constructor(
    private readonly rule: TableRule,
    private readonly handlers: TableHandlers,
  ) {}

  push(chunk: string): void {
    if (this.start === null) return this.csv!.push(this.withLf(chunk));
    this.start += chunk;
    if (this.start.length >= START) this.begin();
  }

  end(): void {
    if (this.start) this.begin();
    this.csv?.end();
    this.findHead();
  }

  /** A row of a sheet, in place of text. */
  pushRow(cells: readonly string[], line: number): void {
    if (isBlank(cells)) return;
    if (!this.isHeadFound) {
      this.first.push({ cells: [...cells], line });
      if (this.first.length === FIRST_ROWS || this.isHead(cells)) this.findHead();
    } else if (cells[0] !== this.firstName || !this.isHead(cells)) this.handlers.onRow(cells, line);
  }

  private begin(): void {
    const { hasComments = true } = this.rule;
    let text = this.start!.replace(/^\uFEFF/, '');
    this.start = null;
    this.hasBareCr = endsInCr(text.slice(0, START));
    text = this.withLf(text);
    const [stated, separatorStated] = /^"?sep=(.)"?(?:\r?\n|$)/i.exec(text) ?? [''];
    const separator = separatorStated ?? this.separatorOf(text.slice(0, START));
    this.csv = new CsvReader((cells, line) => this.pushRow(cells, line), this.handlers.onFault, {
      separator,
      hasComments,
      hasLooseQuotes: separator === '\t',
      firstLine: stated === '' ? 1 : 2,
    });
    this.csv.push(text.slice(stated.length));
  }

  private withLf(text: string): string {
    return this.hasBareCr ? text.replaceAll('\r', '\n') : text;
  }

  /** With which a line has the most known names, or otherwise the first line the most values. */
  private separatorOf(text: string): string {
    const lines = text.split('\n', FIRST_ROWS * 2).filter((line) => line.trim() !== '');
    const splits = lines.flatMap((line) =>
      SEPARATORS.map((separator) => ({ separator, cells: line.split(separator) })),
    );
    let [best] = splits;
    for (const split of splits) if (this.known(split.cells) > this.known(best!.cells)) best = split;
    if (best && this.known(best.cells) > 0) return best.separator;
    for (const split of splits.slice(0, SEPARATORS.length)) {
      if (split.cells.length > best!.cells.length) best = split;
    }
    return best?.separator ?? ',';
  }

  private known(cells: readonly string[]): number {
    const keys = new Set(cells.map(keyOfName));
    return [...keys].filter((key) => this.rule.known.has(key)).length;
  }

  /** Whether no later row can name the columns better. */
  private isHead(cells: readonly string[]): boolean {
    const filled = cells.filter((cell) => cell.trim() !== '').length;
    return this.known(cells) >= Math.max(2, filled / 2);
  }

  private findHead(): void {
    if (this.isHeadFound) return;
    this.isHeadFound = true;
    const { first } = this;
    if (first.length === 0) return;
    const counts = first.map(({ cells }) => this.known(cells));
    const most = Math.max(...counts);
    const plain = first.findIndex(({ cells }) => !isBlank(cells.slice(1)));
    const at = most > 0 ? counts.indexOf(most) : Math.max(0, plain);
    const { cells, line } = first[at]!;
    const last = cells.findLastIndex((cell) => cell.trim() !== '');
    this.firstName = cells[0]!;
    this.handlers.onHead(
      cells.slice(0, last + 1).map((name) => name.trim()),
      line,
    );
    this.first = [];
    for (const row of first.slice(at + 1)) this.pushRow(row.cells, row.line);
  }
}

/** Whether the first line that ends outside of quotes ends in a CR without LF, as on old Macs. */
function endsInCr(text: string): boolean {
  const [, end] = /^(?:[^"\r\n]|"[^"]*")*(\r\n|\r(?!\n)|\n)(?=[^])/.exec(text) ?? [];
  return end === '\r';
}
