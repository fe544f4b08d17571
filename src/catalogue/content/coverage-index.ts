import { lowerBound } from '../../platform/kernel/sorted.js';
import {
  PostcodePlace,
  PlaceLevel,
  placeKeyOf,
  printPlace,
} from '../../platform/kernel/postcode.js';
import {
  CoverageRows,
  EXCLUDED_NUMBER,
  FIRST_ZONE_NUMBER,
  LevelRows,
  LEVELS,
  NO_ROW,
} from './coverage-codec.js';
import { countNumbers, unpackNumbers } from '../polygons/outline.js';
import type { PremisesKey } from './premises-codec.js';
import type { PremisesIndex } from './premises-index.js';
import type { PolygonRow } from './zone-fields.js';

/** The zone of a place where nothing is sold, although the larger place around it may have a zone. */
export const EXCLUDED = '-';

/** Zone numbers have 16 bits, and two values are reserved. */
export const MOST_ZONES = 65_534;

export interface CoverageRow {
  readonly level: PlaceLevel;
  readonly place: string;
  readonly zone: string;
}

/** Rows by level. */
export type CoverageSize = Readonly<Record<`${PlaceLevel}s`, number>>;

/**
 * Finds the zone of a postcode. Of several rows that contain it, the most specific applies. It takes six
 * bytes a row: 10 MB for 1.75 million units, where a search makes 21 comparisons.
 */
export class CoverageIndex {
  /** @param coverage never changed */
  constructor(readonly coverage: CoverageRows) {}

  /** The names of the zones in use, also those of premises, ascending, without `-`. */
  get zones(): readonly string[] {
    return this.coverage.zones;
  }

  /** The zone number of a packed unit, see `NO_ROW`. */
  zoneNumberAt(packed: number): number {
    const { levels } = this.coverage;
    return (
      zoneNumberOf(levels.unit, packed) ||
      zoneNumberOf(levels.sector, placeKeyOf.sector(packed)) ||
      zoneNumberOf(levels.subdistrict, placeKeyOf.outward(packed)) ||
      zoneNumberOf(levels.district, placeKeyOf.district(packed)) ||
      zoneNumberOf(levels.area, placeKeyOf.area(packed))
    );
  }

  /** That of listed premises: their own row's, or that of their postcode. */
  zoneNumberOfPremises({ packed, zoneNumber }: PremisesKey): number {
    return zoneNumber === NO_ROW ? this.zoneNumberAt(packed) : zoneNumber;
  }

  /** The zone number of a whole place: its own row's, or that of the nearest place around it. */
  zoneNumberOfPlace(level: PlaceLevel, key: number): number {
    const packed = key * UNITS_IN[level];
    for (const around of LEVELS.slice(LEVELS.indexOf(level))) {
      const number = zoneNumberOf(this.coverage.levels[around], keyAt[around](packed));
      if (number !== NO_ROW) return number;
    }
    return NO_ROW;
  }

  /** `-` for an excluded place, null for no row. */
  zoneName(zoneNumber: number): string | null {
    if (zoneNumber === NO_ROW) return null;
    return zoneNumber === EXCLUDED_NUMBER ? EXCLUDED : this.zones[zoneNumber - FIRST_ZONE_NUMBER]!;
  }

  /** The place's own row; null if it has none. */
  rowOf(level: PlaceLevel, key: number): CoverageRow | null {
    const number = zoneNumberOf(this.coverage.levels[level], key);
    return number === NO_ROW ? null : this.row(level, key, number);
  }

  /** The row that applies to a packed unit; its zone may be `-`. */
  find(packed: number): CoverageRow | null {
    for (const level of LEVELS) {
      const key = keyAt[level](packed);
      const number = zoneNumberOf(this.coverage.levels[level], key);
      if (number !== NO_ROW) return this.row(level, key, number);
    }
    return null;
  }

  /** Every row, from areas to units, each level in canonical order. */
  *rows(): Generator<CoverageRow> {
    for (const level of LEVELS.toReversed()) {
      const { keys, zoneNumbers } = this.coverage.levels[level];
      for (const [i, key] of keys.entries()) yield this.row(level, key, zoneNumbers[i]!);
    }
  }

  get size(): CoverageSize {
    const sizes = LEVELS.map((level) => [`${level}s`, this.coverage.levels[level].keys.length]);
    return Object.fromEntries(sizes) as CoverageSize;
  }

  private row(level: PlaceLevel, key: number, zoneNumber: number): CoverageRow {
    return { level, place: printPlace(level, key), zone: this.zoneName(zoneNumber)! };
  }
}

