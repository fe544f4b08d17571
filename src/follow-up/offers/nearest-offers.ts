import type { Catalogue } from '../../catalogue/content/catalogue.js';
import { NO_ROW } from '../../catalogue/content/coverage-codec.js';
import { keyAt, lowerBound, UNITS_IN } from '../../catalogue/content/coverage-index.js';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import { type Postcode, placeKeyOf, printPlace } from '../../kernel/postcode.js';
import type { SectorPlaces } from '../reports/sector-places.js';

/** Metres of a unit of the grid. */
const GRID = 100;

/** What is sold nearest to a place where a client asks for something else. */
export interface NearestOffers {
  /** The sector, `N1 1`, or the postcode itself. */
  readonly place: string;
  /** Between the middles of both sectors; 0 at the postcode itself; null where a position is not known. */
  readonly metres: number | null;
  readonly zone: string;
  readonly offers: readonly Offer[];
}

/**
 * The offers of the nearest priced zone of the same area:
 * - those of the postcode itself, if anything is sold there;
 * - otherwise those of the sector of its area in which something is sold, with the shortest straight line
 *   from its middle to that of the postcode's sector. A sector sells if its own row of the coverage, or that
 *   of a larger place around it, has a priced zone, or else if one of its postcodes has: then the first.
 * - If the position of the postcode's sector is not known, such as in Northern Ireland, or two sectors are as
 *   near: the sector that follows or precedes it most closely in the order of postcodes.
 * @param at milliseconds @returns null if nothing is sold in the area
 */
export function nearestOffers(
  catalogue: Catalogue,
  postcode: Postcode,
  priceList: string,
  at: number,
  places: SectorPlaces,
): NearestOffers | null {
  const { packed } = postcode;
  const own = catalogue.offersAt({ packed, uprn: null }, priceList, at).list;
  if (own.length > 0) return found(postcode.unit, 0, own);
  const asked = keyAt.sector(packed);
  const here = positionOf(asked, places);
  let best: { key: number; distance: number; offers: readonly Offer[] } | null = null;
  for (const key of sectorsOf(catalogue, placeKeyOf.area(packed), places)) {
    const offers = offersInSector(catalogue, key, priceList, at);
    if (offers.length === 0) continue;
    const distance = distanceOf(here, positionOf(key, places));
    const isNearer =
      !best ||
      distance < best.distance ||
      (distance === best.distance && Math.abs(key - asked) < Math.abs(best.key - asked));
    if (isNearer) best = { key, distance, offers };
  }
  if (!best) return null;
  const metres = Number.isFinite(best.distance) ? Math.round(best.distance * GRID) : null;
  return found(printPlace('sector', best.key), metres, best.offers);
}

function found(place: string, metres: number | null, offers: readonly Offer[]): NearestOffers {
  return { place, metres, zone: offers[0]!.zone, offers };
}

/** The keys of the sectors of an area: those on the map, and those that the coverage names. */
function sectorsOf({ content }: Catalogue, area: number, { keys }: SectorPlaces): Set<number> {
  const [first, end] = [area * UNITS_IN.area, (area + 1) * UNITS_IN.area];
  const isHere = (packed: number) => packed >= first && packed < end;
  const sectors = new Set([...keys].filter((key) => isHere(key * UNITS_IN.sector)));
  const { sector, unit } = content.coverage.coverage.levels;
  for (const key of sector.keys) if (isHere(key * UNITS_IN.sector)) sectors.add(key);
  for (let i = lowerBound(unit.keys, first); i < unit.keys.length && unit.keys[i]! < end; i += 1) {
    sectors.add(keyAt.sector(unit.keys[i]!));
  }
  return sectors;
}

function offersInSector(
  catalogue: Catalogue,
  sector: number,
  priceList: string,
  at: number,
): readonly Offer[] {
  const { coverage } = catalogue.content;
  const whole = coverage.zoneNumberOfPlace('sector', sector);
  const offers = catalogue.offersInZone(whole, priceList, at).list;
  if (offers.length > 0) return offers;
  const { keys, zoneNumbers } = coverage.coverage.levels.unit;
  const end = (sector + 1) * UNITS_IN.sector;
  let last: number = NO_ROW;
  for (
    let i = lowerBound(keys, sector * UNITS_IN.sector);
    i < keys.length && keys[i]! < end;
    i += 1
  ) {
    if (zoneNumbers[i] === last) continue;
    last = zoneNumbers[i]!;
    const { list } = catalogue.offersInZone(last, priceList, at);
    if (list.length > 0) return list;
  }
  return [];
}

type Position = readonly [easting: number, northing: number] | null;

function positionOf(sector: number, { keys, eastings, northings }: SectorPlaces): Position {
  const i = lowerBound(keys, sector);
  return keys[i] === sector ? [eastings[i]!, northings[i]!] : null;
}

function distanceOf(a: Position, b: Position): number {
  return a && b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : Infinity;
}

/** What a client asks for; null where it does not say. */
export interface WantedProduct {
  /** Gbit/s. */
  readonly bandwidth: number | null;
  /** Months. */
  readonly term: number | null;
}

/**
 * The offer most like what is wanted: the smallest bandwidth that is enough, or else the largest; then the
 * nearest term; then the lowest price.
 */
export function closestOffer(
  offers: readonly Offer[],
  { bandwidth, term }: WantedProduct,
): Offer | undefined {
  const short = (offer: Offer) =>
    offer.bandwidthProvisioned < (bandwidth ?? 0) ? 1 / offer.bandwidthProvisioned : 0;
  const over = (offer: Offer) => (short(offer) > 0 ? 0 : offer.bandwidthProvisioned);
  const off = (offer: Offer) => (term === null ? 0 : Math.abs(offer.term - term));
  return offers.toSorted(
    (a, b) =>
      short(a) - short(b) || over(a) - over(b) || off(a) - off(b) || a.amountMinor - b.amountMinor,
  )[0];
}
