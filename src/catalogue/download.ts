import type { Response } from 'express';
import type { Catalogue } from './content/catalogue.js';
import { writeChunks } from '../platform/http/write-chunks.js';
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
  if (await writeChunks(response, zipOf(catalogue))) response.end();
}
