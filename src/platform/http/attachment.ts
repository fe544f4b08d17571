import type { Response } from 'express';
import { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { inTurns } from '../kernel/turns.js';

/** Each is printed or compressed within a few milliseconds: the event loop has a turn after it. */
export type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * Writes chunks as fast as the client reads them. Destroys `out` if one cannot be made, or the client has
 * gone: Node then only marks the response, and its request would count as running.
 * @returns whether all were written
 */
export async function writeChunks(out: Writable, chunks: Chunks): Promise<boolean> {
  let complete = false;
  try {
    for await (const chunk of inTurns(chunks)) {
      if (out.destroyed) return false;
      if (!out.write(chunk)) await drainOrEnd(out);
      if (out.destroyed) return false;
    }
    complete = true;
  } finally {
    if (!complete) out.destroy();
  }
  return complete;
}

/** Resolves when the client can take more, or has gone. */
function drainOrEnd(out: Writable): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      out.off('drain', go).off('close', go);
      resolve();
    };
    out.on('drain', go).on('close', go);
  });
}

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

/**
 * Whether the client has what would be sent (RFC 9110 §13.1.2). Express's `request.fresh` says no if the request also has
 * `Cache-Control: no-cache`, which fetch adds to every `If-None-Match`.
 * @param known the header `If-None-Match`
 * @param etag of what would be sent
 */
export function hasAlready(known: string | undefined, etag: string): boolean {
  if (known === undefined) return false;
  if (known.trim() === '*') return true;
  // Weak comparison (RFC 9110 §8.8.3.2). None of our own tags contains a comma.
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return known.split(',').some((tag) => opaque(tag) === opaque(etag));
}
