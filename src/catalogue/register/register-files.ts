import { createReadStream, type ReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { openPromise } from 'yauzl';
import { Refused } from '../../platform/problems/refused.js';
import { PostcodeRegisterReader, type RegisterFileResult } from './postcode-register.js';

/** A file in a folder or a zip. */
interface RegisterPart {
  /** With the folders around it, separated by slashes. */
  readonly name: string;
  readonly bytes: number;
  readonly open: () => Promise<Readable>;
}

/** Code-Point Open has a file for each area, without a header, and the header in a file of its own. */
const CODE_POINT_HEADER = /Column_Headers\.csv$/i;
const CODE_POINT_AREA = /(^|\/)[a-z]{1,2}\.csv$/i;
/** The folder beside it has the same rows again, by area. */
const ONS_DIRECTORY = /(^|\/)(ONSPD|NSPL)[^/]*_UK\.csv$/i;

/**
 * Reads the register from a CSV file, also a compressed one (`.csv.gz`), or from the folder or zip that ONS or
 * Ordnance Survey publish.
 * @param onProgress bytes read, of all
 * @throws {Refused} if it cannot be read, or has another content
 */
export async function readRegister(
  path: string,
  onProgress: (done: number, total: number) => void,
): Promise<RegisterFileResult> {
  const found = await stat(path).catch(() => {
    throw new Refused(`${path} cannot be read.`);
  });
  if (found.isDirectory()) return readParts(path, await partsOfFolder(path), onProgress);
  if (!/\.zip$/i.test(path)) {
    const open = () => Promise.resolve(createReadStream(path, { highWaterMark: 1 << 20 }));
    return read([{ name: path, bytes: found.size, open }], onProgress);
  }
  const zip = await openPromise(path, { autoClose: false }).catch((error: Error) => {
    throw new Refused(`${path} is no zip file (${error.message}).`);
  });
  try {
    const parts: RegisterPart[] = [];
    for await (const entry of zip.eachEntry()) {
      const { fileName: name, uncompressedSize: bytes } = entry;
      parts.push({ name, bytes, open: () => zip.openReadStreamPromise(entry) });
    }
    return await readParts(path, parts, onProgress);
  } finally {
    zip.close();
  }
}

async function partsOfFolder(folder: string): Promise<RegisterPart[]> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith('.csv')).sort();
  return Promise.all(
    files.map(async (name) => {
      const path = join(folder, name);
      const open = () => Promise.resolve(createReadStream(path));
      return { name: name.replaceAll('\\', '/'), bytes: (await stat(path)).size, open };
    }),
  );
}

function readParts(
  path: string,
  parts: readonly RegisterPart[],
  onProgress: (done: number, total: number) => void,
): Promise<RegisterFileResult> {
  const header = parts.find(({ name }) => CODE_POINT_HEADER.test(name));
  const areas = parts.filter(({ name }) => CODE_POINT_AREA.test(name));
  if (header && areas.length > 0) return read([header, ...areas], onProgress);
  const directories = parts.filter(({ name }) => ONS_DIRECTORY.test(name));
  if (directories.length === 1) return read(directories, onProgress);
  throw new Refused(
    `${path} is neither Code-Point Open nor ONSPD as published. Import the CSV file with the postcodes in it.`,
  );
}

/** The first of several files has only the header. */
async function read(
  parts: readonly RegisterPart[],
  onProgress: (done: number, total: number) => void,
): Promise<RegisterFileResult> {
  const reader = new PostcodeRegisterReader();
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let before = 0;
  for (const { name, bytes, open } of parts) {
    reader.startFile(basename(name), parts.length > 1);
    // The columns read are ASCII, so another encoding does no harm.
    const decoder = new TextDecoder('utf-8');
    const isCompressed = name.endsWith('.gz');
    const file = await open();
    const chunks = isCompressed ? pipeline(file, createGunzip(), () => undefined) : file;
    let done = 0;
    try {
      for await (const chunk of chunks) {
        reader.push(decoder.decode(chunk as Buffer, { stream: true }));
        done = isCompressed ? (file as ReadStream).bytesRead : done + (chunk as Buffer).length;
        onProgress(before + done, total);
      }
    } catch (error) {
      throw new Refused(`${name} cannot be read (${(error as Error).message}).`);
    }
    before += bytes;
  }
  return reader.end();
}
