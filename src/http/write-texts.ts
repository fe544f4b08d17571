import type { Writable } from 'node:stream';

/**
 * Writes texts as fast as the client reads them.
 * @returns whether all were written; false if the client has gone
 */
export async function writeTexts(out: Writable, texts: AsyncIterable<string>): Promise<boolean> {
  for await (const text of texts) {
    if (out.destroyed) return false;
    if (!out.write(text)) await drainOrEnd(out);
    if (out.destroyed) return false;
  }
  return true;
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
