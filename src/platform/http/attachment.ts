import type { Response } from 'express';
import { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { Chunks } from './write-chunks.js';

export const CSV = 'text/csv; charset=utf-8; header=present';
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
export const PDF = 'application/pdf';

/** The response is a file to save. */
export function attach(response: Response, type: string, name: string): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
}

/** Without it, Excel does not read a CSV file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * What is sent to `out`. As the response of a page, a CSV file begins with a byte order mark: people open it in a
 * spreadsheet. Programs get it with `bom=yes`.
 */
export function contentFor(out: Writable, chunks: Chunks): Chunks {
  if (!(out instanceof ServerResponse) || out.getHeader('Content-Type') !== CSV) return chunks;
  const { path, query } = (out as Response).req;
  return path.startsWith('/staff/') || query.bom === 'yes' ? marked(chunks) : chunks;
}

async function* marked(chunks: Chunks) {
  yield BYTE_ORDER_MARK;
  yield* chunks;
}
