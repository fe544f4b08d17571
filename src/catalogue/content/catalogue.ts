import type { Compatibility } from '../../platform/kernel/compatibility.js';
import type { PlaceKey } from '../../platform/kernel/uprn.js';
import { addDays } from '../../platform/kernel/time.js';
import { startOfLondonDay } from '../../platform/kernel/working-hours.js';
import { STANDARD } from './cells.js';
import { FIRST_ZONE_NUMBER, NO_ROW } from './coverage-codec.js';
import type { CoverageIndex } from './coverage-index.js';
import { BEGINNING, changeDays, isSoldOn, isWithin, pricesOn } from './dates.js';
import { type DerivedLists, derivedLists, ZonePrices } from './effective-prices.js';
import type { Offer, PriceRow, ProductRow } from './offer-fields.js';
import { offerOf, publishedFields, sameTerms } from './offers.js';
import type { PremisesIndex } from './premises-index.js';
import type { PriceListRow } from './price-list-fields.js';
import type { ZoneRow } from './zone-fields.js';

/** Why nothing can be ordered at a place. */
export type EmptyCode = 'notCovered' | 'excluded' | 'planned' | 'notPriced';

export interface EmptyReason {
  readonly code: EmptyCode;
  /** A sentence. */
  readonly detail: string;
  /** Only of `planned`: the first day of sale in London, as `2026-12-01`. */
  readonly readyDate?: string;
}

const emptyReasons = {
  notCovered: { code: 'notCovered', detail: 'The operator does not cover this place.' },
  excluded: { code: 'excluded', detail: 'The operator does not sell at this place.' },
  notPriced: {
    code: 'notPriced',
    detail: 'The operator covers this place, but no product has a price here.',
  },
} as const satisfies Partial<Record<EmptyCode, EmptyReason>>;

/** One catalogue version. */
export interface CatalogueContent {
  readonly products: readonly ProductRow[];
  readonly prices: readonly PriceRow[];
  readonly coverage: CoverageIndex;
  readonly premises: PremisesIndex;
  readonly zones: readonly ZoneRow[];
  readonly priceLists: readonly PriceListRow[];
}

/** The offers that a client is shown. */
export interface ShownOffers {
  readonly count: number;
  /** The JSON array of the contract's `availableProducts`. */
  readonly json: string;
  /** The JSON array of the contract's `reasons`. */
  readonly reasonsJson: string;
  /** Bytes of both texts in UTF-8 beyond one for each character. */
  readonly extraBytes: number;
  /** The first day of sale, while there is nothing before it; otherwise null. */
  readonly readyDate: string | null;
}

/** All offers of a zone on a price list: by bandwidth provisioned, term, price and code. */
export class Offers implements ShownOffers {
  readonly json: string;
  readonly reasonsJson: string;
  readonly extraBytes: number;
  private older: ShownOffers | undefined;

  /** @param reasons why there are none */
  constructor(
    readonly list: readonly Offer[],
    readonly reasons: readonly EmptyReason[] = [],
    readonly readyDate: string | null = null,
  ) {
    this.json = JSON.stringify(list.map((offer) => product(offer, false)));
    this.reasonsJson = JSON.stringify(reasons);
    this.extraBytes = extraBytes(this.json + this.reasonsJson);
  }

  get count(): number {
    return this.list.length;
  }

  /** For `0.2`, adds the misspelt keys and leaves out products whose bandwidth is not a 32-bit integer. */
  shownTo(compatibility: Compatibility): ShownOffers {
    if (compatibility === '0.3') return this;
    return (this.older ??= shownToOlder(this));
  }
}

/** Bytes of a text in UTF-8 beyond one for each character. */
export function extraBytes(text: string): number {
  return Buffer.byteLength(text) - text.length;
}

function shownToOlder({ list, reasonsJson, readyDate }: Offers): ShownOffers {
  const shown = list.filter(
    (offer) =>
      Number.isInteger(offer.bandwidthProvisioned) && Number.isInteger(offer.bandwidthCapacity),
  );
  const json = JSON.stringify(shown.map((offer) => product(offer, true)));
  const extra = extraBytes(json + reasonsJson);
  return { count: shown.length, json, reasonsJson, readyDate, extraBytes: extra };
}

const NOT_COVERED = new Offers([], [emptyReasons.notCovered]);
const EXCLUDED_HERE = new Offers([], [emptyReasons.excluded]);
const NOT_PRICED = new Offers([], [emptyReasons.notPriced]);

/** One catalogue version in memory. */
export class Catalogue {
  /** The instants at which dates of rows change an answer, ascending, in milliseconds. */
  readonly changeInstants: readonly number[];
  private readonly products: ReadonlyMap<string, ProductRow>;
  private readonly datedProducts: readonly ProductRow[];
  private readonly pricesOf: ReadonlyMap<string, readonly PriceRow[]>;
  private readonly zoneRows: ReadonlyMap<string, ZoneRow>;
  private readonly derived: DerivedLists;
  /** A cache by price list, then by period. */
  private readonly offers = new Map<string, (Offers | undefined)[]>([[STANDARD, []]]);
  /** By zone number: the first of its periods. Within one, no date changes what the zone sells. */
  private readonly firstPeriod: Uint32Array;
  /** The first day of each period; `BEGINNING` for the first one of a zone. */
  private readonly periodDays: string[] = [];
  /** The end of each period in milliseconds; infinite for the last one of a zone. */
  private readonly periodEnds: Float64Array;

