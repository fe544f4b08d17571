import type { Readable } from 'node:stream';
import { whole } from '../kernel/counts.js';
import { DAY } from '../kernel/time.js';
import { Refused } from '../problems/refused.js';
import { StringDecoder } from 'node:string_decoder';
import sax from 'sax';

export type XmlAttributes = Readonly<Record<string, string>>;

/** What a reader of a part of a workbook receives. Names are without their namespaces. */
export interface XmlHandlers {
  readonly onOpen: (name: string, attributes: XmlAttributes) => void;
  readonly onText?: (text: string) => void;
  readonly onClose?: (name: string) => void;
}

const local = (name: string) => name.slice(name.indexOf(':') + 1);

/** Reads XML as it arrives. No entity is expanded but those of XML itself. @throws {Refused} */
export async function readXml(stream: Readable, handlers: XmlHandlers): Promise<void> {
  const parser = sax.parser(true, {});
  parser.onerror = (error) => {
    throw error;
  };
  parser.ondoctype = () => {
    throw new Refused('The workbook declares entities of XML. Save it again in Excel.');
  };
  parser.onopentag = ({ name, attributes }) => {
    const entries = Object.entries(attributes as XmlAttributes);
    handlers.onOpen(
      local(name),
      Object.fromEntries(entries.map(([key, one]) => [local(key), one])),
    );
  };
  parser.ontext = (text) => handlers.onText?.(text);
  parser.oncdata = (text) => handlers.onText?.(text);
  parser.onclosetag = (name) => handlers.onClose?.(local(name));
  const decoder = new StringDecoder('utf8');
  for await (const chunk of stream) parser.write(decoder.write(chunk as Buffer));
  parser.write(decoder.end()).close();
}

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

/** Formats of days and times that have no code in the file (ECMA-376, 18.8.30). */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47) ||
  (id >= 50 && id <= 58);

/** Whether a format shows a day or a time: `dd/mm/yyyy`, not `0.00" days"`. */
export const isDateFormat = (code: string) =>
  /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|general/gi, ''));

/** Whether numbers of each style of cells are days. */
export async function readStyles(stream: Readable): Promise<boolean[]> {
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  let isOfCells = false;
  await readXml(stream, {
    onOpen(name, { numFmtId, formatCode = '' }) {
      const id = Number(numFmtId);
      if (name === 'numFmt') codes.set(id, formatCode);
      if (name === 'cellXfs') isOfCells = true;
      if (name !== 'xf' || !isOfCells) return;
      const code = codes.get(id);
      styles.push(code === undefined ? isBuiltInDate(id) : isDateFormat(code));
    },
    onClose(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return styles;
}
