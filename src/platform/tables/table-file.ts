import { AnsweringThread } from '../kernel/answering-thread.js';
import { Refused } from '../problems/refused.js';
import { BytesToText, isZip, textOf } from './bytes-to-text.js';
import { readWorkbook, refuseWorkbook, type Workbook, type WorkbookChoice } from './workbook.js';
import type { WorkbookReply, WorkbookRequest } from './workbook-thread.js';

/** Receives what is in a file: the text of one, or the rows of a sheet. */
export interface TableTarget {
  push(text: string): void;
  pushRow(cells: readonly string[], line: number): void;
}

/** Of a workbook: its sheets, and the one that was read. */
export type SheetsOfFile = Pick<Workbook, 'sheets' | 'sheet'>;

/** A few kilobytes of a workbook can name millions of cells: they fill the memory of this thread alone. */
const thread = new AnsweringThread<WorkbookRequest, WorkbookReply>(
  new URL('./workbook-thread.js', import.meta.url),
  { resourceLimits: { maxOldGenerationSizeMb: 256 } },
);

/** Bounds of an uploaded workbook: many times those of a list of 2,000 sites. */
export const UPLOADED = { mostBytes: 16 * 1_024 * 1_024, mostRows: 25_000 };

/** Reads a workbook in the thread. @throws {Refused} */
async function readInThread(bytes: Uint8Array, choice: WorkbookChoice): Promise<Workbook> {
  await refuseWorkbook(Buffer.from(bytes), choice);
  const reply = await thread.ask({ bytes, choice }).catch((): WorkbookReply => {
    const refused = 'The workbook cannot be read. Copy the list alone into a new workbook.';
    return { refused, field: undefined };
  });
  if ('refused' in reply) throw new Refused(reply.refused, reply.field);
  return reply.workbook;
}

/**
 * Reads an uploaded file: a text in any encoding, or a workbook (.xlsx), which a thread reads. Call `end` of the target afterwards.
 * @param sheet the name of a sheet; the first one by default
 * @returns the sheets of a workbook; null for a text
 * @throws {Refused} with a sentence that says what to change
 */
export async function readTableFile(
  bytes: Uint8Array,
  sheet: string | undefined,
  target: TableTarget,
): Promise<SheetsOfFile | null> {
  if (isZip(bytes)) {
    const { rows, ...sheets } = await readInThread(bytes, { ...UPLOADED, sheet });
    for (const { line, cells } of rows) target.pushRow(cells, line);
    return sheets;
  }
  const detail = 'Only a workbook (.xlsx) has sheets: leave sheet out.';
  if (sheet !== undefined) throw new Refused(detail, 'sheet');
  target.push(textOf(bytes));
  return null;
}

/** Bounds of a workbook of an operator. */
const OWN = { mostBytes: 128 * 1_024 * 1_024, mostRows: 1_048_576 };
/** As a file. */
const LARGEST_WORKBOOK = 64 * 1_024 * 1_024;

/**
 * Reads a file of an operator as it arrives: a text, or the first sheet of a workbook. For a caller that is a thread.
 * @param onBytes receives the length of each chunk
 * @throws {Refused}
 */
export async function readTableStream(
  stream: AsyncIterable<unknown>,
  target: TableTarget,
  onBytes: (length: number) => void,
): Promise<void> {
  const text = new BytesToText();
  const workbook: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const isWorkbook = size === 0 ? isZip(chunk) : workbook.length > 0;
    size += chunk.length;
    onBytes(chunk.length);
    if (!isWorkbook) target.push(text.push(chunk));
    else if (size <= LARGEST_WORKBOOK) workbook.push(chunk);
    else throw new Refused('The workbook is larger than 64 MB. Save it as CSV UTF-8.');
  }
  if (workbook.length === 0) return target.push(text.end());
  const { rows } = await readWorkbook(Buffer.concat(workbook), OWN);
  for (const { line, cells } of rows) target.pushRow(cells, line);
}

/**
 * The text of a file. That of a workbook is its first sheet with tabs between the cells, whose lines have the numbers of its rows unless a cell
 * has line breaks.
 * @throws {Refused}
 */
export async function textOfFile(bytes: Uint8Array): Promise<string> {
  if (!isZip(bytes)) return textOf(bytes);
  const { rows } = await readInThread(bytes, UPLOADED);
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const lines: string[] = [];
  for (const { line, cells } of rows) {
    const padded = Array.from({ length: width }, (_, i) => cells[i] ?? '');
    lines[line - 1] = tabbed(padded);
  }
  return Array.from(lines, (line) => line ?? '').join('\n');
}

/** A line of copied cells. */
export function tabbed(cells: readonly string[]): string {
  const quoted = (cell: string) =>
    /[\t\r\n]|^"/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return cells.map(quoted).join('\t');
}
