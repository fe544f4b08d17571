import { type PlaceLevel, type Postcode, printPlace } from '../../platform/kernel/postcode.js';
import { offsetInWords } from '../../near-net/moved-points.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import type { PlaceKey } from '../../platform/kernel/uprn.js';
import type { Catalogue } from './catalogue.js';
import type { Offers } from './shown-offers.js';
import { dayInWords, isSoldOn, isWithin } from './dates.js';
import { STANDARD } from './cells.js';
import type { Offer, PriceRow, ProductRow } from './offer-fields.js';
import type { SupplierRow } from './cost-fields.js';
import { printAmount } from '../../platform/kernel/money.js';
import { publishPrice } from './offers.js';
import type { Premises } from './premises-index.js';
import { LEVELS, mainZone, partsOf, supplierOf, zoneInWords } from './coverage-codec.js';
import { EXCLUDED, keyAt } from './coverage-index.js';
import { whole } from '../../platform/kernel/counts.js';

export type Explanation = ReturnType<typeof explain>;
export type ExplainedProduct = Explanation['products'][number];

/** The level of a row that may apply. */
export type ExplainedLevel = PlaceLevel | 'premises';

/** A place, with what is sold there. */
interface ExplainedPlace {
  readonly catalogue: Catalogue;
  readonly postcode: Postcode;
  readonly key: PlaceKey;
  readonly priceList: string;
  /** Milliseconds. */
  readonly at: number;
  readonly offers: Offers;
}

/** Why a check of a place has its answer: every coverage row and product. */
export function explain({
  catalogue,
  postcode,
  key: place,
  priceList,
  at,
  offers,
}: ExplainedPlace) {
  const { content, version } = catalogue;
  const near = explainNear(catalogue, place, at);
  const listed = premisesRow(catalogue, place);
  const decided = listed ?? content.coverage.find(postcode.packed);
  const zone = decided && decided.zone !== EXCLUDED ? mainZone(decided.zone) : null;
  const parts = zone === null ? [] : partsOf(decided!.zone);
  const offered = new Map(offers.list.map((offer) => [offer.productCode, offer]));
  const { readyDate } = offers;
  const day = londonDay(new Date(at));
  const zoneRow = (zone !== null && catalogue.zoneRow(zone)) || null;
  const endDate = isWithin(day, null, zoneRow?.endDate ?? null) ? null : zoneRow!.endDate!;
  const here = zone === null ? null : catalogue.pricesIn(zone, day);
  const lists = here?.chainOf(priceList) ?? [];
  const subject = listed
    ? `The premises ${listed.uprn} are`
    : `The ${decided?.level} ${decided?.place} is`;
  const reason = !decided
    ? `This postcode is outside our coverage.${nearInWords(near, place, catalogue.network?.movedBy ?? 0)}`
    : zone === null
      ? notServed(catalogue, postcode, place.uprn ?? null)
      : endDate !== null
        ? `The zone ${zone} sold until ${dayInWords(endDate)}.`
        : readyDate === null
          ? `${subject} in the zone ${zone}.`
          : `Planned: orders can be placed from ${dayInWords(readyDate)}.`;
  const products = content.products.map((product) => {
    const { code, name } = product;
    const offer = offered.get(code);
    const supplied = parts.flatMap((part) => {
      const supplier = catalogue.supplier(part);
      const price = supplier && catalogue.pricesIn(part, day).ofList(priceList).get(code);
      return price ? { ...price, ...supplier, decides: offer?.zone === part } : [];
    });
    const whySold = (own: Offer | undefined, why: string) =>
      suppliedInWords(supplied, own && supplierOf(own.zone) === null ? why : null) ?? why;
    const prices = lists.flatMap((list) => {
      const price = here!.ofList(list).get(code);
      // A list without the price has that of the next one.
      if (price?.priceList !== list) return [];
      const derivation = here!.derivationOf(price);
      const decides = offer?.priceList === list && offer.zone === zone;
      const { validFrom, validUntil } = price;
      return {
        priceList: list,
        ...publishPrice(price),
        validFrom,
        validUntil,
        derivation,
        decides,
      };
    });
    const derivation = prices.find(({ decides }) => decides)?.derivation ?? null;
    return {
      productCode: code,
      name,
      offered: offer !== undefined,
      reason:
        endDate !== null && !offer
          ? `Its zone sold until ${dayInWords(endDate)}.`
          : readyDate !== null
            ? `Its zone sells from ${dayInWords(readyDate)}.`
            : zone === null && offer
              ? `Priced by distance: the ${offer.priceList} price in ${offer.zone}, with what the band adds.`
              : isSoldOn(product, day)
                ? whySold(offer, whyProduct(zone, priceList, offer?.priceList, derivation))
                : whenSold(product, day),
      priceUntil: offer?.priceUntil ?? null,
      prices,
    };
  });
  return {
    postcode: postcode.unit,
    catalogueVersion: version,
    priceList,
    zone,
    near,
    zoneRow,
    constraints: [...catalogue.constraintsAt(place).list],
    reason,
    levels: [
      ...(listed ? [{ ...listed, decides: true }] : []),
      ...levelsOf(catalogue, postcode, decided?.level ?? null),
    ].map((row) => ({ ...row, zone: row.zone && zoneInWords(row.zone) })),
    products: products.sort((a, b) => Number(b.offered) - Number(a.offered)),
  };
}