interface PlacesOfContent {
  readonly coverage: CoverageIndex;
  readonly premises: PremisesIndex;
  readonly polygons: readonly PolygonRow[];
}

/** By the polygons of a content. */
const joined = new WeakMap<readonly PolygonRow[], Omit<PlacesOfContent, 'polygons'>>();

/** Coverage and premises with the places that polygons decide. @throws {TooManyZones} */
export function withPolygons(content: PlacesOfContent): Omit<PlacesOfContent, 'polygons'> {
  const { coverage, premises, polygons } = content;
  const used = polygons.filter((row) => row.units !== '' || row.premises !== '');
  if (used.length === 0) return { coverage, premises };
  const known = joined.get(polygons) ?? joinPolygons(content, used);
  joined.set(polygons, known);
  return known;
}

function joinPolygons(
  { coverage, premises }: PlacesOfContent,
  used: readonly PolygonRow[],
): Omit<PlacesOfContent, 'polygons'> {
  const named = used.flatMap(({ zone }) => (zone === EXCLUDED ? [] : zone));
  const zones = [...new Set([...coverage.zones, ...named])].sort();
  if (zones.length > MOST_ZONES) throw new TooManyZones();
  const numbers = new Map([[EXCLUDED, EXCLUDED_NUMBER]]);
  for (const [i, zone] of zones.entries()) numbers.set(zone, FIRST_ZONE_NUMBER + i);
  const own = coverage.zones.map((zone) => numbers.get(zone)!);
  const renumbered = Uint16Array.from([NO_ROW, EXCLUDED_NUMBER, ...own]);
  const levels = byLevel((level) => {
    const { keys, zoneNumbers } = coverage.coverage.levels[level];
    return { keys, zoneNumbers: zoneNumbers.map((own) => renumbered[own]!) };
  });
  const { keys, zoneNumbers } = levels.unit;
  const count = used.reduce((sum, { units }) => sum + countNumbers(units), keys.length);
  // A key and its zone number in one number that sorts by the key. A unit with its own row is in no polygon.
  const rows = new Float64Array(count);
  for (const [i, key] of keys.entries()) rows[i] = key * 0x10000 + zoneNumbers[i]!;
  let at = keys.length;
  const zoneOf = new Map<number, number>();
  for (const { units, premises: listed, zone } of used) {
    const number = numbers.get(zone)!;
    for (const key of unpackNumbers(units)) rows[at++] = key * 0x10000 + number;
    for (const uprn of unpackNumbers(listed)) zoneOf.set(uprn, number);
  }
  rows.sort();
  const unit = { keys: new Uint32Array(count), zoneNumbers: new Uint16Array(count) };
  for (let i = 0; i < count; i++) {
    unit.keys[i] = rows[i]! / 0x10000;
    unit.zoneNumbers[i] = rows[i]! % 0x10000;
  }
  return {
    coverage: new CoverageIndex({ zones, levels: { ...levels, unit } }),
    premises: premises.rezoned((uprn, own) => zoneOf.get(uprn) ?? renumbered[own]!),
  };
}

/** The key of the place that contains a packed unit. */
export const keyAt: Readonly<Record<PlaceLevel, (packed: number) => number>> = {
  unit: (packed) => packed,
  sector: placeKeyOf.sector,
  subdistrict: placeKeyOf.outward,
  district: placeKeyOf.district,
  area: placeKeyOf.area,
};

/** Packed postcodes in one place of the level; see postcode.ts. */
export const UNITS_IN: Readonly<Record<PlaceLevel, number>> = {
  unit: 1,
  sector: 400,
  subdistrict: 4_000,
  district: 4_000,
  area: 1_480_000,
};

/** @returns NO_ROW if `key` has no row */
function zoneNumberOf({ keys, zoneNumbers }: LevelRows, key: number): number {
  const row = lowerBound(keys, key);
  return keys[row] === key ? zoneNumbers[row]! : NO_ROW;
}

/** A place with two rows. */
export interface RepeatedPlace {
  readonly level: PlaceLevel;
  readonly place: string;
  readonly line: number;
  readonly firstLine: number;
}

export class TooManyZones extends Error {
  constructor() {
    super(`More than ${MOST_ZONES} zones.`);
  }
}

/** Collects rows in any order, ten bytes each, and builds an index. */
export class CoverageBuilder {
  private readonly levels = byLevel(() => new UnsortedRows());
  private readonly numbers = new Map<string, number>([[EXCLUDED, EXCLUDED_NUMBER]]);

  /** The number of `zone`, or of `-`, if it was added before. */
  knownZone(zone: string): number | undefined {
    return this.numbers.get(zone);
  }

