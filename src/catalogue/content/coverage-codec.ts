import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateSync, inflate, inflateSync } from 'node:zlib';
import { PlaceLevel } from '../../kernel/postcode.js';

/** From the most specific, which wins, to the least. */
export const LEVELS = [
  'unit',
  'sector',
  'subdistrict',
  'district',
  'area',
] as const satisfies readonly PlaceLevel[];

/** Zone numbers: 0 stands for no row, 1 for excluded, and n for the zone `zones[n - 2]`. */
export const NO_ROW = 0;
export const EXCLUDED_NUMBER = 1;
export const FIRST_ZONE_NUMBER = 2;

/** One level: the keys of its places, ascending without repeats, and the zone number of each. */
export interface LevelRows {
  readonly keys: Uint32Array;
  readonly zoneNumbers: Uint16Array;
}

/** All coverage as numbers; `zones` are the names, ascending. */
export interface CoverageRows {
  readonly zones: readonly string[];
  readonly levels: Readonly<Record<PlaceLevel, LevelRows>>;
}

/** The bytes are not what `encodeCoverage` wrote. */
export class CoverageDamaged extends Error {
  constructor(what: string) {
    super(`The stored coverage cannot be used: ${what}.`);
    this.name = 'CoverageDamaged';
  }
}

const MAGIC = 'PASC';
const FORMAT_VERSION = 1;
const LENGTH_AT = 5;
const DIGEST_AT = 9;
const BODY_AT = 41;

/** Of national coverage: a tenth larger than the default level makes it, in a quarter of the time. */
const DEFLATE_LEVEL = 4;

/** What one step of decoding takes on, about a millisecond of work. */
const STEP_ROWS = 16_384;
const STEP_BYTES = 262_144;

const inflateInBackground = promisify(inflate);

/**
 * The packed form, in which all numbers are varints (LEB128): the number of zones, each name as
 * its length and UTF-8; then for each of LEVELS the number of rows, their keys as differences, and
 * their zone numbers. Equal coverage has equal bytes.
 */
function pack({ zones, levels }: CoverageRows): Uint8Array {
  const names = zones.map((zone) => Buffer.from(zone));
  const rowCount = LEVELS.reduce((sum, level) => sum + levels[level].keys.length, 0);
  const longest = names.reduce((sum, name) => sum + 5 + name.length, 30) + rowCount * (5 + 3);
  const bytes = new Uint8Array(longest);
  let at = 0;
  const put = (value: number): void => {
    for (; value > 0x7f; value >>>= 7) bytes[at++] = (value & 0x7f) | 0x80;
    bytes[at++] = value;
  };
  put(names.length);
  for (const name of names) {
    put(name.length);
    bytes.set(name, at);
    at += name.length;
  }
  for (const level of LEVELS) {
    const { keys, zoneNumbers } = levels[level];
    put(keys.length);
    let last = 0;
    for (const key of keys) {
      put(key - last);
      last = key;
    }
    for (const number of zoneNumbers) put(number);
  }
  return bytes.subarray(0, at);
}

/** SHA-256 of the packed form, in hex. It does not depend on how well it is compressed. */
export function checksumOf(rows: CoverageRows): string {
  return createHash('sha256').update(pack(rows)).digest('hex');
}

/**
 * The stored form: `PASC`, the format version (1 byte), the length of the packed form (4 bytes, big
 * endian), its SHA-256 (32 bytes), and the packed form in zlib's format (RFC 1950).
 */
export function encodeCoverage(rows: CoverageRows): Buffer {
  const packed = pack(rows);
  const header = Buffer.alloc(BODY_AT);
  header.write(MAGIC, 'latin1');
  header.writeUInt8(FORMAT_VERSION, MAGIC.length);
  header.writeUInt32BE(packed.length, LENGTH_AT);
  createHash('sha256').update(packed).digest().copy(header, DIGEST_AT);
  return Buffer.concat([header, deflateSync(packed, { level: DEFLATE_LEVEL })]);
}

export interface DecodedCoverage {
  readonly rows: CoverageRows;
  readonly checksum: string;
}

/** @throws CoverageDamaged */
export function decodeCoverage(bytes: Uint8Array): DecodedCoverage {
  const { body, length, checksum } = readHeader(bytes);
  let packed: Buffer;
  try {
    packed = inflateSync(body, { maxOutputLength: Math.max(length, 1) });
  } catch (error) {
    throw notInflated(error);
  }
  const steps = unpack(packed, length, checksum);
  for (;;) {
    const step = steps.next();
    if (step.done) return { rows: step.value, checksum };
  }
}

/**
 * The same for a server at work: it inflates in the thread pool, and gives the event loop a turn
 * after every few milliseconds of its own work.
 * @throws CoverageDamaged
 */
export async function decodeCoverageAsync(bytes: Uint8Array): Promise<DecodedCoverage> {
  const { body, length, checksum } = readHeader(bytes);
  const packed = await inflateInBackground(body, { maxOutputLength: Math.max(length, 1) }).catch(
    (error: unknown) => {
      throw notInflated(error);
    },
  );
  const steps = unpack(packed, length, checksum);
  for (;;) {
    const step = steps.next();
    if (step.done) return { rows: step.value, checksum };
    await nextTurn();
  }
}

function notInflated(error: unknown): CoverageDamaged {
  return new CoverageDamaged(`it does not decompress (${(error as Error).message})`);
}

function readHeader(bytes: Uint8Array) {
  const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (stored.length < BODY_AT || stored.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new CoverageDamaged('it does not begin as coverage does');
  }
  const version = stored.readUInt8(MAGIC.length);
  if (version !== FORMAT_VERSION) {
    throw new CoverageDamaged(`it has format ${version}, this program reads ${FORMAT_VERSION}`);
  }
  return {
    length: stored.readUInt32BE(LENGTH_AT),
    checksum: stored.toString('hex', DIGEST_AT, BODY_AT),
    body: stored.subarray(BODY_AT),
  };
}

/** Yields after each step; returns the rows when the checksum and every count are right. */
function* unpack(packed: Buffer, length: number, checksum: string): Generator<void, CoverageRows> {
  if (packed.length !== length) throw new CoverageDamaged('its length is not the one it states');
  const hash = createHash('sha256');
  for (let at = 0; at < length; at += STEP_BYTES) {
    hash.update(packed.subarray(at, at + STEP_BYTES));
    yield;
  }
  if (hash.digest('hex') !== checksum) throw new CoverageDamaged('its checksum does not match');

  let at = 0;
  const take = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = packed[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  };
  const zones: string[] = [];
  for (let left = take(); left > 0; left--) {
    const end = take() + at;
    zones.push(packed.toString('utf8', at, end));
    at = end;
  }
  const levels = {} as Record<PlaceLevel, LevelRows>;
  for (const level of LEVELS) {
    const count = take();
    // A row takes two bytes at least.
    if (count > (length - at) / 2)
      throw new CoverageDamaged(`it has fewer ${level} rows than stated`);
    const keys = new Uint32Array(count);
    const zoneNumbers = new Uint16Array(count);
    let key = 0;
    for (let row = 0; row < count; row++) {
      keys[row] = key += take();
      if (row % STEP_ROWS === STEP_ROWS - 1) yield;
    }
    for (let row = 0; row < count; row++) {
      zoneNumbers[row] = take();
      if (row % STEP_ROWS === STEP_ROWS - 1) yield;
    }
    levels[level] = { keys, zoneNumbers };
  }
  if (at !== length) throw new CoverageDamaged('there is more in it than the rows it states');
  return { zones, levels };
}