  constructor(
    readonly version: number,
    readonly content: CatalogueContent,
  ) {
    this.products = new Map(content.products.map((row) => [row.code, row]));
    this.datedProducts = content.products.filter((row) => row.soldFrom ?? row.soldUntil);
    this.pricesOf = Map.groupBy(content.prices, ({ zone }) => zone);
    this.zoneRows = new Map(content.zones.map((row) => [row.zone, row]));
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

  /** The row of zones.csv. */
  zoneRow(zone: string): ZoneRow | undefined {
    return this.zoneRows.get(zone);
  }

  /** The prices that apply in a zone on a day in London, on any list. */
  pricesIn(zone: string, day: string): ZonePrices {
    return new ZonePrices(pricesOn(this.pricesOf.get(zone) ?? [], day), this.derived);
  }

  /** The days on which a zone starts to sell something else, ascending. */
  changeDaysOf(zone: string): string[] {
    const prices = this.pricesOf.get(zone) ?? [];
    const codes = new Set(prices.map(({ productCode }) => productCode));
    const products = this.datedProducts.filter(({ code }) => codes.has(code));
    return changeDays({ products, prices, zones: [this.zoneRows.get(zone) ?? []].flat() });
  }

  /**
   * What can be ordered at an instant. An unknown price list counts as the standard one.
   * @param at milliseconds
   */
  offersAt(place: PlaceKey, priceList: string, at: number): Offers {
    return this.offersInZone(this.zoneNumberAt(place), priceList, at);
  }

  /** Of listed premises, their own; otherwise the postcode's. */
  zoneNumberAt({ packed, uprn }: PlaceKey): number {
    const { coverage, premises } = this.content;
    const own = uprn ? premises.zoneNumberAt(packed, uprn) : NO_ROW;
    return own || coverage.zoneNumberAt(packed);
  }

  /** The name of the zone; null where nothing covers the place, or where it is excluded. */
  zoneAt(place: PlaceKey): string | null {
    const number = this.zoneNumberAt(place);
    return number < FIRST_ZONE_NUMBER ? null : this.content.coverage.zoneName(number);
  }

  /** @param zoneNumber see `NO_ROW` @param at milliseconds */
  offersInZone(zoneNumber: number, priceList: string, at: number): Offers {
    if (zoneNumber < FIRST_ZONE_NUMBER) return zoneNumber === NO_ROW ? NOT_COVERED : EXCLUDED_HERE;
    let period = this.firstPeriod[zoneNumber]!;
    while (at >= this.periodEnds[period]!) period += 1;
    const offers = this.offers.get(priceList) ?? this.offers.get(STANDARD)!;
    return (offers[period] ??= this.offersIn(period, priceList, zoneNumber));
  }

  /** @param at milliseconds */
  offer(place: PlaceKey, priceList: string, productCode: string, at: number): Offer | undefined {
    for (const offer of this.offersAt(place, priceList, at).list) {
      if (offer.productCode === productCode) return offer;
    }
    return undefined;
  }

  private offersIn(period: number, priceList: string, zoneNumber: number): Offers {
    const zone = this.content.coverage.zones[zoneNumber - FIRST_ZONE_NUMBER]!;
    let last = period;
    while (this.periodEnds[last]! < Infinity) last += 1;
    let offers = this.offersOn(this.periodDays[last]!, priceList, zone);
    // From the last period back: an offer states until when it stays as it is.
    for (let i = last - 1; i >= period; i -= 1) {
      const until = addDays(this.periodDays[i + 1]!, -1);
      offers = followedBy(this.offersOn(this.periodDays[i]!, priceList, zone), offers, until);
    }
    if (offers.length > 0) return new Offers(offers.sort(inOrder));
    const { readyDate = null, endDate = null } = this.zoneRow(zone) ?? {};
    const day = this.periodDays[period]!;
    if (readyDate !== null && day < readyDate)
      return new Offers([], [planned(readyDate)], readyDate);
    return isWithin(day, null, endDate) ? NOT_PRICED : EXCLUDED_HERE;
  }

  private offersOn(day: string, priceList: string, zone: string): Offer[] {
    const zoneRow = this.zoneRow(zone);
    if (zoneRow && !isWithin(day, zoneRow.readyDate, zoneRow.endDate)) return [];
    return [...this.pricesIn(zone, day).on(priceList).values()].flatMap((price) => {
      const product = this.products.get(price.productCode);
      return product && isSoldOn(product, day) ? offerOf(product, price, zoneRow) : [];
    });
  }
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

/** The contract's product. @param older adds the misspelt keys of version 0.2.0 */
function product(offer: Offer, older: boolean): object {
  const values = publishedFields().flatMap(({ name, legacyName }) => [
    [name, offer[name]],
    ...(older && legacyName !== undefined ? [[legacyName, offer[name]]] : []),
  ]);
  return Object.fromEntries([...values, ['priceUntil', offer.priceUntil]]) as object;
}

/** @param readyDate as `2026-12-01` */
function planned(readyDate: string): EmptyReason {
  const detail = `Products can be ordered here from ${dayInWords(readyDate)}.`;
  return { code: 'planned', detail, readyDate };
}

/** `2026-12-01` as `1 December 2026`. */
export function dayInWords(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
