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
