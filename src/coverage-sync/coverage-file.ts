import { createHash } from 'node:crypto';
import { csvRecord } from '../catalogue/content/csv.js';
import { type SyncRow, coverageColumns } from './coverage-rows.js';

export const coverageFormats = ['application/x-ndjson', 'text/csv'] as const;
export type CoverageFormat = (typeof coverageFormats)[number];

/** Rows, or rows passed over, between two turns of the event loop: about two milliseconds. */
const ROWS_IN_TURN = 500;

export interface CoverageFile {
  readonly format: CoverageFormat;
  readonly rows: Iterable<SyncRow | null>;
  /** What the client has after it: the `since` of its next changes. */
  readonly version: string;
  readonly isChanges: boolean;
}

/** The text in chunks. The last row has the number of the others, and the SHA-256 of all bytes before it. */
export function* coverageText({
  format,
  rows,
  version,
  isChanges,
}: CoverageFile): Generator<string> {
  const hash = createHash('sha256');
  const columns = [
    ...['row', ...(isChanges ? ['op'] : [])],
    ...[...coverageColumns, 'version', 'rows', 'sha256'],
  ];
  const line =
    format === 'text/csv'
      ? (row: SyncRow) => csvRecord(columns.map((name) => cell(row[name])))
      : (row: SyncRow) => `${JSON.stringify(row)}\n`;
  let chunk = format === 'text/csv' ? csvRecord(columns) : '';
  let [count, seen] = [0, 0];
  for (const row of rows) {
    if (row !== null) {
      chunk += line(row);
      count += 1;
    }
    if (++seen % ROWS_IN_TURN !== 0) continue;
    hash.update(chunk);
    yield chunk;
    chunk = '';
  }
  const sha256 = hash.update(chunk).digest('hex');
  yield chunk + line({ row: 'end', version, rows: count, sha256 });
}

function cell(value: string | number | boolean | null | undefined): string | number {
  return typeof value === 'boolean' ? String(value) : (value ?? '');
}
