import {
  BEYOND,
  unpackNearness,
  type BuildNetwork,
  type NearestPoint,
  type PointsAround,
} from '../../near-net/network.js';
import type { Position } from '../../near-net/positions.js';
import { printPlace } from '../../platform/kernel/postcode.js';
import type { PlaceKey } from '../../platform/kernel/uprn.js';
import { addDays, HOUR } from '../../platform/kernel/time.js';
import { londonDay, startOfLondonDay } from '../../platform/kernel/working-hours.js';
import { BuildBands, EVERY, type BuildBandRow, offerByBand } from './band-fields.js';
import type { FileRows } from './catalogue-files.js';
import { CancellationCosts } from './cancellation.js';
import { STANDARD } from './cells.js';
import { FIRST_ZONE_NUMBER, mainZone, NO_ROW, partsOf, supplierOf } from './coverage-codec.js';
import type { CoverageIndex } from './coverage-index.js';
import type { SupplierRow } from './cost-fields.js';
import { BEGINNING, changeDays, isSoldOn, isWithin, pricesOn } from './dates.js';
import { type DerivedLists, derivedLists, ZonePrices } from './effective-prices.js';
import type { Network, Offer, PriceRow, ProductRow } from './offer-fields.js';
import { offerOf, sameTerms } from './offers.js';
import type { PremisesIndex } from './premises-index.js';
import {
  BEYOND_BUILD,
  EXCLUDED_HERE,
  NOT_COVERED,
  NOT_PRICED,
  Offers,
  planned,
} from './shown-offers.js';
import { VolumeDiscounts } from './price-list-fields.js';
import { CatalogueConstraints, PLAIN, type PlaceConstraints, type ZoneRow } from './zone-fields.js';

/** One catalogue version: the rows of its files, with indexes of the two large ones. */
export interface CatalogueContent extends FileRows {
  readonly coverage: CoverageIndex;
  readonly premises: PremisesIndex;
}

/** How far a place without coverage is from the network, in metres of the route, and the end of its band. */
export interface Nearest {
  readonly distanceMetres: number;
  readonly band: number;
}

/** One catalogue version in memory. */
export class Catalogue {
  /** The instants at which dates of rows change an answer, ascending, in milliseconds. */
  readonly changeInstants: readonly number[];
  private readonly products: ReadonlyMap<string, ProductRow>;
  private readonly datedProducts: readonly ProductRow[];
  private readonly pricesOf: ReadonlyMap<string, readonly PriceRow[]>;
  private readonly zoneRows: ReadonlyMap<string, ZoneRow>;
  private readonly suppliers: ReadonlyMap<string, SupplierRow>;
  private readonly derived: DerivedLists;
  /** A cache by price list, then by period. */
  private readonly offers = new Map<string, (Offers | undefined)[]>([[STANDARD, []]]);
  readonly bands: BuildBands;
  /** For the lines of a quote. */
  readonly volume: VolumeDiscounts;
  readonly constraints: CatalogueConstraints;
  readonly cancellation: CancellationCosts;
  /** What places can be built from; null without bands, and for a version that only answers earlier checks again. */
  network: BuildNetwork | null = null;
  /** By what the zone sells, then by the end of the band. */
  private readonly offersByBand = new WeakMap<Offers, Map<number, Offers>>();
  /** By zone number: the first of its periods. Within one, no date changes what the zone sells. */
  private readonly firstPeriod: Uint32Array;
  /** The first day of each period; `BEGINNING` for the first one of a zone. */
  private readonly periodDays: string[] = [];
  /** The end of each period in milliseconds; infinite for the last one of a zone. */
  private readonly periodEnds: Float64Array;
  /** Of the last hour that was asked for. */
  private selling = { hour: NaN, sells: (_zoneNumber: number) => false };

