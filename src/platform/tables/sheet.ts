import type { Readable } from 'node:stream';
import { whole } from '../kernel/counts.js';
import { DAY } from '../kernel/time.js';
import { Refused } from '../problems/refused.js';
import { readXml } from './sheet-xml.js';

/** A row of a sheet. */
export interface SheetRow {
  /** From 1, as the sheet shows it. */
  readonly line: number;
  /** From column A on. */
  readonly cells: readonly string[];
}

/** What the cells of a sheet refer to. */
export interface SheetLook {
  /** For refusals. */
  readonly name: string;
  readonly texts: readonly string[];
  /** By the number of a style. */
  readonly isDate: readonly boolean[];
  /** Whether days count from 1904. */
  readonly is1904: boolean;
  readonly mostRows: number;
}

const MOST_COLUMNS = 256;
const MOST_MERGED = 1_000;
/** Empty rows, so that a sheet of them is refused at once. */
const MOST_EMPTY = 5_000;

/** The rows of a sheet that are not empty. @throws {Refused} if it has too many rows or columns */
export async function readSheet(stream: Readable, look: SheetLook): Promise<SheetRow[]> {
  const rows = new Map<number, string[]>();
  const merged: string[] = [];
  let [seen, line, column] = [0, 0, 0];
  let [type, style, text, isValue] = ['', 0, '', false];
  await readXml(stream, {
    onOpen(name, { r, t, s, ref }) {
      if (name === 'row') {
        line = r === undefined ? line + 1 : Number(r);
        column = -1;
        seen += 1;
        if (seen > look.mostRows || seen - rows.size > MOST_EMPTY) throw tooManyRows(look);
      } else if (name === 'c') {
        column = r === undefined ? column + 1 : columnOf(r);
        [type, style, text] = [t ?? 'n', Number(s ?? 0), ''];
      } else if (name === 'mergeCell' && ref !== undefined) merged.push(ref);
      isValue = name === 'v' || name === 't';
    },
    onText(part) {
      if (isValue) text += part;
    },
    onClose(name) {
      isValue = false;
      if (name !== 'c' || text === '') return;
      if (column >= MOST_COLUMNS) {
        throw new Refused(
          `The sheet ${look.name} has more than ${MOST_COLUMNS} columns. Remove those that are not needed.`,
        );
      }
      const cells = rows.get(line) ?? [];
      rows.set(line, cells);
      while (cells.length < column) cells.push('');
      cells[column] = valueOf(text, type, look.isDate[style] ?? false, look);
    },
  });
  for (const range of merged.slice(0, MOST_MERGED)) fillDown(rows, range);
  return [...rows].map(([at, cells]) => ({ line: at, cells })).sort((a, b) => a.line - b.line);
}

const tooManyRows = ({ name, mostRows }: SheetLook) =>
  new Refused(
    `The sheet ${name} has more than ${whole(mostRows)} rows, or ${whole(MOST_EMPTY)} empty ones. Delete the rows below the list, save the workbook, and send it again.`,
  );

/** From 0; that of `B3` is 1. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? 'A') {
    column = column * 26 + letter.charCodeAt(0) - 64;
  }
  return column - 1;
}

function valueOf(text: string, type: string, isDate: boolean, look: SheetLook): string {
  if (type === 's') return look.texts[Number(text)] ?? '';
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n') return text;
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  // A spreadsheet shows 15 digits: 0.1 + 0.2 is 0.3.
  if (!isDate) return plainNumber(Number(number.toPrecision(15)));
  const epoch = look.is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const time = new Date(Math.round((epoch + number * DAY) / 1_000) * 1_000);
  return Number.isNaN(time.getTime())
    ? text
    : time.toISOString().replace(/T00:00:00.000Z$|\.000Z$/, '');
}

/** Without an exponent, if it is whole. */
function plainNumber(number: number): string {
  return Number.isInteger(number) && Math.abs(number) < 1e21
    ? BigInt(number).toString()
    : String(number);
}

/** A value that is merged over several rows is that of each row. Columns are not filled: a title is one cell. */
function fillDown(rows: ReadonlyMap<number, string[]>, range: string): void {
  const [, from = '', first, to] = /^([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})$/.exec(range) ?? [];
  const column = columnOf(from);
  const value = rows.get(Number(first))?.[column];
  if (value === undefined || value === '') return;
  for (const [line, cells] of rows) {
    if (line <= Number(first) || line > Number(to)) continue;
    while (cells.length <= column) cells.push('');
    cells[column] = value;
  }
}