/** The nearest point of the network and the calculation of the band; null where there is none. */
function explainNear(catalogue: Catalogue, place: PlaceKey, at: number) {
  const nearest = catalogue.nearestAt(place.near);
  const point = nearest && catalogue.nearestPoint(place, at);
  if (!nearest || !point || !catalogue.network) return null;
  const { name, zone, metres } = point;
  const { factor } = catalogue.network;
  return { point: name, zone, straightMetres: Math.round(metres), factor, ...nearest };
}

function nearInWords(
  near: ReturnType<typeof explainNear>,
  place: PlaceKey,
  movedBy: number,
): string {
  if (near) {
    const [straight, route, band] = [near.straightMetres, near.distanceMetres, near.band].map(
      (metres) => `${whole(metres)} m`,
    );
    const where = movedBy === 0 ? '' : `, counted from a place ${offsetInWords(movedBy)} from it`;
    return ` The nearest point of the network is ${near.point} in ${near.zone}${where}, ${straight} away as the crow flies. Times ${near.factor}, rounded up to 50 m, that is ${route}: in the band to ${band}.`;
  }
  if (place.near === null) return ' We cannot measure the distance to this postcode.';
  return place.near === undefined ? '' : ' Too far from our network.';
}

/** The row of listed premises at their postcode; null if there is none, or if it leaves the zone to the postcode. */
function premisesRow({ content }: Catalogue, { packed, uprn }: PlaceKey) {
  const listed = uprn ? content.premises.find(packed, uprn) : null;
  const zone = listed && content.coverage.zoneName(listed.zoneNumber);
  if (zone === null) return null;
  const place = printPlace('unit', packed);
  return { level: 'premises' as const, place, uprn: String(uprn), zone };
}

/** Excluded premises are named: others at their postcode may be served. */
function notServed(
  { content }: Catalogue,
  { packed, unit }: Postcode,
  uprn: number | null,
): string {
  const listed = uprn === null ? undefined : content.premises.find(packed, uprn);
  return listed ? `${premisesName(listed)} is not served.` : `We do not serve ${unit}.`;
}

/** For a headline or the start of a sentence. */
export function premisesName({ name, uprn }: Pick<Premises, 'name' | 'uprn'>): string {
  return name ?? `The building with the UPRN ${uprn}`;
}

/** @param why the operator's own price applies; null if it has none */
function suppliedInWords(
  prices: readonly (PriceRow & SupplierRow & { readonly decides: boolean })[],
  why: string | null,
): string | null {
  if (prices.length === 0) return null;
  const named = prices.map(({ label, zone, amountMinor, currency, decides }) => {
    const price = `${label} (${zone}) at ${printAmount(amountMinor, currency)} ${currency}`;
    return { price, decides };
  });
  const others = named.flatMap(({ price, decides }) => (decides ? [] : price)).join(', ');
  if (why !== null) return `${why} Suppliers whose price does not apply: ${others}.`;
  const decides = named.find((one) => one.decides);
  if (!decides) return null;
  return `${decides.price} applies${others && `, as the cheapest; others: ${others}`}.`;
}

/** @param day on which it is not sold */
function whenSold({ soldFrom, soldUntil }: ProductRow, day: string): string {
  return soldFrom !== null && day < soldFrom
    ? `It is sold from ${dayInWords(soldFrom)}.`
    : `It was sold until ${dayInWords(soldUntil!)}.`;
}

function whyProduct(
  zone: string | null,
  priceList: string,
  from: string | undefined,
  derivation: string | null,
): string {
  if (zone === null) return 'No products are available at this postcode.';
  if (from === undefined) {
    const lists = priceList === STANDARD ? STANDARD : `${priceList} and ${STANDARD}`;
    return `No price in ${zone} on ${lists}.`;
  }
  const how = derivation === null ? '' : `: ${derivation}`;
  if (from === priceList) return `The ${priceList} price in ${zone} applies${how}.`;
  return `The ${from} price in ${zone} applies: ${priceList} has none.`;
}

function levelsOf({ content }: Catalogue, postcode: Postcode, decides: ExplainedLevel | null) {
  const levels = LEVELS.filter((level) => level !== 'subdistrict' || postcode.subdistrict !== null);
  return levels.map((level) => {
    const key = keyAt[level](postcode.packed);
    return {
      level,
      place: printPlace(level, key),
      uprn: null,
      zone: content.coverage.rowOf(level, key)?.zone ?? null,
      decides: level === decides,
    };
  });
}
