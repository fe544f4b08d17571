import { BEYOND, unpackNearness } from '../near-net/network.js';
import type { Position } from '../near-net/positions.js';
import type { Catalogue } from '../catalogue/content/catalogue.js';
import { constraintCodesOf } from '../catalogue/content/zone-fields.js';
import {
  EXCLUDED_NUMBER,
  FIRST_ZONE_NUMBER,
  LEVELS,
  mainZone,
  NO_ROW,
} from '../catalogue/content/coverage-codec.js';
import { EXCLUDED } from '../catalogue/content/coverage-index.js';
import { BEGINNING, changeDays } from '../catalogue/content/dates.js';
import { type Offer, productFields } from '../catalogue/content/offer-fields.js';
import { publishedFields } from '../catalogue/content/offers.js';
import { type PlaceLevel, Postcode, printPlace } from '../platform/kernel/postcode.js';
import { addDays } from '../platform/kernel/time.js';
import { printUprn } from '../platform/kernel/uprn.js';

/** A row as a client reads it, in the order of its columns. */
export type SyncRow = Readonly<Record<string, string | number | boolean | null>>;

/** A row at its place in the order of all rows: by section, then by both keys. */
interface SortedRow {
  readonly section: number;
  readonly key: number | string;
  readonly then: number | string;
  readonly row: SyncRow;
}

/** Null where a row was passed over, so that a reader can count the work. */
export type SyncRows = Generator<SyncRow | null>;
type SortedRows = Generator<SortedRow | null>;

export interface CoverageSource {
  readonly catalogue: Catalogue;
  readonly priceList: string;
  /** Whether the client sees prices by distance: never without a network. */
  readonly nearNet: boolean;
  /** The name of an area of equal prices, which does not show the name of the zone. @param band metres */
  readonly areaOf: (zone: string, band?: number) => string;
}

/** From the largest places, then places priced by distance, to the products. */
const SECTIONS = {
  near: LEVELS.length,
  premises: 6,
  price: 7,
  product: 8,
  area: 9,
  constraint: 10,
} as const;

/** The fields of a product, and the terms at a place, in the order of the API. */
const isOfProduct = new Set(Object.values(productFields).flatMap(({ name }) => name ?? []));
const names = publishedFields().map(({ name }) => name);
const productNames = names.filter((name) => isOfProduct.has(name));
const termNames = names.filter((name) => !isOfProduct.has(name));

/** Every column of a file, those of one kind of row after those of the one before. */
export function coverageColumns(isChanges: boolean): readonly string[] {
  return [
    ...['row', ...(isChanges ? ['op'] : [])],
    ...['place', 'area', 'band', 'validFrom', 'validUntil', 'uprn', 'postcode', 'name'],
    ...['productCode', ...productNames.filter((name) => name !== 'productCode' && name !== 'name')],
    ...[...termNames, 'priceUntil', 'constraints', 'code', 'text', 'version', 'rows', 'sha256'],
  ];
}

/**
 * All that a client needs to answer checks as the service does. Prices of derived lists are computed, and dates of
 * products, prices and zones are the dates of the rows.
 */
export function* coverageRows(source: CoverageSource): SyncRows {
  for (const sorted of sortedRows(source, source.nearNet)) yield sorted && sorted.row;
}