  constructor(
    readonly version: number,
    readonly content: CatalogueContent,
    /** See `StoredContent`; empty if it is not stored. */
    readonly contentHash = '',
  ) {
    this.products = new Map(content.products.map((row) => [row.code, row]));
    this.datedProducts = content.products.filter((row) => row.soldFrom ?? row.soldUntil);
    this.pricesOf = Map.groupBy(content.prices, ({ zone }) => zone);
    this.zoneRows = new Map(content.zones.map((row) => [row.zone, row]));
    this.suppliers = new Map(content.suppliers.map((row) => [row.supplier, row]));
    this.bands = new BuildBands(content.buildBands);
    this.volume = new VolumeDiscounts(content.volume);
    this.constraints = new CatalogueConstraints(content);
    this.cancellation = new CancellationCosts(content.cancellation);
    this.derived = derivedLists(content.priceLists);
    for (const { priceList } of content.prices) this.offers.set(priceList, []);
    for (const priceList of this.derived.keys()) this.offers.set(priceList, []);
    const { zones } = content.coverage;
    this.firstPeriod = new Uint32Array(FIRST_ZONE_NUMBER + zones.length);
    const ends: number[] = [];
    const instants = new Map<string, number>();
    for (const [i, zone] of zones.entries()) {
      this.firstPeriod[FIRST_ZONE_NUMBER + i] = ends.length;
      this.periodDays.push(BEGINNING);
      for (const day of this.changeDaysOf(zone)) {
        const instant = instants.get(day) ?? startOfLondonDay(day).getTime();
        instants.set(day, instant);
        this.periodDays.push(day);
        ends.push(instant);
      }
      ends.push(Infinity);
    }
    this.periodEnds = Float64Array.from(ends);
    this.changeInstants = [...instants.values()].sort((a, b) => a - b);
  }

  /** The names of all price lists, sorted. */
  get priceLists(): string[] {
    return [...this.offers.keys()].sort();
  }

  product(code: string): ProductRow | undefined {
    return this.products.get(code);
  }

  /** The row of the main part of a zone; that of a supplier's only has dates, where it follows the operator's zone. */
  zoneRow(zone: string): ZoneRow | undefined {
    return this.zoneRows.get(mainZone(zone));
  }

  /** The supplier of a part of a zone; null for the operator's own. */
  supplier(part: string): SupplierRow | null {
    return this.suppliers.get(supplierOf(part) ?? '') ?? null;
  }

  /** The prices that apply in a part of a zone on a day in London, on any list. */
  pricesIn(part: string, day: string): ZonePrices {
    const { suppliers } = this.content;
    return new ZonePrices(pricesOn(this.pricesOf.get(part) ?? [], day, suppliers), this.derived);
  }

  /** The days on which a zone starts to sell something else, ascending. */
  changeDaysOf(zone: string): string[] {
    const parts = partsOf(zone);
    const prices = parts.flatMap((part) => this.pricesOf.get(part) ?? []);
    const suppliers = parts.flatMap((part) => this.supplier(part) ?? []);
    const codes = new Set(prices.map(({ productCode }) => productCode));
    const products = this.datedProducts.filter(({ code }) => codes.has(code));
    const zones = [this.zoneRow(zone) ?? []].flat();
    return changeDays({ products, prices, zones, suppliers });
  }

  /**
   * What can be ordered at an instant. An unknown price list counts as the standard one.
   * @param at milliseconds
   */
  offersAt(place: PlaceKey, priceList: string, at: number): Offers {
    const zoneNumber = this.zoneNumberAt(place);
    if (zoneNumber === NO_ROW && place.near) return this.offersNear(place.near, priceList, at);
    return this.offersInZone(zoneNumber, priceList, at);
  }

  /** The place with how near it is to the network, for a caller who may see prices by distance. */
  withNear(place: PlaceKey, at: number): PlaceKey {
    if (this.network === null || this.zoneNumberAt(place) !== NO_ROW) return place;
    const near = this.network.nearness(this.positionOf(place), this.sellsAt(at));
    return { ...place, near };
  }

  /** Of listed premises, their own if it is stated; otherwise the postcode's. Null without a network or a position. */
  private positionOf({ packed, uprn }: PlaceKey): Position | null {
    const own = uprn ? this.content.premises.positionOf(packed, uprn) : null;
    return this.network && (own ?? this.network.positions.of(packed));
  }

  /** The nearest point to a place, and what it is; null without a network, a position, or a point in reach. */
  nearestPoint(place: PlaceKey, at: number): NearestPoint | null {
    const position = this.positionOf(place);
    const point = position && this.network!.nearest(position, this.sellsAt(at));
    if (!point) return null;
    return { ...point, zone: this.zoneNameOf(point.zoneNumber), name: this.pointName(point.row) };
  }

  /** For a map: the points around a place, nearest first; null without a network or a position. */
  pointsAround(place: PlaceKey, most: number): PointsAround | null {
    const from = this.positionOf(place);
    if (!this.network || !from) return null;
    const { index, reach, factor, movedBy } = this.network;
    const points = index.within(from, reach / factor, most);
    const bands = points[0] ? this.bands.endsOf(this.zoneNameOf(points[0].zoneNumber)) : [];
    return {
      from,
      points: points.map((one) => ({ ...one, name: this.pointName(one.row) })),
      bands: bands.map((toMetres) => ({ toMetres, straight: toMetres / factor })),
      movedBy,
    };
  }

