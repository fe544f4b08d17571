import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { Refused } from '../../problems/refused.js';
import {
  type CatalogueFile,
  CatalogueFilesReader,
  type CatalogueFilesResult,
} from '../content/csv-reader.js';

export const catalogueFiles: readonly CatalogueFile[] = ['products', 'prices', 'coverage'];

/** Bytes of one unpacked file of a zip: a national coverage has 40 MB, a bomb more. */
const LARGEST_UNPACKED = 512 * 1024 * 1024;

/** How many of how many bytes have been read. */
export type OnProgress = (done: number, total: number) => void;

interface CatalogueFilePart {
  readonly file: CatalogueFile;
  /** For messages. */
  readonly name: string;
  readonly bytes: number;
  open(): Promise<Readable>;
}

/**
 * Reads products.csv, prices.csv and coverage.csv of a folder, or of a zip file in which they may
 * be in a folder, in chunks.
 * @throws {Refused} where a file is missing, cannot be read or is not UTF-8
 */
export async function readCatalogue(
  path: string,
  onProgress: OnProgress = () => undefined,
): Promise<CatalogueFilesResult> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    (error: NodeJS.ErrnoException) => {
      throw new Refused(
        error.code === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be read.`,
      );
    },
  );
  if (isFolder) return readParts(await partsOfFolder(path), onProgress);
  const zip = await openPromise(path, { autoClose: false }).catch((error: Error) => {
    throw new Refused(`${path} is neither a folder nor a zip file (${error.message}).`);
  });
  try {
    return await readParts(await partsOfZip(path, zip), onProgress);
  } finally {
    zip.close();
  }
}

async function partsOfFolder(folder: string): Promise<CatalogueFilePart[]> {
  const parts: CatalogueFilePart[] = [];
  const missing: string[] = [];
  for (const file of catalogueFiles) {
    const name = join(folder, `${file}.csv`);
    const found = await stat(name).catch(() => null);
    if (!found) {
      missing.push(name);
      continue;
    }
    const open = () => Promise.resolve(createReadStream(name, { highWaterMark: 1 << 20 }));
    parts.push({ file, name, bytes: found.size, open });
  }
  if (missing.length > 0)
    throw new Refused(missing.map((name) => `${name} is missing.`).join('\n'));
  return parts;
}

async function partsOfZip(path: string, zip: ZipFile): Promise<CatalogueFilePart[]> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    // macOS adds files like __MACOSX/._prices.csv.
    if (entry.fileName.startsWith('__MACOSX/')) continue;
    const name = basename(entry.fileName);
    if (!catalogueFiles.some((file) => name === `${file}.csv`)) continue;
    if (entries.has(name)) throw new Refused(`${path} has two files named ${name}.`);
    entries.set(name, entry);
  }
  return catalogueFiles.map((file) => {
    const entry = entries.get(`${file}.csv`);
    if (!entry) throw new Refused(`${path} has no ${file}.csv.`);
    if (entry.uncompressedSize > LARGEST_UNPACKED) {
      throw new Refused(`${file}.csv in ${path} unpacks to more than 512 MB.`);
    }
    return {
      file,
      name: `${path}: ${file}.csv`,
      bytes: entry.uncompressedSize,
      // yauzl ends the stream with an error where it gives more bytes than the entry states.
      open: () => zip.openReadStreamPromise(entry),
    };
  });
}

async function readParts(
  parts: readonly CatalogueFilePart[],
  onProgress: OnProgress,
): Promise<CatalogueFilesResult> {
  const reader = new CatalogueFilesReader();
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const part of parts) {
    const { file, name } = part;
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    try {
      for await (const chunk of await part.open()) {
        reader.push(file, decoder.decode(chunk as Buffer, { stream: true }));
        onProgress((done += (chunk as Buffer).length), total);
      }
      reader.push(file, decoder.decode());
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
        throw new Refused(`${name} is not UTF-8: save it as "CSV UTF-8".`);
      }
      throw new Refused(`${name} cannot be read (${code ?? message}).`);
    }
  }
  return reader.end();
}