/** @param withNear whether to include the places priced by distance */
function* sortedRows(source: CoverageSource, withNear: boolean): SortedRows {
  const { catalogue, areaOf } = source;
  const { coverage, premises } = catalogue.content;
  const areas = ['', EXCLUDED, ...coverage.zones].map((zone) =>
    zone === EXCLUDED ? null : areaOf(zone),
  );
  for (const [section, level] of LEVELS.toReversed().entries()) {
    const { keys, zoneNumbers } = coverage.coverage.levels[level];
    for (const [i, key] of keys.entries()) {
      const row = { row: 'place', place: nameOf(level, key), area: areas[zoneNumbers[i]!]! };
      yield { section, key, then: '', row };
    }
  }
  const bandsOf = withNear ? bandsByPosition(source) : null;
  if (bandsOf) yield* nearPlaces(source, bandsOf);
  for (const listed of premises.listed()) {
    const { packed, uprn, name, position, constraints } = listed;
    const postcode = nameOf('unit', packed);
    const stated: SyncRow =
      constraints === 0 ? {} : { constraints: constraintCodesOf(constraints).join('|') };
    const named: SyncRow = { row: 'premises', uprn: printUprn(uprn), postcode, name, ...stated };
    const key = { section: SECTIONS.premises, key: packed };
    const number = coverage.zoneNumberOfPremises(listed);
    const isOnlyConstrained = number === NO_ROW && !source.nearNet && constraints !== 0;
    if (number !== NO_ROW || isOnlyConstrained) {
      const area = areas[number || EXCLUDED_NUMBER]!;
      yield { ...key, then: premisesKey(uprn), row: { ...named, area } };
      continue;
    }
    for (const [span, band] of bandsOf?.(position) ?? []) {
      // Where it has no band, that of its postcode does not count.
      const row = { ...named, ...(band ?? { area: null, band: null }), ...span };
      yield { ...key, then: premisesKey(uprn, span), row };
    }
  }
  yield* prices(source);
  yield* constraintRows(source);
}

/** The areas that have constraints, and the words of all. */
function* constraintRows({ catalogue, areaOf }: CoverageSource): SortedRows {
  if (catalogue.constraints.isEmpty) return;
  const zones = catalogue.content.coverage.zones.flatMap((zone) => {
    const constraints = catalogue.zoneRow(zone)?.constraints;
    return constraints ? { row: 'area', area: areaOf(zone), constraints } : [];
  });
  for (const row of zones.sort((a, b) => (a.area < b.area ? -1 : 1))) {
    yield { section: SECTIONS.area, key: row.area, then: '', row };
  }
  const texts = catalogue.constraints.all.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  for (const { code, text } of texts) {
    const row = { row: 'constraint', code, text };
    yield { section: SECTIONS.constraint, key: code, then: '', row };
  }
}

function premisesKey(uprn: number, span?: DaySpan): string {
  return `${String(uprn).padStart(12, '0')} ${span?.validFrom ?? BEGINNING}`;
}

/** Also of the sandbox's postcodes. */
function nameOf(level: PlaceLevel, key: number): string {
  return level === 'unit' ? new Postcode(key).unit : printPlace(level, key);
}

type BandsOf = (position: Position | null) => Iterable<[DaySpan, SyncRow | null]>;

/** The area of the band of a position, and while which zones sell; null without a network. */
function bandsByPosition({ catalogue, areaOf }: CoverageSource): BandsOf | null {
  const { network } = catalogue;
  const { coverage, zones } = catalogue.content;
  if (network === null) return null;
  const days = [BEGINNING, ...changeDays({ products: [], prices: [], zones, suppliers: [] })];
  const selling = days.map((day) => catalogue.sellsOn(day));
  const dated = new Set(zones.flatMap((row) => ((row.readyDate ?? row.endDate) ? row.zone : [])));
  const zoneOf = (near: number) => coverage.zoneName(unpackNearness(near).zoneNumber)!;
  const bandAt = (near: number | null) => {
    const nearest = catalogue.nearestAt(near);
    return nearest && { area: areaOf(zoneOf(near!), nearest.band), band: nearest.band };
  };
  return (position) => {
    const ever = network.nearness(position, () => true);
    // A zone without dates that is the nearest of all is so on every day.
    const isDated = ever !== null && ever !== BEYOND && dated.has(mainZone(zoneOf(ever)));
    const found = isDated ? selling.map((sells) => network.nearness(position, sells)) : [ever];
    return spansOf(days, found.map(bandAt));
  };
}

/** Places without coverage that have a price by distance. */
function* nearPlaces({ catalogue }: CoverageSource, bandsOf: BandsOf): SortedRows {
  const { positions } = catalogue.network!;
  for (const [i, packed] of positions.keys.entries()) {
    yield null;
    if (catalogue.content.coverage.zoneNumberAt(packed) !== NO_ROW) continue;
    const place = nameOf('unit', packed);
    for (const [span, band] of bandsOf(positions.at(i))) {
      if (band === null) continue;
      const row = { row: 'place', place, ...band, ...span };
      yield { section: SECTIONS.near, key: packed, then: span.validFrom ?? BEGINNING, row };
    }
  }
}

