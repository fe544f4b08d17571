import { PlaceLevel, placeKeyOf, printPlace } from '../../platform/kernel/postcode.js';
import { type ComparedFile, comparedFiles, fieldsOf, type RowOfFile } from './catalogue-files.js';
import type { CatalogueContent } from './catalogue.js';
import { effectiveOf } from './cost-books.js';
import type { ChangeList } from './offer-fields.js';
import { changedRows } from './offers.js';
import {
  type DatedSummary,
  diffPricesByDay,
  listedFields,
  type PriceChanges,
  summariesByDay,
} from './price-changes.js';
import { FIRST_ZONE_NUMBER, jointNumbers, LEVELS, mainZone } from './coverage-codec.js';
import type { CoverageIndex } from './coverage-index.js';
import { countNumbers } from '../polygons/outline.js';
import { diffPremises, type PremisesDiff } from './premises-diff.js';

type ChangeKind = 'gained' | 'lost' | 'moved';

type ChangeCounts = Record<ChangeKind, number>;

/** A place whose zone changed. In a null zone nothing is sold. */
export interface PlaceChange {
  readonly level: PlaceLevel;
  readonly place: string;
  readonly change: ChangeKind;
  readonly from: string | null;
  readonly to: string | null;
}

/** A row that was added, removed or changed. */
export interface RowChange<T = object> {
  readonly before: T | null;
  readonly after: T | null;
}

interface AreaCounts extends ChangeCounts {
  readonly area: string;
}

/** Changed postcodes, as numbers: there can be millions. */
interface PostcodeChanges {
  /** Packed, ascending. */
  readonly keys: Uint32Array;
  /** Index into `zones`, plus one; 0 if nothing is sold. */
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  readonly zones: readonly string[];
}

export interface CatalogueDiff extends PriceChanges {
  /** The changes of prices in figures, by the days on which they apply. */
  readonly summaries: Readonly<Record<ChangeList, readonly DatedSummary[]>>;
  /** Postcodes with their own row before or after and, if `register` is true, all that are in use. */
  readonly postcodes: {
    readonly counts: ChangeCounts;
    /** Postcodes covered before. */
    readonly covered: number;
    readonly coveredAfter: number;
    readonly byArea: readonly AreaCounts[];
    readonly changes: PostcodeChanges;
  };
  /** Rows of larger places. Parts of them may have their own rows. */
  readonly places: {
    readonly counts: ChangeCounts;
    /** Covered before, by level. */
    readonly covered: Readonly<Partial<Record<PlaceLevel, number>>>;
    readonly lost: Readonly<Partial<Record<PlaceLevel, number>>>;
    readonly changes: readonly PlaceChange[];
  };
  readonly premises: PremisesDiff;
  /** By file. Prices that follow from these rows, such as those of a derived list or a cost book, are in `prices`. */
  readonly rows: { readonly [F in ComparedFile]: readonly RowChange<RowOfFile<F>>[] };
  /** Postcodes in use that get a price by distance. */
  readonly byDistance: { readonly before: number; readonly after: number };
  /** Postcodes within `BORDER_METRES` of a border of the map, in the new version. */
  readonly border: number;
  /** Whether the postcode register was loaded. */
  readonly register: boolean;
}

const END = 0xffff_ffff;

/**
 * What changes for clients between two contents. Different rows with the same effect are not a change.
 * @param byDistance the postcodes that get a price by distance
 * @param live every postcode in use, packed and ascending, if the register is loaded
 */
export function diffCatalogues(
  before: CatalogueContent,
  after: CatalogueContent,
  live: Uint32Array | null,
  byDistance: CatalogueDiff['byDistance'] = { before: 0, after: 0 },
): CatalogueDiff {
  // As they were imported: effective contents have no costs, and zones of suppliers.
  const rows = diffRows(before, after);
  const border = after.polygons.reduce((sum, row) => sum + countNumbers(row.border), 0);
  [before, after] = [effectiveOf(before), effectiveOf(after)];
  const prices = diffPricesByDay(before, after);
  const summaries = listedFields().map(({ list }) => [list, summariesByDay(prices[list])]);
  const named = [...before.coverage.zones, ...after.coverage.zones].map(mainZone);
  const zones = [...new Set(named)].sort();
  return {
    postcodes: diffPostcodes(before.coverage, after.coverage, zones, live),
    places: diffPlaces(before.coverage, after.coverage),
    premises: diffPremises(before, after, zones),
    ...prices,
    summaries: Object.fromEntries(summaries) as CatalogueDiff['summaries'],
    rows,
    byDistance,
    border,
    register: live !== null,
  };
}

function diffRows(before: CatalogueContent, after: CatalogueContent): CatalogueDiff['rows'] {
  const changes = comparedFiles.map((file) => {
    const changed = changedRows<object>(fieldsOf(file), before[file], after[file]);
    return [file, Array.from(changed, ([was, row]): RowChange => ({ before: was, after: row }))];
  });
  return Object.fromEntries(changes) as CatalogueDiff['rows'];
}

