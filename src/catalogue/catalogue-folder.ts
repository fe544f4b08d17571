import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Refused } from '../common/refused.js';
import {
  type CatalogueFile,
  CatalogueFilesReader,
  type CatalogueFilesResult,
} from './catalogue-files.js';

const files: readonly CatalogueFile[] = ['products', 'prices', 'coverage'];

/**
 * Reads products.csv, prices.csv and coverage.csv of a folder, in chunks.
 * @throws {Refused} where a file cannot be read or is not UTF-8
 */
export async function readCatalogueFolder(folder: string): Promise<CatalogueFilesResult> {
  const reader = new CatalogueFilesReader();
  for (const file of files) {
    const path = join(folder, `${file}.csv`);
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    try {
      for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
        reader.push(file, decoder.decode(chunk as Buffer, { stream: true }));
      }
      reader.push(file, decoder.decode());
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
        throw new Refused(`${path} is not UTF-8: save it as "CSV UTF-8".`);
      }
      if (code === 'ENOENT') throw new Refused(`${path} is missing.`);
      if (code === 'EACCES' || code === 'EISDIR' || code === 'ENOTDIR') {
        throw new Refused(`${path} cannot be read (${code}).`);
      }
      throw error;
    }
  }
  return reader.end();
}
