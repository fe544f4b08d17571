import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { Refused } from '../../platform/problems/refused.js';
import {
  type CatalogueFile,
  catalogueFileNames,
  fileInfo,
  type SupplierFile,
  supplierFileNames,
  supplierFiles,
  supplierPath,
} from '../content/catalogue-files.js';
import type { CatalogueContent } from '../content/catalogue.js';
import type { Positions } from '../../near-net/positions.js';
import { readTableStream } from '../../platform/tables/table-file.js';
import { convertLine, isOtherMap, MOST_BYTES, TOO_LARGE } from '../polygons/geojson.js';
import { printCatalogue } from '../content/files/csv-writer.js';
import {
  CatalogueFilesReader,
  type CatalogueFilesResult,
  type FileOfCatalogue,
} from '../content/files/csv-reader.js';

/** Limit against zip bombs, in bytes per file: a national coverage has 40 MB. */
const LARGEST_UNPACKED = 512 * 1024 * 1024;

/** Receives bytes read, of the total. */
export type OnProgress = (done: number, total: number) => void;

interface FilePart {
  /** For messages. */
  readonly name: string;
  readonly bytes: number;
  open(): Promise<Readable>;
}

interface ReadFiles extends CatalogueFilesResult {
  /** Whether the folder or zip itself has cost books or margins. */
  readonly hasCosts: boolean;
}

type CatalogueFilePart = FilePart & FileOfCatalogue;

interface ReadOptions {
  /** Has the files that are missing; null if none may be missing. */
  readonly base?: CatalogueContent | null;
  /** Of the register, for polygons; null if it has none. */
  readonly positions?: () => Positions | null;
  readonly onProgress?: OnProgress;
}

/**
 * Reads the files of a catalogue from a folder or a zip file, where they may be in a folder, in chunks; or one file, if
 * there is a base.
 * @throws {Refused} if a required file is missing, or a file cannot be read
 */