  /** Without `-`. */
  get zoneCount(): number {
    return this.numbers.size - 1;
  }

  /** Unsorted, without `-`. */
  zones(): string[] {
    return [...this.numbers.keys()].slice(1);
  }

  /** @throws {TooManyZones} if there are MOST_ZONES already */
  addZone(zone: string): number {
    const known = this.numbers.get(zone);
    if (known !== undefined) return known;
    if (this.zoneCount === MOST_ZONES) throw new TooManyZones();
    const number = FIRST_ZONE_NUMBER + this.zoneCount;
    this.numbers.set(zone, number);
    return number;
  }

  /** @param zoneNumber from `addZone` @param line for `onRepeat` */
  add(place: PostcodePlace, zoneNumber: number, line: number): void {
    this.levels[place.level].push(place.key, zoneNumber, line);
  }

  /** Keeps the first row of each place, and reports the others to `onRepeat`. */
  build(onRepeat: (repeat: RepeatedPlace) => void): CoverageIndex {
    const { zones, renumbered } = this.renumbering();
    const levels = byLevel((level) =>
      this.levels[level].sorted(renumbered, (key, line, firstLine) =>
        onRepeat({ level, place: printPlace(level, key), line, firstLine }),
      ),
    );
    return new CoverageIndex({ zones, levels });
  }

  /** The names in order, and the final number of each zone by that from `addZone`. */
  renumbering(): { zones: string[]; renumbered: Uint16Array } {
    const zones = this.zones().sort();
    const renumbered = new Uint16Array(FIRST_ZONE_NUMBER + zones.length);
    renumbered[EXCLUDED_NUMBER] = EXCLUDED_NUMBER;
    for (const [i, zone] of zones.entries()) {
      renumbered[this.numbers.get(zone)!] = FIRST_ZONE_NUMBER + i;
    }
    return { zones, renumbered };
  }
}

function byLevel<T>(value: (level: PlaceLevel) => T): Record<PlaceLevel, T> {
  const entries = LEVELS.map((level) => [level, value(level)] as const);
  return Object.fromEntries(entries) as Record<PlaceLevel, T>;
}

class UnsortedRows {
  private count = 0;
  private keys = new Uint32Array(64);
  private lines = new Uint32Array(64);
  private zoneNumbers = new Uint16Array(64);

  push(key: number, zoneNumber: number, line: number): void {
    if (this.count === this.keys.length) this.grow();
    this.keys[this.count] = key;
    this.lines[this.count] = line;
    this.zoneNumbers[this.count++] = zoneNumber;
  }

  private grow(): void {
    const { keys, lines, zoneNumbers } = this;
    (this.keys = new Uint32Array(keys.length * 2)).set(keys);
    (this.lines = new Uint32Array(keys.length * 2)).set(lines);
    (this.zoneNumbers = new Uint16Array(keys.length * 2)).set(zoneNumbers);
  }

  sorted(
    renumbered: Uint16Array,
    onRepeat: (key: number, line: number, firstLine: number) => void,
  ): LevelRows {
    const source = this.keys.subarray(0, this.count);
    const keys = new Uint32Array(this.count);
    const zoneNumbers = new Uint16Array(this.count);
    let count = 0;
    let firstLine = 0;
    for (const row of stableOrder(source)) {
      const key = source[row]!;
      const line = this.lines[row]!;
      if (count > 0 && keys[count - 1] === key) {
        onRepeat(key, line, firstLine);
        continue;
      }
      firstLine = line;
      keys[count] = key;
      zoneNumbers[count++] = renumbered[this.zoneNumbers[row]!]!;
    }
    return { keys: keys.slice(0, count), zoneNumbers: zoneNumbers.slice(0, count) };
  }
}

/** From this many keys, a radix sort is faster. */
const MANY = 10_000;

/** The positions of `keys` in ascending order of keys; stable. Radix sort, 16 bits a pass. */
function stableOrder(keys: Uint32Array): Uint32Array {
  let order = new Uint32Array(keys.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  if (keys.length < MANY) return order.sort((a, b) => keys[a]! - keys[b]! || a - b);
  for (const shift of [0, 16]) {
    const next = new Uint32Array(0x10001);
    for (const key of keys) next[((key >>> shift) & 0xffff) + 1]!++;
    for (let digit = 1; digit < next.length; digit++) next[digit]! += next[digit - 1]!;
    const sorted = new Uint32Array(keys.length);
    for (const position of order) {
      const digit = (keys[position]! >>> shift) & 0xffff;
      sorted[next[digit]!++] = position;
    }
    order = sorted;
  }
  return order;
}
