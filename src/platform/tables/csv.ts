const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const HASH = 35;
const BOM = 0xfeff;

/** How a text differs from commas and strict quotes (RFC 4180). */
export interface CsvDialect {
  /** One character; a comma by default. */
  readonly separator?: string;
  /** Whether lines that begin with `#` are skipped; true by default. */
  readonly hasComments?: boolean;
  /** Copied cells: a quote is a character, unless a whole value is in quotes. */
  readonly hasLooseQuotes?: boolean;
  /** The number of the first line, if it is not 1. */
  readonly firstLine?: number;
}

/** The longest record, in characters. It bounds the memory that an unclosed quote can take. */
export const LONGEST_RECORD = 65_536;

const LONGEST_CHUNK = 65_536;

/** A place where the text is not CSV; `line` and `column` count from 1, a column being a field. */
export interface CsvFault {
  readonly line: number;
  readonly column: number;
  readonly value: string;
  readonly reason: string;
  readonly suggestion: string;
}

/**
 * Reads CSV (RFC 4180) that arrives in chunks cut anywhere. Lines end in LF or CRLF; a byte order
 * mark at the start, blank lines and comments are skipped. After a fault it goes
 * on with the next line, so that one fault does not hide the others.
 */
export class CsvReader {
  /** What has arrived and is not read yet; it begins at a record, or inside a line to be dropped. */
  private text = '';
  private at = 0;
  private line: number;
  private started = false;
  private droppingLine = false;
  private readonly fields: string[] = [];
  private readonly separator: string;
  private readonly hasComments: boolean;
  private readonly hasLooseQuotes: boolean;
  private readonly unquoted: RegExp;

  /**
   * @param onRecord gets the fields and the line where the record begins. The array is used again
   * for the next record: take the strings out of it.
   */
  constructor(
    private readonly onRecord: (fields: readonly string[], line: number) => void,
    private readonly onFault: (fault: CsvFault) => void,
    { separator = ',', hasComments = true, hasLooseQuotes = false, firstLine = 1 }: CsvDialect = {},
  ) {
    this.line = firstLine;
    this.separator = separator;
    this.hasComments = hasComments;
    this.hasLooseQuotes = hasLooseQuotes;
    const ends = `${separator}\n${hasLooseQuotes ? '' : '"'}`;
    this.unquoted = new RegExp(`[^${ends}]*`, 'y');
  }

  push(chunk: string): void {
    if (chunk === '') return;
    if (!this.started && chunk.charCodeAt(0) === BOM) chunk = chunk.slice(1);
    this.started = true;
    this.text += chunk;
    this.read(false);
  }

  /** Reads what is left: the last line need not end in a line break. */
  end(): void {
    this.read(true);
  }

  /**
   * The next line break, quote and comma are each looked for once and remembered, so that a text
   * without one of them is not searched again for every line.
   */
  private read(final: boolean): void {
    const { text, fields, separator } = this;
    const { length } = text;
    let quote = indexOf(text, '"', 0);
    let comma = indexOf(text, separator, 0);
    this.at = 0;
    while (this.at < length) {
      const start = this.at;
      const end = indexOf(text, '\n', start);
      if (this.droppingLine) {
        this.droppingLine = end === length;
        this.nextLine(end);
        continue;
      }
      if (quote < start) quote = indexOf(text, '"', start);
      if (quote < end && !(this.hasComments && text.charCodeAt(start) === HASH)) {
        if (this.readQuotedRecord(final)) continue;
        break;
      }
      if (end - start > LONGEST_RECORD) {
        this.refuseLongRecord(start);
        continue;
      }
      if (end === length && !final) break;
      const stop = withoutCr(text, start, end);
      if (!this.isSkipped(start, stop)) {
        if (comma < start) comma = indexOf(text, separator, start);
        let count = 0;
        let from = start;
        while (comma < stop) {
          fields[count++] = text.slice(from, comma);
          from = comma + 1;
          comma = indexOf(text, separator, from);
        }
        fields[count++] = text.slice(from, stop);
        if (fields.length !== count) fields.length = count;
        this.onRecord(fields, this.line);
      }
      this.nextLine(end);
    }
    this.text = text.slice(this.at);
  }

  private nextLine(end: number): void {
    if (end < this.text.length) this.line++;
    this.at = end + 1;
  }

