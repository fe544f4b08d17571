import { PlaceLevel } from '../../platform/kernel/postcode.js';
import { VarintReader, VarintWriter } from '../../platform/kernel/stored-form.js';

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
  const numbers = new VarintWriter();
  numbers.put(names.length);
  for (const name of names) {
    numbers.put(name.length);
    numbers.putBytes(name);
  }
  for (const level of LEVELS) {
    const { keys, zoneNumbers } = levels[level];
    numbers.put(keys.length);
    let last = 0;
    for (const key of keys) {
      numbers.put(key - last);
      last = key;
    }
    for (const number of zoneNumbers) numbers.put(number);
  }
  return numbers.written();
}

/** Yields after each step. `end` is where the coverage ends, in bytes. @throws {ContentDamaged} */
export function* unpackCoverage(
  packed: Buffer,
): Generator<void, { rows: CoverageRows; end: number }> {
  const { length } = packed;
  const numbers = new VarintReader(packed);
  const zones: string[] = [];
  for (let left = numbers.take(); left > 0; left--) {
    const end = numbers.take() + numbers.at;
    zones.push(packed.toString('utf8', numbers.at, end));
    numbers.at = end;
  }
  const levels = {} as Record<PlaceLevel, LevelRows>;
  for (const level of LEVELS) {
    const count = numbers.take();
    // A row takes at least two bytes.
    if (count > (length - numbers.at) / 2)
      throw new ContentDamaged(`it has fewer ${level} rows than stated`);
    const keys = new Uint32Array(count);
    const zoneNumbers = new Uint16Array(count);
    let key = 0;
    for (let row = 0; row < count; row++) {
      keys[row] = key += numbers.take();
      if (row % STEP_ROWS === STEP_ROWS - 1) yield;
    }
    for (let row = 0; row < count; row++) {
      zoneNumbers[row] = numbers.take();
      if (row % STEP_ROWS === STEP_ROWS - 1) yield;
    }
    levels[level] = { keys, zoneNumbers };
  }
  if (numbers.at > length) throw new ContentDamaged('it has fewer bytes than the rows it states');
  return { rows: { zones, levels }, end: numbers.at };
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