  /** Of a point of the network: its own name, or its postcode. */
  pointName(row: number): string {
    const { networkPoints } = this.content;
    if (networkPoints.length > 0) return networkPoints[row]!.point;
    return printPlace('unit', this.network!.positions.keys[row]!);
  }

  /** The route of a place and its band; null for a place without one. @param near see `PlaceKey` */
  nearestAt(near: number | null | undefined): Nearest | null {
    const row = this.bandAt(near);
    return row
      ? { distanceMetres: unpackNearness(near!).distanceMetres, band: row.toMetres }
      : null;
  }

  /** What building to a place adds to each product; undefined for a place without a band. @param near see `PlaceKey` */
  bandAt(near: number | null | undefined): BuildBandRow | undefined {
    if (near == null || near === BEYOND) return undefined;
    const { distanceMetres, zoneNumber } = unpackNearness(near);
    const rows = this.bands.at(this.zoneNameOf(zoneNumber), distanceMetres);
    return rows.find(({ products }) => products === EVERY) ?? rows[0];
  }

  private sellsAt(at: number): (zoneNumber: number) => boolean {
    // London's days start at full hours of UTC.
    const hour = Math.floor(at / HOUR);
    if (hour !== this.selling.hour) {
      this.selling = { hour, sells: this.sellsOn(londonDay(new Date(at))) };
    }
    return this.selling.sells;
  }

  /** Whether a zone is selling: before its first day and after its last one, nothing is built from it. */
  sellsOn(day: string): (zoneNumber: number) => boolean {
    return (zoneNumber) => {
      const row = this.zoneRow(this.zoneNameOf(zoneNumber));
      return !row || isWithin(day, row.readyDate, row.endDate);
    };
  }

  /** Of listed premises, their own; otherwise the postcode's. */
  zoneNumberAt({ packed, uprn }: PlaceKey): number {
    const { coverage, premises } = this.content;
    const own = uprn ? premises.zoneNumberAt(packed, uprn) : NO_ROW;
    return own || coverage.zoneNumberAt(packed);
  }

  /** The name of the main zone; null where nothing covers the place, or where it is excluded. */
  zoneAt(place: PlaceKey): string | null {
    const number = this.zoneNumberAt(place);
    return number < FIRST_ZONE_NUMBER ? null : this.zoneNameOf(number);
  }

  constraintsAt(place: PlaceKey): PlaceConstraints {
    const { constraints } = this;
    return constraints.isEmpty ? PLAIN : constraints.at(place, this.zoneNumberAt(place));
  }

  /** @param zoneNumber see `NO_ROW` @param at milliseconds */
  offersInZone(zoneNumber: number, priceList: string, at: number): Offers {
    if (zoneNumber < FIRST_ZONE_NUMBER) return zoneNumber === NO_ROW ? NOT_COVERED : EXCLUDED_HERE;
    let period = this.firstPeriod[zoneNumber]!;
    while (at >= this.periodEnds[period]!) period += 1;
    const offers = this.offers.get(priceList) ?? this.offers.get(STANDARD)!;
    return (offers[period] ??= this.offersIn(period, priceList, zoneNumber));
  }

  /**
   * What a zone sells from each day on which that changes; from `BEGINNING` first. Nothing is cached.
   * @param band metres, for what is built from the zone; 0 for what is in it
   */
  offersByDay(zoneNumber: number, priceList: string, band: number) {
    const first = this.firstPeriod[zoneNumber]!;
    const days = this.periodDays.slice(first, this.firstPeriod[zoneNumber + 1]);
    const zone = this.content.coverage.zones[zoneNumber - FIRST_ZONE_NUMBER]!;
    return days.map((day, i) => {
      const offers = this.offersThrough(days.slice(i), priceList, zone);
      return { day, offers: band === 0 ? offers : this.builtFrom(zoneNumber, band, offers) };
    });
  }

  /** What can be built to a place without a row of coverage. */
  private offersNear(near: number, priceList: string, at: number): Offers {
    const nearest = this.nearestAt(near);
    if (nearest === null) return BEYOND_BUILD;
    const { zoneNumber } = unpackNearness(near);
    const sold = this.offersInZone(zoneNumber, priceList, at);
    const byBand = this.offersByBand.get(sold) ?? new Map<number, Offers>();
    const known = byBand.get(nearest.band);
    if (known) return known;
    const list = this.builtFrom(zoneNumber, nearest.band, sold.list);
    const offers = list.length > 0 ? new Offers(list) : NOT_COVERED;
    this.offersByBand.set(sold, byBand.set(nearest.band, offers));
    return offers;
  }