export async function readCatalogue(path: string, options: ReadOptions = {}): Promise<ReadFiles> {
  const { base = null } = options;
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Refused(
      error.code === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be read.`,
    );
  });
  if (found.isDirectory()) return readParts(await partsOfFolder(path, base), options);
  const named = nameOfCsv(basename(path));
  const file = catalogueFileNames.find((one) => fileInfo(one).fileName === named);
  // One file that has changed.
  if (file && base)
    return readParts([{ file, supplier: null, ...fileAt(path, found.size) }], options);
  const zip = await openPromise(path, { autoClose: false }).catch((error: Error) => {
    throw new Refused(`${path} is neither a folder nor a zip file (${error.message}).`);
  });
  try {
    return await readParts(await partsOfZip(path, zip, base), options);
  } finally {
    zip.close();
  }
}

/** The files of a catalogue that an import of the folder would read, as `suppliers/pxc/costs.csv`. */
export async function filesIn(folder: string): Promise<string[]> {
  const names = catalogueFileNames.map((file) => fileInfo(file).fileName);
  const own = (await readdir(folder)).filter((name) => names.includes(nameOfCsv(name)));
  const books = await partsOfBooks(join(folder, SUPPLIERS));
  const inBooks = books.map(({ file, supplier }) => supplierPath(supplier!, file as SupplierFile));
  return [...own, ...inBooks];
}

async function partsOfFolder(
  folder: string,
  base: CatalogueContent | null,
): Promise<CatalogueFilePart[]> {
  const all = (await readdir(folder)).filter((name) => isCatalogueFile(folder, name));
  const parts: CatalogueFilePart[] = [];
  const missing: string[] = [];
  const hasMap = all.some((name) => nameOfCsv(name) === fileInfo('polygons').fileName);
  for (const file of catalogueFileNames) {
    const { fileName } = fileInfo(file);
    const [found, other] = all.filter((name) => nameOfCsv(name) === fileName);
    if (other) throw new Refused(`${folder} has ${found!} and ${other}: remove one of them.`);
    if (found === undefined) {
      if (isNeeded(file, hasMap) && !base) missing.push(join(folder, fileName));
      continue;
    }
    const name = join(folder, found);
    parts.push({ file, supplier: null, ...fileAt(name, (await stat(name)).size) });
  }
  parts.push(...(await partsOfBooks(join(folder, SUPPLIERS))));
  if (missing.length > 0)
    throw new Refused(missing.map((name) => `${name} is missing.`).join('\n'));
  if (parts.length === 0) throw new Refused(`${folder} has no file of a catalogue.`);
  return parts;
}

/** A file may also be a workbook: `prices.xlsx` is read in place of `prices.csv`. */
const nameOfCsv = (name: string) =>
  name.replace(/\.xlsx$/, '.csv').replace(/^coverage\.json$/i, 'coverage.geojson');

/** Files that may be those of a catalogue, without what editors and file systems add. */
const TABLE = /^[^.~].*\.(?:csv|xlsx|geojson)$/i;

/** Without its own coverage.csv, a catalogue takes the places of its map. */
const isNeeded = (file: CatalogueFile, hasMap: boolean) =>
  !fileInfo(file).isOptional && !(file === 'coverage' && hasMap);

function fileAt(name: string, bytes: number): FilePart {
  const open = () => Promise.resolve(createReadStream(name, { highWaterMark: 1 << 20 }));
  return { name, bytes, open };
}

/** The folder of cost books: `suppliers/pxc/costs.csv`. */
const SUPPLIERS = 'suppliers';

async function partsOfBooks(folder: string): Promise<CatalogueFilePart[]> {
  const parts: CatalogueFilePart[] = [];
  const within = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of within.filter((one) => one.isDirectory())) {
    const path = join(folder, entry.name);
    for (const name of await readdir(path)) {
      const file = bookFile(path, name);
      if (!file) continue;
      const { size } = await stat(join(path, name));
      parts.push({ file, supplier: entry.name, ...fileAt(join(path, name), size) });
    }
  }
  return parts;
}

/** The name of a file in the folder of a supplier. @throws {Refused} for another CSV file */
function bookFile(path: string, name: string): SupplierFile | undefined {
  const file = supplierFileNames.find((one) => supplierFiles[one].fileName === nameOfCsv(name));
  if (file || !TABLE.test(name)) return file;
  const names = supplierFileNames.map((one) => supplierFiles[one].fileName).join(', ');
  throw new Refused(
    `${path} has ${name}: rename or remove it. The files of a cost book are ${names}.`,
  );
}

async function partsOfZip(
  path: string,
  zip: ZipFile,
  base: CatalogueContent | null,
): Promise<CatalogueFilePart[]> {
  const entries = new Map<string, Entry>();
  const books = new Map<string, CatalogueFilePart>();
  const partOf = (entry: Entry, name: string): FilePart => {
    if (entry.uncompressedSize > LARGEST_UNPACKED) {
      throw new Refused(`${name} in ${path} unpacks to more than 512 MB.`);
    }
    // yauzl fails if the stream has more bytes than the entry states.
    const open = () => zip.openReadStreamPromise(entry);
    return { name: `${path}: ${name}`, bytes: entry.uncompressedSize, open };
  };
  for await (const entry of entriesOf(path, zip)) {
    // macOS adds files like __MACOSX/._prices.csv.
    if (entry.fileName.startsWith('__MACOSX/')) continue;
    const [, inBook, supplier = ''] =
      /(?:^|\/)(suppliers\/([^/]+)\/[^/]+)$/.exec(entry.fileName) ?? [];
    const name = basename(entry.fileName);
    if (inBook !== undefined) {
      const file = bookFile(`${path}: ${SUPPLIERS}/${supplier}`, name);
      if (!file) continue;
      if (books.has(inBook)) throw new Refused(`${path} has two files named ${inBook}.`);
      books.set(inBook, { file, supplier, ...partOf(entry, inBook) });
      continue;
    }
    if (!isCatalogueFile(path, name)) continue;
    const csv = nameOfCsv(name);
    if (entries.has(csv)) throw new Refused(`${path} has two files named ${csv}.`);
    entries.set(csv, entry);
  }
  if (base && entries.size + books.size === 0)
    throw new Refused(`${path} has no file of a catalogue.`);
  const own = catalogueFileNames.flatMap((file): CatalogueFilePart[] => {
    const { fileName } = fileInfo(file);
    const entry = entries.get(fileName);
    const hasMap = entries.has(fileInfo('polygons').fileName);
    if (!entry && (base || !isNeeded(file, hasMap))) return [];
    if (!entry) throw new Refused(`${path} has no ${fileName}.`);
    return [{ file, supplier: null, ...partOf(entry, fileName) }];
  });
  return [...own, ...books.values()];
}

/** @throws {Refused} where the directory of the zip is damaged, or has a path that leads out of it */
async function* entriesOf(path: string, zip: ZipFile): AsyncGenerator<Entry> {
  const entries = zip.eachEntry()[Symbol.asyncIterator]();
  for (;;) {
    const next = await entries.next().catch((error: Error) => {
      throw new Refused(`${path} cannot be read (${error.message}).`);
    });
    if (next.done) return;
    yield next.value;
  }
}

/**
 * Editors and file systems add files like ._prices.csv and ~$prices.csv.
 * @throws {Refused} for another CSV file or workbook: without its misspelt price_lists.csv, a catalogue has no price lists
 */
function isCatalogueFile(path: string, name: string): boolean {
  const names = catalogueFileNames.map((file) => fileInfo(file).fileName);
  if (names.includes(nameOfCsv(name))) return true;
  if (isOtherMap(name)) {
    throw new Refused(`${path} has ${name}: a map is read as GeoJSON. ${convertLine(name)}`);
  }
  if (!TABLE.test(name)) return false;
  throw new Refused(
    `${path} has ${name}: rename or remove it. The files of a catalogue are ${names.join(', ')}.`,
  );
}

async function readParts(
  parts: readonly CatalogueFilePart[],
  { base = null, positions, onProgress }: ReadOptions,
): Promise<ReadFiles> {
  const reader = new CatalogueFilesReader(positions);
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const part of parts) {
    const { name } = part;
    try {
      const onLength = (length: number) => onProgress?.((done += length), total);
      const stream = await part.open();
      if (part.file === 'polygons' && part.bytes > MOST_BYTES) throw new Refused(TOO_LARGE);
      if (part.file !== 'polygons') {
        await readTableStream(stream, reader.receiving(part), onLength);
        continue;
      }
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        reader.polygons.push(chunk);
        onLength(chunk.length);
      }
    } catch (error) {
      if (error instanceof Refused) throw new Refused(`${name}: ${error.message}`);
      const { code, message } = error as NodeJS.ErrnoException;
      throw new Refused(`${name} cannot be read (${code ?? message}).`);
    }
  }
  const given = new Set(parts.map(({ file, supplier }) => supplier ?? file));
  for (const part of base ? printCatalogue(base) : []) {
    // A cost book is replaced as a whole.
    if (given.has(part.supplier ?? part.file)) continue;
    const target = reader.receiving(part);
    for (const chunk of part.chunks) target.push(chunk);
  }
  const hasCosts = parts.some(({ file, supplier }) => supplier !== null || file === 'margins');
  return { ...reader.end(), hasCosts };
}
