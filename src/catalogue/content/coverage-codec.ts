import { PlaceLevel } from '../../platform/kernel/postcode.js';

/** From the most specific, which takes precedence, to the least. */
export const LEVELS = [
  'unit',
  'sector',
  'subdistrict',
  'district',
  'area',
] as const satisfies readonly PlaceLevel[];

/** Zone numbers: 0 is no row, 1 is excluded, n is `zones[n - 2]`. */
export const NO_ROW = 0;
export const EXCLUDED_NUMBER = 1;
export const FIRST_ZONE_NUMBER = 2;

/** One level: the keys of its places, ascending and unique, and their zone numbers. */
export interface LevelRows {
  readonly keys: Uint32Array;
  readonly zoneNumbers: Uint16Array;
}

/** All coverage. `zones` are the names, ascending. */
export interface CoverageRows {
  readonly zones: readonly string[];
  readonly levels: Readonly<Record<PlaceLevel, LevelRows>>;
}

/** The bytes differ from what `encodeContent` wrote. */
export class ContentDamaged extends Error {
  constructor(
    readonly what: string,
    version?: number,
  ) {
    const catalogue =
      version === undefined ? 'The stored catalogue' : `Catalogue version ${version}`;
    super(`${catalogue} cannot be used: ${what}.`);
    this.name = 'ContentDamaged';
  }
}

/** Size of one step of unpacking: about a millisecond of work. */
const STEP_ROWS = 16_384;

/**
 * The packed form. All numbers are varints (LEB128): the number of zones, each name as its length and
 * UTF-8; then for each of LEVELS the number of rows, the differences between their keys, and their zone
 * numbers. Equal coverage has equal bytes.
 */
export function packCoverage({ zones, levels }: CoverageRows): Uint8Array {
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

/** Yields after each step. `end` is where the coverage ends, in bytes. @throws {ContentDamaged} */
export function* unpackCoverage(
  packed: Buffer,
): Generator<void, { rows: CoverageRows; end: number }> {
  const { length } = packed;
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
    // A row takes at least two bytes.
    if (count > (length - at) / 2)
      throw new ContentDamaged(`it has fewer ${level} rows than stated`);
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
  if (at > length) throw new ContentDamaged('it has fewer bytes than the rows it states');
  return { rows: { zones, levels }, end: at };
}

/**
 * A place that suppliers reach has a zone of several parts: the operator's zone, and a zone of each supplier
 * there, as `LONDON-ONNET+pxc:EC2`. Its prices are those of its parts.
 */
export function partsOf(zone: string): string[] {
  return zone.split('+');
}

/** The part that a place counts as: the operator's zone, or else that of the first supplier. */
export function mainZone(zone: string): string {
  // Without an array: checks of places near the network call it often.
  const end = zone.indexOf('+');
  return end < 0 ? zone : zone.slice(0, end);
}

/** For people: `LONDON-ONNET, pxc:EC2`. */
export function zoneInWords(zone: string): string {
  return partsOf(zone).join(', ');
}

/** The supplier of a part; null for the operator's own. */
export function supplierOf(zone: string): string | null {
  const end = zone.indexOf(':');
  return end < 0 ? null : zone.slice(0, end);
}

/** By zone number of one content, the index into the `zones` of two, plus one; 0 where nothing is sold. */
export function jointNumbers(own: readonly string[], zones: readonly string[]): Uint16Array {
  // No row and an exclusion are the same for a client: both stay 0.
  const joint = new Uint16Array(FIRST_ZONE_NUMBER + own.length);
  const places = new Map(zones.map((zone, i) => [zone, i + 1]));
  for (const [i, zone] of own.entries()) joint[FIRST_ZONE_NUMBER + i] = places.get(mainZone(zone))!;
  return joint;
}