  /** Reads the record at `at`, which holds a quote. False: more text is needed. */
  private readQuotedRecord(final: boolean): boolean {
    const { text, at: start } = this;
    const fields: string[] = [];
    let { line } = this;
    let at = start;
    for (;;) {
      const startsQuoted = text.charCodeAt(at) === QUOTE;
      const closed = startsQuoted ? endOfQuoted(text, at) : at;
      if (this.hasLooseQuotes && closed === Infinity && !final) {
        if (text.length - start <= LONGEST_RECORD) return false;
      }
      const isQuoted = startsQuoted && !(this.hasLooseQuotes && !this.endsValue(closed));
      const end = isQuoted ? closed : this.endOfUnquoted(at);
      if (isQuoted && end - start > LONGEST_RECORD) {
        if (end === Infinity && !final && text.length - start <= LONGEST_RECORD) return false;
        return this.refuseUnclosed(at, line, fields.length + 1);
      }
      if (end - start > LONGEST_RECORD) return this.refuseLongRecord(start);
      const isLast = text[end] !== this.separator;
      const after = isQuoted && text.charCodeAt(end) === CR ? end + 1 : end;
      if (isLast && after < text.length && text[after] !== '\n') {
        return this.refuseField(at, end, line, fields.length + 1, final);
      }
      if (isLast && after === text.length && !final) return false;
      const stop = isQuoted ? end - 1 : isLast ? withoutCr(text, at, end) : end;
      const value = text.slice(isQuoted ? at + 1 : at, stop);
      fields.push(isQuoted ? value.replaceAll('""', '"') : value);
      if (isQuoted) line += countLines(value);
      at = after + 1;
      if (!isLast) continue;
      this.onRecord(fields, this.line);
      this.line = line + 1;
      this.at = at;
      return true;
    }
  }

  private endOfUnquoted(at: number): number {
    this.unquoted.lastIndex = at;
    this.unquoted.test(this.text);
    return this.unquoted.lastIndex;
  }

  /** Whether a separator or the end of the line follows. */
  private endsValue(end: number): boolean {
    return end === this.text.length || [this.separator, '\r', '\n'].includes(this.text[end] ?? '');
  }

  private isSkipped(start: number, stop: number): boolean {
    if (start === stop) return true;
    const first = this.text.charCodeAt(start);
    if (first === HASH) return this.hasComments;
    return first <= SPACE && this.text.slice(start, stop).trim() === '';
  }

  /** Reports the value from `at` to `end`, which no separator follows. False: more text is needed. */
  private refuseField(
    at: number,
    end: number,
    line: number,
    column: number,
    final: boolean,
  ): boolean {
    const { text } = this;
    const lineEnd = indexOf(text, '\n', end);
    if (lineEnd - this.at > LONGEST_RECORD) return this.refuseLongRecord(this.at);
    if (lineEnd === text.length && !final) return false;
    if (text.charCodeAt(at) === QUOTE) {
      return this.refuse(end, line + countLines(text.slice(at, end)), {
        line,
        column,
        value: lineFrom(text, at),
        reason: 'There is text after the closing quote of this value.',
        suggestion: 'Write "" for a quote inside the value, or end the value at its quote.',
      });
    }
    const rest = text.slice(at, withoutCr(text, at, lineEnd));
    return this.refuse(at, line, {
      line,
      column,
      value: rest.slice(0, indexOf(rest, this.separator, 0)),
      reason: 'There is a quote inside a value that does not begin with one.',
      suggestion: 'Put the whole value in quotes, and write "" for each quote inside it.',
    });
  }

  private refuseUnclosed(at: number, line: number, column: number): true {
    return this.refuse(this.at, this.line, {
      line,
      column,
      value: lineFrom(this.text, at),
      reason: 'The quote that opens this value is never closed.',
      suggestion: 'Close it at the end of the value, or write "" for a quote inside one.',
    });
  }

  /** Reports `fault` and drops the rest of line `line`, in which `at` lies. */
  private refuse(at: number, line: number, fault: CsvFault): true {
    this.onFault(fault);
    this.at = at;
    this.line = line;
    this.droppingLine = true;
    return true;
  }

  private refuseLongRecord(start: number): true {
    return this.refuse(start, this.line, {
      line: this.line,
      column: 1,
      value: lineFrom(this.text, start),
      reason: 'The record is longer than 65,536 characters.',
      suggestion: 'Check that this is a CSV file with one record a line.',
    });
  }
}

/** The index after the closing quote of the value that opens at `at`; Infinity where there is none. */
function endOfQuoted(text: string, at: number): number {
  for (let quote = at; ; quote += 1) {
    quote = text.indexOf('"', quote + 1);
    if (quote < 0) return Infinity;
    if (text.charCodeAt(quote + 1) !== QUOTE) return quote + 1;
    // Two quotes are one of the value.
  }
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

/** Like `text.indexOf`, with the end of the text for "not found". */
function indexOf(text: string, part: string, from: number): number {
  const found = text.indexOf(part, from);
  return found < 0 ? text.length : found;
}

/** `end`, or one less where the line from `start` ends in CRLF. */
function withoutCr(text: string, start: number, end: number): number {
  return end > start && text.charCodeAt(end - 1) === CR ? end - 1 : end;
}

function lineFrom(text: string, start: number): string {
  return text.slice(start, Math.min(indexOf(text, '\n', start), start + 200)).trimEnd();
}

/** One record as CSV text with its line break (LF). Values are quoted where they must be. */
export function csvRecord(values: readonly (string | number)[]): string {
  return values.map(quoteIfNeeded).join(',') + '\n';
}

function quoteIfNeeded(value: string | number): string {
  const text = String(value);
  return /[",\r\n]|^[#\s]|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The records as text, in chunks of some tens of kilobytes. */
export function* csvChunks(records: Iterable<readonly (string | number)[]>): Generator<string> {
  let chunk = '';
  for (const record of records) {
    chunk += csvRecord(record);
    if (chunk.length <= LONGEST_CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