function* prices({ catalogue, priceList, nearNet, areaOf }: CoverageSource): SortedRows {
  const products = new Map<string, Offer>();
  const areas = catalogue.content.coverage.zones.flatMap((zone, i) => {
    // An earlier version has the same bands, but no network.
    const bands = nearNet ? catalogue.bands.endsOf(mainZone(zone)) : [];
    const zoneNumber = FIRST_ZONE_NUMBER + i;
    return [0, ...bands].map((band) => ({ area: areaOf(zone, band), zoneNumber, band }));
  });
  for (const { area, zoneNumber, band } of areas.sort((a, b) => (a.area < b.area ? -1 : 1))) {
    yield null;
    const periods = catalogue.offersByDay(zoneNumber, priceList, band);
    const sold = periods.map(
      ({ offers }) => new Map(offers.map((offer) => [offer.productCode, offer])),
    );
    const days = periods.map(({ day }) => day);
    for (const code of [...new Set(sold.flatMap((offers) => [...offers.keys()]))].sort()) {
      const terms = sold.map((offers) => {
        const offer = offers.get(code);
        if (offer) products.set(code, offer);
        return offer ? termsRow(offer) : null;
      });
      for (const [span, own] of spansOf(days, terms)) {
        if (own === null) continue;
        const row = { row: 'price', area, productCode: code, ...own, ...span };
        const then = `${code} ${span.validFrom ?? BEGINNING}`;
        yield { section: SECTIONS.price, key: area, then, row };
      }
    }
  }
  for (const [code, offer] of [...products].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const row = { row: 'product', ...pick(offer, productNames) };
    yield { section: SECTIONS.product, key: code, then: '', row };
  }
}

function termsRow(offer: Offer): SyncRow {
  return { ...pick(offer, termNames), priceUntil: offer.priceUntil };
}

function pick(offer: Offer, of: readonly (keyof Offer)[]): SyncRow {
  return Object.fromEntries(of.map((name) => [name, offer[name]])) as SyncRow;
}

/** Days in London; null is open. Both are included. */
type DaySpan = Readonly<Record<'validFrom' | 'validUntil', string | null>>;

/** Values that hold from a day on, with their first and last day. Equal neighbours become one. */
export function* spansOf<T extends SyncRow>(
  days: readonly string[],
  values: readonly (T | null)[],
): Generator<[DaySpan, T | null]> {
  for (let first = 0; first < values.length;) {
    const value = values[first]!;
    let next = first + 1;
    while (next < values.length && isSame(value, values[next]!)) next += 1;
    const validUntil = next < values.length ? addDays(days[next]!, -1) : null;
    yield [{ validFrom: days[first] || null, validUntil }, value];
    first = next;
  }
}

function isSame(a: SyncRow | null, b: SyncRow | null): boolean {
  if (a === null || b === null) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** What to put and to remove, so that the rows of `earlier` become those of `later`, which has the same network. */
export function* coverageChanges(earlier: CoverageSource, later: CoverageSource): SyncRows {
  // So places priced by distance are the same in both.
  const [before, after] = [sortedRows(earlier, false), sortedRows(later, false)];
  let [old, now] = [before.next(), after.next()];
  while (!old.done || !now.done) {
    if (!old.done && old.value === null) old = before.next();
    else if (!now.done && now.value === null) now = after.next();
    else {
      const [was, is] = [old.done ? null : old.value!, now.done ? null : now.value!];
      const order = was === null ? 1 : is === null ? -1 : compare(was, is);
      if (order < 0) yield { row: was!.row.row!, op: 'remove', ...was!.row };
      else if (order > 0 || !isSame(was!.row, is!.row)) {
        yield { row: is!.row.row!, op: 'put', ...is!.row };
      }
      if (order <= 0) old = before.next();
      if (order >= 0) now = after.next();
    }
    yield null;
  }
}

function compare(a: SortedRow, b: SortedRow): number {
  if (a.section !== b.section) return a.section - b.section;
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  if (a.then !== b.then) return a.then < b.then ? -1 : 1;
  return 0;
}