  private builtFrom(zoneNumber: number, band: number, sold: readonly Offer[]): Offer[] {
    const rows = this.bands.at(this.zoneNameOf(zoneNumber), band);
    // Only the operator builds.
    const own = sold.filter((offer) => supplierOf(offer.zone) === null);
    return own.flatMap((offer) => offerByBand(offer, rows) ?? []);
  }

  private zoneNameOf(zoneNumber: number): string {
    return mainZone(this.content.coverage.zones[zoneNumber - FIRST_ZONE_NUMBER]!);
  }

  private offersIn(period: number, priceList: string, zoneNumber: number): Offers {
    const zone = this.content.coverage.zones[zoneNumber - FIRST_ZONE_NUMBER]!;
    let last = period;
    while (this.periodEnds[last]! < Infinity) last += 1;
    const offers = this.offersThrough(this.periodDays.slice(period, last + 1), priceList, zone);
    if (offers.length > 0) return new Offers(offers.sort(inOrder));
    const { readyDate = null, endDate = null } = this.zoneRow(zone) ?? {};
    const day = this.periodDays[period]!;
    if (readyDate !== null && day < readyDate)
      return new Offers([], [planned(readyDate)], readyDate);
    return isWithin(day, null, endDate) ? NOT_PRICED : EXCLUDED_HERE;
  }

  /** Those of the first day. Each states until when it stays as it is. @param days ascending: it, and later changes */
  offersThrough(days: readonly string[], priceList: string, zone: string): Offer[] {
    return days.reduceRight<Offer[]>((after, day, i) => {
      const offers = this.offersOn(day, priceList, zone);
      return i === days.length - 1 ? offers : followedBy(offers, after, addDays(days[i + 1]!, -1));
    }, []);
  }

  /** Of one product, the operator's own offer comes first, then the cheapest of the suppliers. */
  private offersOn(day: string, priceList: string, zone: string): Offer[] {
    const parts = partsOf(zone);
    if (parts.length === 1) return this.offersOfPart(day, priceList, zone);
    const found = new Map<string, Offer>();
    for (const part of parts) {
      for (const offer of this.offersOfPart(day, priceList, part)) {
        const other = found.get(offer.productCode);
        if (!other || (supplierOf(other.zone) !== null && isCheaper(offer, other))) {
          found.set(offer.productCode, offer);
        }
      }
    }
    return [...found.values()];
  }

  private offersOfPart(day: string, priceList: string, part: string): Offer[] {
    const zoneRow = this.zoneRow(part);
    if (zoneRow && !isWithin(day, zoneRow.readyDate, zoneRow.endDate)) return [];
    const isOffNet = supplierOf(part) !== null;
    return [...this.pricesIn(part, day).ofList(priceList).values()].flatMap((price) => {
      const product = this.products.get(price.productCode);
      if (!product || !isSoldOn(product, day)) return [];
      const offer = offerOf(product, price, zoneRow);
      return isOffNet ? { ...offer, network: offNet(offer) } : offer;
    });
  }
}

/** The network of a supplier's product: one that is not firm may need building. */
function offNet({ basis }: Offer): Network {
  return basis === 'firm' ? 'offNetWithoutBuild' : 'offNetWithBuild';
}

/** By the monthly price; then by the set-up price, where one that is not stated counts as more. */
function isCheaper(a: Offer, b: Offer): boolean {
  const setup = ({ setupPrice }: Offer) => setupPrice ?? Infinity;
  return a.price < b.price || (a.price === b.price && setup(a) < setup(b));
}

/** The offers of a period whose last day is `until`, with what is offered after it. */
function followedBy(offers: readonly Offer[], after: readonly Offer[], until: string): Offer[] {
  const later = new Map(after.map((offer) => [offer.productCode, offer]));
  return offers.map((offer) => {
    const next = later.get(offer.productCode) ?? null;
    return next && sameTerms(offer, next)
      ? { ...offer, priceUntil: next.priceUntil, next: next.next }
      : { ...offer, priceUntil: until, next };
  });
}

function inOrder(a: Offer, b: Offer): number {
  return (
    a.bandwidthProvisioned - b.bandwidthProvisioned ||
    a.term - b.term ||
    a.price - b.price ||
    (a.productCode < b.productCode ? -1 : 1)
  );
}
