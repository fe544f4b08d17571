const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const HASH = 35;
const COMMA = 44;
const BOM = 0xfeff;

/** The longest record, in characters. It bounds the memory that an unclosed quote can take. */
export const LONGEST_RECORD = 65_536;

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
 * mark at the start, blank lines and lines that begin with `#` are skipped. After a fault it goes
 * on with the next line, so that one fault does not hide the others.
 */
export class CsvReader {
  /** What has arrived and is not read yet; it begins at a record, or inside a line to be dropped. */
  private text = '';
  private at = 0;
  private line = 1;
  private fieldLine = 1;
  private started = false;
  private droppingLine = false;
  private readonly fields: string[] = [];

  /**
   * @param onRecord gets the fields and the line where the record begins. The array is used again
   * for the next record: take the strings out of it.
   */
  constructor(
    private readonly onRecord: (fields: readonly string[], line: number) => void,
    private readonly onFault: (fault: CsvFault) => void,
  ) {}

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
    const { text, fields } = this;
    const { length } = text;
    let quote = indexOf(text, '"', 0);
    let comma = indexOf(text, ',', 0);
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
      if (quote < end && text.charCodeAt(start) !== HASH) {
        if (this.readQuotedRecord(final)) continue;
        break;
      }
      if (end - start > LONGEST_RECORD) {
        this.refuseLongRecord(start);
        continue;
      }
      if (end === length && !final) break;
      const stop = withoutCr(text, start, end);
      if (!isBlankOrComment(text, start, stop)) {
        if (comma < start) comma = indexOf(text, ',', start);
        let count = 0;
        let from = start;
        while (comma < stop) {
          fields[count++] = text.slice(from, comma);
          from = comma + 1;
          comma = indexOf(text, ',', from);
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
    this.fieldLine = this.line;
    for (;;) {
      const column = fields.length + 1;
      const value =
        text.charCodeAt(this.at) === QUOTE
          ? this.readQuoted(start, column, final)
          : this.readPlain(column, final);
      if (value === null) {
        if (!this.droppingLine && text.length - start > LONGEST_RECORD)
          this.refuseLongRecord(start);
        if (!this.droppingLine) this.at = start;
        return this.droppingLine;
      }
      fields.push(value);
      if (text.charCodeAt(this.at++) !== COMMA) break;
    }
    this.onRecord(fields, this.line);
    this.line = this.fieldLine + 1;
    return true;
  }

  /** The value in quotes at `at`; null when it was refused or more text is needed. */
  private readQuoted(start: number, column: number, final: boolean): string | null {
    const { text } = this;
    const opening = this.at;
    const line = this.fieldLine;
    let value = '';
    let at = opening;
    do {
      if (at > opening) value += '"';
      const closing = indexOf(text, '"', ++at);
      if (closing - start > LONGEST_RECORD || (closing === text.length && final)) {
        return this.refuse(start, this.line, {
          line,
          column,
          value: lineFrom(text, opening),
          reason: 'The quote that opens this value is never closed.',
          suggestion: 'Close it at the end of the value, or write "" for a quote inside one.',
        });
      }
      if (closing + 1 >= text.length && !final) return null;
      value += text.slice(at, closing);
      at = closing + 1;
    } while (text.charCodeAt(at) === QUOTE);
    for (let i = value.indexOf('\n'); i >= 0; i = value.indexOf('\n', i + 1)) this.fieldLine++;
    if (text.charCodeAt(at) === CR) {
      if (at + 1 === text.length && !final) return null;
      if (at + 1 === text.length || text.charCodeAt(at + 1) === LF) at++;
    }
    this.at = at;
    const after = text.charCodeAt(at);
    if (at === text.length || after === COMMA || after === LF) return value;
    if (indexOf(text, '\n', at) === text.length && !final) return null;
    return this.refuse(at, this.fieldLine, {
      line,
      column,
      value: lineFrom(text, opening),
      reason: 'There is text after the closing quote of this value.',
      suggestion: 'Write "" for a quote inside the value, or end the value at its quote.',
    });
  }

  /** The value without quotes at `at`; null when it was refused or more text is needed. */
  private readPlain(column: number, final: boolean): string | null {
    const { text, at: start } = this;
    const lineEnd = indexOf(text, '\n', start);
    const rest = text.slice(start, lineEnd);
    const comma = rest.indexOf(',');
    const end = comma < 0 ? lineEnd : start + comma;
    const value = comma < 0 ? rest.slice(0, withoutCr(rest, 0, rest.length)) : rest.slice(0, comma);
    const cutShort = lineEnd === text.length && !final;
    if (cutShort && (comma < 0 || value.includes('"'))) return null;
    if (value.includes('"')) {
      return this.refuse(start, this.fieldLine, {
        line: this.fieldLine,
        column,
        value,
        reason: 'There is a quote inside a value that does not begin with one.',
        suggestion: 'Put the whole value in quotes, and write "" for each quote inside it.',
      });
    }
    this.at = end;
    return value;
  }

  /** Reports `fault` and drops the rest of line `line`, in which `at` lies. */
  private refuse(at: number, line: number, fault: CsvFault): null {
    this.onFault(fault);
    this.at = at;
    this.line = line;
    this.droppingLine = true;
    return null;
  }

  private refuseLongRecord(start: number): void {
    this.refuse(start, this.line, {
      line: this.line,
      column: 1,
      value: lineFrom(this.text, start),
      reason: 'The record is longer than 65,536 characters.',
      suggestion: 'Check that this is a CSV file with one record a line.',
    });
  }
}

/** Like `text.indexOf`, with the end of the text for "not found". */
function indexOf(text: string, part: string, from: number): number {
  const found = text.indexOf(part, from);
  return found < 0 ? text.length : found;
}

function isBlankOrComment(text: string, start: number, stop: number): boolean {
  if (start === stop) return true;
  const first = text.charCodeAt(start);
  return first === HASH || (first <= SPACE && text.slice(start, stop).trim() === '');
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
