/** Finds the rows of a spreadsheet before its cells are read, so that one with too many is refused at once. Pure. */

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;

/** A row with content. Its last line end is left out. */
export interface SheetRow {
  /** Of its first line, from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly fields: number;
  /** Whether a quoted field is still open at the end. */
  readonly isOpen: boolean;
}

export interface SheetBounds {
  readonly separator: string;
  /** Rows with content that are returned: the search ends there. */
  readonly most: number;
  /** Characters: a longer row is cut, and the last one. */
  readonly longest: number;
}

/**
 * The rows with content. A quote inside a field that is not quoted makes the text unreadable: what follows is one row,
 * for the reader of the cells to refuse.
 */
export function rowsIn(text: string, { separator, most, longest }: SheetBounds): SheetRow[] {
  const rows: SheetRow[] = [];
  const between = separator.charCodeAt(0);
  const lineEnd = text.includes('\n') ? LF : CR;
  let [line, firstLine, start, fields] = [1, 1, 0, 1];
  let [isQuoted, isFilled, isFieldStart] = [false, false, true];
  let closedAt = -2;
  for (let i = 0; i < text.length && rows.length < most; i += 1) {
    const code = text.charCodeAt(i);
    if (code === lineEnd) line += 1;
    if (i - start > longest) {
      rows.push({ line: firstLine, start, end: i, fields, isOpen: isQuoted });
      return rows;
    }
    if (code === QUOTE) {
      isFilled = true;
      if (isQuoted) closedAt = i;
      else if (!isFieldStart && closedAt !== i - 1) {
        rows.push({ line: firstLine, start, end: text.length, fields, isOpen: false });
        return rows;
      }
      isQuoted = !isQuoted;
      isFieldStart = false;
    } else if (isQuoted) continue;
    else if (code === lineEnd) {
      if (isFilled) rows.push({ line: firstLine, start, end: i, fields, isOpen: false });
      [start, firstLine, fields] = [i + 1, line, 1];
      [isFilled, isFieldStart] = [false, true];
    } else if (code === between) {
      fields += 1;
      isFieldStart = true;
    } else if (code > SPACE || (code < SPACE && code !== TAB && code !== CR)) {
      isFilled = true;
      isFieldStart = false;
    }
  }
  if (rows.length < most && isFilled) {
    rows.push({ line: firstLine, start, end: text.length, fields, isOpen: isQuoted });
  }
  return rows;
}
