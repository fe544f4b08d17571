import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';
import type { Catalogue } from './content/catalogue.js';
import { printCatalogue } from './content/csv-writer.js';
import { zipStream } from './zip-writer.js';

/** Every file of a version as a zip, also those without rows: to import it again changes nothing. */
export function zipOf({ content }: Catalogue) {
  const files = printCatalogue(content, true);
  return zipStream(files.map(({ fileName, chunks }) => ({ name: fileName, chunks })));
}

/** Sends a version as `catalogue-7.zip`. */
export async function sendZip(catalogue: Catalogue, response: Response): Promise<void> {
  response.setHeader('Content-Type', 'application/zip');
  response.setHeader(
    'Content-Disposition',
    `attachment; filename="catalogue-${catalogue.version}.zip"`,
  );
  await sendStream(zipOf(catalogue), response);
}

/** A client that stops reading is no error of the service. */
export async function sendStream(stream: NodeJS.ReadableStream, response: Response): Promise<void> {
  try {
    await pipeline(stream, response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    // Node only marks the response as destroyed. This ends its count as a running request.
    response.destroy();
  }
}
