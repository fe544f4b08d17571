import { PlaceLevel, placeKeyOf, printPlace } from '../../platform/kernel/postcode.js';
import { fieldsOf, type SupplierFile, supplierFileNames } from './catalogue-files.js';
import type { CatalogueContent } from './catalogue.js';
import { effectiveOf } from './cost-books.js';
import { type ChangeList, productFields, type ProductRow } from './offer-fields.js';
import { changedRows, type FieldsOfRows } from './offers.js';
import {
  type DatedSummary,
  diffPricesByDay,
  listedFields,
  type PriceChanges,
  summariesByDay,
} from './price-changes.js';
import {
  buildBandFields,
  type BuildBandRow,
  networkPointFields,
  type NetworkPointRow,
} from './band-fields.js';
import { priceListFields, type PriceListRow } from './price-list-fields.js';
import { volumeFields, type VolumeRow } from './price-list-fields.js';
import { zoneFields, type ZoneRow } from './zone-fields.js';
import { FIRST_ZONE_NUMBER, jointNumbers, LEVELS, mainZone } from './coverage-codec.js';
import type { CoverageIndex } from './coverage-index.js';
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
export interface RowChange<T> {
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

/** The tables of cost books and their margins, in the order of reports. */
export const bookTables = [...supplierFileNames, 'margins'] as const;
type BookTable = SupplierFile | 'margins';

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
  readonly products: readonly RowChange<ProductRow>[];
  /** Rows of zones.csv. */
  readonly zones: readonly RowChange<ZoneRow>[];
  /** Rows of price_lists.csv. The prices that they change are in `prices`. */
  readonly priceLists: readonly RowChange<PriceListRow>[];
  /** Rows of build_bands.csv and network_points.csv. */
  readonly buildBands: readonly RowChange<BuildBandRow>[];
  readonly networkPoints: readonly RowChange<NetworkPointRow>[];
  /** Rows of volume.csv. */
  readonly volume: readonly RowChange<VolumeRow>[];
  /** Rows of cost books and margins.csv, for staff. The prices that they change are in `prices`. */
  readonly books: { readonly [B in BookTable]: readonly RowChange<CatalogueContent[B][number]>[] };
  /** Postcodes in use that get a price by distance. */
  readonly byDistance: { readonly before: number; readonly after: number };
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
  const books = diffBooks(before, after);
  // Without the dates of suppliers that follow a zone.
  const zoneRows = diffRows(zoneFields, before.zones, after.zones);
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
    zones: zoneRows,
    priceLists: diffRows(priceListFields, before.priceLists, after.priceLists),
    buildBands: diffRows(buildBandFields, before.buildBands, after.buildBands),
    networkPoints: diffRows(networkPointFields, before.networkPoints, after.networkPoints),
    volume: diffRows(volumeFields, before.volume, after.volume),
    products: diffRows(productFields, before.products, after.products),
    byDistance,
    books,
    register: live !== null,
  };
}

function diffBooks(before: CatalogueContent, after: CatalogueContent): CatalogueDiff['books'] {
  const changed = bookTables.map((table) => [
    table,
    diffRows<object>(fieldsOf(table), before[table], after[table]),
  ]);
  return Object.fromEntries(changed) as CatalogueDiff['books'];
}

export function isNoChange(diff: CatalogueDiff): boolean {
  const { postcodes, places, products } = diff;
  return (
    postcodes.changes.keys.length === 0 &&
    places.changes.length === 0 &&
    diff.premises.changes.uprns.length === 0 &&
    listedFields().every(({ list }) => diff[list].length === 0) &&
    products.length + diff.zones.length + diff.priceLists.length === 0 &&
    diff.buildBands.length + diff.networkPoints.length + diff.volume.length === 0 &&
    bookTables.every((table) => diff.books[table].length === 0)
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

function diffRows<T extends object>(
  fields: FieldsOfRows,
  before: readonly T[],
  after: readonly T[],
): RowChange<T>[] {
  return Array.from(changedRows(fields, before, after), ([was, row]) => ({
    before: was,
    after: row,
  }));
}