export function isNoChange(diff: CatalogueDiff): boolean {
  return (
    diff.postcodes.changes.keys.length === 0 &&
    diff.places.changes.length === 0 &&
    diff.premises.changes.uprns.length === 0 &&
    listedFields().every(({ list }) => diff[list].length === 0) &&
    comparedFiles.every((file) => diff.rows[file].length === 0)
  );
}

export function* postcodeChanges(changes: PostcodeChanges): Generator<PlaceChange> {
  const { keys, from, to, zones } = changes;
  for (const [i, key] of keys.entries()) {
    yield {
      level: 'unit',
      place: printPlace('unit', key),
      change: kindOf(from[i]!, to[i]!),
      from: from[i] === 0 ? null : zones[from[i]! - 1]!,
      to: to[i] === 0 ? null : zones[to[i]! - 1]!,
    };
  }
}

function noChanges(): ChangeCounts {
  return { gained: 0, lost: 0, moved: 0 };
}

function kindOf(from: unknown, to: unknown): ChangeKind {
  return !from ? 'gained' : !to ? 'lost' : 'moved';
}

/** Reads the zone of postcodes in ascending order, as an index into `zones` plus one. */
class ZoneReader {
  private readonly keys: Uint32Array;
  private readonly zoneNumbers: Uint16Array;
  private readonly joint: Uint16Array;
  private at = 0;
  private sector = -1;
  private around = 0;

  constructor(
    private readonly index: CoverageIndex,
    zones: readonly string[],
  ) {
    const { keys, zoneNumbers } = index.coverage.levels.unit;
    this.keys = keys;
    this.zoneNumbers = zoneNumbers;
    this.joint = jointNumbers(index.zones, zones);
  }

  /** The next postcode that has its own row. */
  get next(): number {
    return this.at < this.keys.length ? this.keys[this.at]! : END;
  }

  zoneOf(key: number): number {
    if (this.next === key) return this.joint[this.zoneNumbers[this.at++]!]!;
    const sector = placeKeyOf.sector(key);
    if (sector !== this.sector) {
      this.sector = sector;
      this.around = this.joint[this.index.zoneNumberOfPlace('sector', sector)]!;
    }
    return this.around;
  }
}

function diffPostcodes(
  before: CoverageIndex,
  after: CoverageIndex,
  zones: readonly string[],
  live: Uint32Array | null,
): CatalogueDiff['postcodes'] {
  const a = new ZoneReader(before, zones);
  const b = new ZoneReader(after, zones);
  const [keys, froms, tos]: number[][] = [[], [], []];
  const counts = noChanges();
  const byArea = new Map<number, ChangeCounts>();
  let covered = 0;
  let coveredAfter = 0;
  let liveAt = 0;
  const liveCount = live?.length ?? 0;
  for (;;) {
    const nextLive = liveAt < liveCount ? live![liveAt]! : END;
    const key = Math.min(a.next, b.next, nextLive);
    if (key === END) break;
    if (key === nextLive) liveAt++;
    const from = a.zoneOf(key);
    const to = b.zoneOf(key);
    if (from !== 0) covered++;
    if (to !== 0) coveredAfter++;
    if (from === to) continue;
    keys!.push(key);
    froms!.push(from);
    tos!.push(to);
    const kind = kindOf(from, to);
    counts[kind]++;
    const area = placeKeyOf.area(key);
    let ofArea = byArea.get(area);
    if (!ofArea) byArea.set(area, (ofArea = noChanges()));
    ofArea[kind]++;
  }
  return {
    counts,
    covered,
    coveredAfter,
    byArea: [...byArea].map(([area, ofArea]) => ({ area: printPlace('area', area), ...ofArea })),
    changes: {
      keys: new Uint32Array(keys!),
      from: new Uint16Array(froms!),
      to: new Uint16Array(tos!),
      zones,
    },
  };
}

function diffPlaces(before: CoverageIndex, after: CoverageIndex): CatalogueDiff['places'] {
  const counts = noChanges();
  const covered: Partial<Record<PlaceLevel, number>> = {};
  const lost: Partial<Record<PlaceLevel, number>> = {};
  const changes: PlaceChange[] = [];
  for (const level of LEVELS.slice(1).reverse()) {
    const keys = new Set([
      ...before.coverage.levels[level].keys,
      ...after.coverage.levels[level].keys,
    ]);
    for (const key of Uint32Array.from(keys).sort()) {
      const from = soldZone(before, level, key);
      const to = soldZone(after, level, key);
      if (from !== null) covered[level] = (covered[level] ?? 0) + 1;
      if (from === to) continue;
      const change = kindOf(from, to);
      counts[change]++;
      if (change === 'lost') lost[level] = (lost[level] ?? 0) + 1;
      changes.push({ level, place: printPlace(level, key), change, from, to });
    }
  }
  return { counts, covered, lost, changes };
}

function soldZone(index: CoverageIndex, level: PlaceLevel, key: number): string | null {
  const number = index.zoneNumberOfPlace(level, key);
  return number < FIRST_ZONE_NUMBER ? null : mainZone(index.zoneName(number)!);
}
