import { createHash } from 'node:crypto';
import { deflateSync, inflateSync, createGunzip } from 'node:zlib';
import {
  AREAS_OFF_GRID,
  decodePositions,
  positionOf,
  type Positions,
  PositionsBuilder,
} from '../../near-net/positions.js';
import { lowerBound } from '../../platform/kernel/sorted.js';
import { parsePostcode, Postcode } from '../../platform/kernel/postcode.js';
import { ofForm, withForm } from '../../platform/kernel/stored-form.js';
import { type CsvFault, CsvReader } from '../../platform/tables/csv.js';
import { readTableStream } from '../../platform/tables/table-file.js';
import { TableReader } from '../../platform/tables/table-reader.js';
import { isPlaceholder, wholeNumberIn } from '../../platform/tables/values.js';
import { type FaultReason, type FileFaults, FaultList } from '../../platform/tables/csv-table.js';
import {
  endOfPostcode,
  findRegisterColumns,
  type HeaderFault,
  type RegisterColumns,
  registerNames,
  UNKNOWN_MONTH,
} from './register-columns.js';
import { createReadStream, type ReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { openPromise } from 'yauzl';
import { Refused } from '../../platform/problems/refused.js';

/** Every postcode of a register, packed and ascending. */
export interface RegisterRows {
  readonly live: Uint32Array;
  readonly terminated: Uint32Array;
  /** The month of each termination, counted from January 1900; `UNKNOWN_MONTH` if the file does not say it. */
  readonly endMonths: Uint16Array;
}

export interface RegisterFileResult {
  /** Null if the header is of neither kind. */
  readonly kind: 'ONSPD' | 'Code-Point Open' | 'Positions' | null;
  readonly rows: RegisterRows | null;
  /** Of live postcodes; null if the file has no such columns. */
  readonly positions: Positions | null;
  /** Lines that are skipped, such as Gibraltar's postcodes. */
  readonly faults: FileFaults;
}

/** Reads ONSPD or Code-Point Open in chunks, by the names in the header. */
export class PostcodeRegisterReader {
  private readonly faults = new FaultList();
  private readonly files: string[] = [];
  private table: TableReader | CsvReader | undefined;
  private hasOnlyHeader = false;
  private columns: RegisterColumns | HeaderFault | undefined;
  private readonly positions = new PositionsBuilder();
  private readonly live = new Keys();
  private readonly terminated = new Keys();

  /** @param isOfMany the first of many files has only the header, and the others have none */
  startFile(name: string, isOfMany = false): void {
    this.table?.end();
    const isFirst = this.files.length === 0;
    this.hasOnlyHeader = isOfMany && isFirst;
    this.files.push(name);
    const onRow = (fields: readonly string[], line: number) => this.readRecord(fields, line);
    const onFault = ({ line, column, value, ...wrong }: CsvFault) =>
      this.faults.add(name, line, `column ${column}`, value, wrong);
    const onHead = (names: readonly string[], line: number) => void this.readHeader(names, line);
    this.table = isFirst
      ? new TableReader({ known: registerNames }, { onHead, onRow, onFault })
      : new CsvReader(onRow, onFault);
  }

  push(chunk: string): void {
    this.table?.push(chunk);
  }

  /** A row of a sheet, in place of text. */
  pushRow(cells: readonly string[], line: number): void {
    if (this.table instanceof TableReader) this.table.pushRow(cells, line);
  }

  end(): RegisterFileResult {
    this.table?.end();
    const columns = this.columns ?? this.readHeader([], 1);
    const faults = this.faults.sorted(this.files);
    if ('reason' in columns) return { kind: null, rows: null, positions: null, faults };
    const ended = this.terminated.sorted();
    const live = this.live.sorted().keys;
    return {
      kind: columns.isPlain ? 'Positions' : columns.end < 0 ? 'Code-Point Open' : 'ONSPD',
      rows: { live, terminated: ended.keys, endMonths: ended.values },
      positions: columns.easting < 0 ? null : this.positions.build(),
      faults,
    };
  }

  private readRecord(fields: readonly string[], line: number): void {
    const { columns } = this;
    if (columns === undefined || 'reason' in columns || this.hasOnlyHeader) return;
    const cell = (at: number) => {
      const text = (fields[at] ?? '').trim();
      return isPlaceholder(text) ? '' : text;
    };
    const fault = (column: string, value: string, wrong: FaultReason) =>
      this.faults.add(this.files.at(-1)!, line, column, value, wrong);
    const text = fields[columns.postcode] ?? '';
    const postcode = parsePostcode(text);
    if (!(postcode instanceof Postcode)) {
      return fault('postcode', text, {
        reason: postcode.detail,
        suggestion: 'The line is skipped.',
      });
    }
    const [end, use] = [cell(columns.end), columns.use < 0 ? null : cell(columns.use)];
    const month = endOfPostcode(end, use);
    if (typeof month === 'number') return this.terminated.push(postcode.packed, month);
    if (month !== null) return fault('doterm', end || (use ?? ''), month);
    this.live.push(postcode.packed, 0);
    const [easting, northing] = [columns.easting, columns.northing].map((at) =>
      wholeNumberIn(cell(at)),
    ) as [string, string];
    // A postcode without a position stays in the register, and gets no band.
    const isUnknown = [easting, northing].every((one) => one === '' || Number(one) === 0);
    if (isUnknown || AREAS_OFF_GRID.has(postcode.area)) return;
    const position = positionOf(easting, northing);
    if (position) return this.positions.add(postcode.packed, position);
    fault('position', `${easting},${northing}`, {
      reason: 'The position is not on the National Grid of Great Britain, in whole metres.',
      suggestion: 'The postcode is kept without a position.',
    });
  }

  private readHeader(fields: readonly string[], line: number): RegisterColumns | HeaderFault {
    const columns = findRegisterColumns(fields);
    if ('reason' in columns) {
      this.faults.add(this.files.at(-1)!, line, '', columns.value, columns);
    }
    return (this.columns = columns);
  }
}

/** Packed postcodes with a value each, sorted as one 53-bit number. */
class Keys {
  private count = 0;
  private pairs = new Float64Array(1024);

  push(key: number, value: number): void {
    if (this.count === this.pairs.length) {
      const { pairs } = this;
      (this.pairs = new Float64Array(pairs.length * 2)).set(pairs);
    }
    this.pairs[this.count++] = key * 0x10000 + value;
  }

  /** Keeps the highest value of a repeated key. */
  sorted(): { keys: Uint32Array; values: Uint16Array } {
    const pairs = this.pairs.subarray(0, this.count).sort();
    const keys = new Uint32Array(this.count);
    const values = new Uint16Array(this.count);
    let count = 0;
    for (const pair of pairs) {
      const key = Math.floor(pair / 0x10000);
      if (count > 0 && keys[count - 1] === key) count--;
      keys[count] = key;
      values[count++] = pair % 0x10000;
    }
    return { keys: keys.slice(0, count), values: values.slice(0, count) };
  }
}

/** What a new register lacks of the one before. */
export interface RegisterLoss {
  readonly live: number;
  readonly placed: number;
}

/** The register that a file replaces: see `encodeRegister` and `encodePositions`. */
export interface RegisterBefore {
  readonly postcodes: Uint8Array;
  readonly positions: Uint8Array | null;
}

/** @param after null if the file has no positions */
export function registerLoss(
  before: RegisterBefore,
  { live }: Pick<RegisterRows, 'live'>,
  after: Positions | null,
): RegisterLoss {
  const placed = before.positions ? decodePositions(before.positions).keys : NO_KEYS;
  return {
    live: countMissing(decodeRegister(before.postcodes).live, live),
    placed: countMissing(placed, after?.keys ?? NO_KEYS),
  };
}

const NO_KEYS = new Uint32Array();

/** How many keys `after` lacks. Both are ascending. */
function countMissing(before: Uint32Array, after: Uint32Array): number {
  let missing = 0;
  let at = 0;
  for (const key of before) {
    while (at < after.length && after[at]! < key) at++;
    if (after[at] !== key) missing++;
  }
  return missing;
}

export class RegisterDamaged extends Error {
  constructor() {
    super('The stored postcode register cannot be used: its checksum does not match.');
    this.name = 'RegisterDamaged';
  }
}

const FORM = 1;
const DIGEST = 32;

/** The stored form: its number, SHA-256 of the rest, then compressed JSON with the differences between keys. */
export function encodeRegister({ live, terminated, endMonths }: RegisterRows): Buffer {
  const differences = (keys: Uint32Array) => Array.from(keys, (key, i) => key - (keys[i - 1] ?? 0));
  const rows = [differences(live), differences(terminated), [...endMonths]];
  const body = deflateSync(JSON.stringify(rows), { level: 4 });
  return withForm(FORM, createHash('sha256').update(body).digest(), body);
}

/** @throws {RegisterDamaged} */
export function decodeRegister(stored: Uint8Array): RegisterRows {
  const digested = ofForm(FORM, stored, 'The stored postcode register');
  const body = digested.subarray(DIGEST);
  const digest = createHash('sha256').update(body).digest();
  if (!digest.equals(digested.subarray(0, DIGEST))) throw new RegisterDamaged();
  const rows = JSON.parse(inflateSync(body).toString()) as number[][];
  const sums = (differences: number[]) => {
    let key = 0;
    return Uint32Array.from(differences, (difference) => (key += difference));
  };
  return {
    live: sums(rows[0]!),
    terminated: sums(rows[1]!),
    endMonths: Uint16Array.from(rows[2]!),
  };
}

/** The month in which a packed postcode was terminated, as `2019-06`; null if it was not, or the month is unknown. */
export function terminationOf(
  { terminated, endMonths }: Pick<RegisterRows, 'terminated' | 'endMonths'>,
  packed: number,
): string | null {
  const row = lowerBound(terminated, packed);
  const month = endMonths[row];
  if (terminated[row] !== packed || month === undefined || month === UNKNOWN_MONTH) return null;
  return `${1900 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}

/** A file in a folder or a zip. */
interface RegisterPart {
  /** With the folders around it, separated by slashes. */
  readonly name: string;
  readonly bytes: number;
  readonly open: () => Promise<Readable>;
}

/** Code-Point Open has a file for each area, without a header, and the header in a separate file. */
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
    const isCompressed = name.endsWith('.gz');
    const file = await open();
    const chunks = isCompressed ? pipeline(file, createGunzip(), () => undefined) : file;
    let done = 0;
    try {
      await readTableStream(chunks, reader, (length) => {
        done = isCompressed ? (file as ReadStream).bytesRead : done + length;
        onProgress(before + done, total);
      });
    } catch (error) {
      if (error instanceof Refused) throw new Refused(`${name}: ${error.message}`);
      throw new Refused(`${name} cannot be read (${(error as Error).message}).`);
    }
    before += bytes;
  }
  return reader.end();
}
