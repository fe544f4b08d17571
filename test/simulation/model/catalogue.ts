/** What can be sold: the catalogue files, and what a check of a place answers. */
import { dayAfter, dayOf } from './time.js';

export interface ProductRow {
  readonly code: string;
  readonly name: string;
  readonly provisioned: number;
  readonly capacity: number;
  readonly term: number;
  readonly soldFrom: string;
  readonly soldUntil: string;
  readonly service: string;
}

/** Money is in pence. */
export interface PriceRow {
  readonly product: string;
  readonly zone: string;
  readonly list: string;
  readonly price: number;
  readonly leadTimeDays: number;
  readonly setup: number | null;
  readonly basis: 'firm' | 'subjectToSurvey' | 'indicative';
  readonly from: string;
  readonly until: string;
}

export interface ZoneRow {
  readonly zone: string;
  readonly network: string;
  readonly readyDate: string;
  readonly endDate: string;
}

/** A price list that follows another one. `roundTo` in pence. */
export interface DerivedList {
  readonly list: string;
  readonly basedOn: string;
  readonly percent: number;
  readonly roundTo: number;
}

/** A discount on the lines of a quote with products of one service at many places. */
export interface VolumeRow {
  readonly list: string;
  readonly products: string;
  readonly from: number;
  readonly percent: number;
}

export interface CatalogueModel {
  readonly products: readonly ProductRow[];
  readonly prices: readonly PriceRow[];
  readonly zones: readonly ZoneRow[];
  readonly lists: readonly DerivedList[];
  readonly volume: readonly VolumeRow[];
  /** The zone of each place; `-` excludes it. */
  readonly coverage: Readonly<Record<string, string>>;
}

/** A price that staff read as changed, and how many places changed in which way. */
export interface ChangesModel {
  readonly prices: readonly string[];
  readonly postcodes: Readonly<Record<string, number>>;
  readonly products: Readonly<Record<string, number>>;
}

/** What changes from one catalogue to another, of prices without dates on the standard list. */
export function changesBetween(before: CatalogueModel, after: CatalogueModel): ChangesModel {
  const of = ({ product, zone }: PriceRow) => `${product} ${zone}`;
  const all = [...before.prices, ...after.prices];
  const dated = new Set(all.filter(({ from, until }) => from || until).map(of));
  const standard = ({ prices }: CatalogueModel) =>
    new Map(
      prices
        .filter((row) => row.list === 'standard' && !dated.has(of(row)))
        .map((row) => [of(row), `${(row.price / 100).toFixed(2)} GBP`]),
    );
  const [was, is] = [standard(before), standard(after)];
  const keys = [...new Set([...was.keys(), ...is.keys()])];
  const units = Object.keys({ ...before.coverage, ...after.coverage }).filter((place) =>
    /\d[A-Z]{2}$/.test(place),
  );
  const sold = (catalogue: CatalogueModel, unit: string) => {
    const zone = zoneAt(catalogue, unit);
    return zone === '-' ? undefined : zone;
  };
  const kinds = units.flatMap((unit) => {
    const [from, to] = [sold(before, unit), sold(after, unit)];
    if (from === to) return [];
    return from === undefined ? 'gained' : to === undefined ? 'lost' : 'moved';
  });
  const products = after.products.filter(
    (one, i) => JSON.stringify(one) !== JSON.stringify(before.products[i]),
  );
  const count = (words: readonly string[]) =>
    Object.fromEntries(
      [...new Set(words)].map((word) => [word, words.filter((one) => one === word).length]),
    );
  return {
    prices: keys.flatMap((key) => {
      const [from = '', to = ''] = [was.get(key), is.get(key)];
      return from === to ? [] : `${key}: ${from} to ${to}`;
    }),
    postcodes: count(kinds),
    products: count(products.map(() => 'changed')),
  };
}

/** What is agreed, as the service prints it. */
export interface Terms {
  readonly productCode: string;
  readonly name: string;
  readonly bandwidthProvisioned: number;
  readonly bandwidthCapacity: number;
  readonly term: number;
  readonly price: number;
  readonly currency: string;
  readonly leadTimeDays: number;
  readonly setupPrice: number | null;
  readonly basis: string;
  readonly extraChargesPossible: boolean;
  readonly network: string | null;
  readonly service: string | null;
  readonly needsInterconnect: boolean;
}

export interface CheckModel {
  readonly offers: readonly (Terms & { readonly priceUntil: string | null })[];
  /** Why there are none; null if there are some. */
  readonly reason: string | null;
}

/** Days for which the histories announce changes. */
const HORIZON = 120;

/** From the unit to the area: the most specific row wins. */
function placesOf(postcode: string): string[] {
  const [outcode = '', incode = ''] = postcode.split(' ');
  const district = outcode.replace(/(?<=\d)[A-Z]$/, '');
  const area = district.replace(/\d+$/, '');
  return [postcode, `${outcode} ${incode[0]}`, outcode, district, area];
}

export function zoneAt({ coverage }: CatalogueModel, postcode: string): string | undefined {
  const place = placesOf(postcode).find((one) => coverage[one] !== undefined);
  return place === undefined ? undefined : coverage[place];
}

const isWithin = (day: string, from: string, until: string) =>
  (from === '' || day >= from) && (until === '' || day <= until);

/** A row with dates takes precedence within them. */
function ownRow(prices: readonly PriceRow[], day: string): PriceRow | undefined {
  const isDated = ({ from, until }: PriceRow) => from !== '' || until !== '';
  const current = prices.filter(({ from, until }) => isWithin(day, from, until));
  return current.find(isDated) ?? current[0];
}

/** The price of a list: its own row, or the one it is derived from, or that of `standard`. */
function priceOn(
  catalogue: CatalogueModel,
  rows: readonly PriceRow[],
  list: string,
  day: string,
): PriceRow | undefined {
  const own = ownRow(
    rows.filter((row) => row.list === list),
    day,
  );
  if (own || list === 'standard') return own;
  const derived = catalogue.lists.find((one) => one.list === list);
  const base = priceOn(catalogue, rows, derived?.basedOn ?? 'standard', day);
  if (!derived || !base) return base;
  const { percent, roundTo } = derived;
  const exact = (base.price * (100 + percent)) / 100 / roundTo;
  return { ...base, price: Math.floor(exact + 0.5) * roundTo };
}

function termsOn(catalogue: CatalogueModel, zone: ZoneRow, list: string, day: string): Terms[] {
  if (!isWithin(day, zone.readyDate, zone.endDate)) return [];
  return catalogue.products.flatMap((product) => {
    if (!isWithin(day, product.soldFrom, product.soldUntil)) return [];
    const rows = catalogue.prices.filter(
      (row) => row.product === product.code && row.zone === zone.zone,
    );
    const row = priceOn(catalogue, rows, list, day);
    if (!row) return [];
    return {
      productCode: product.code,
      name: product.name,
      bandwidthProvisioned: product.provisioned,
      bandwidthCapacity: product.capacity,
      term: product.term,
      price: row.price / 100,
      currency: 'GBP',
      leadTimeDays: row.leadTimeDays,
      setupPrice: row.setup === null ? null : row.setup / 100,
      basis: row.basis,
      extraChargesPossible: row.basis !== 'firm',
      network: zone.network || null,
      service: product.service || null,
      needsInterconnect: false,
    };
  });
}

/** Ordered by bandwidth, then term, then price, then code. */
const inOrder = (a: Terms, b: Terms) =>
  a.bandwidthProvisioned - b.bandwidthProvisioned ||
  a.term - b.term ||
  a.price - b.price ||
  (a.productCode < b.productCode ? -1 : 1);

export function checkAt(
  catalogue: CatalogueModel,
  list: string,
  postcode: string,
  now: number,
): CheckModel {
  const day = dayOf(now);
  const code = zoneAt(catalogue, postcode);
  if (code === undefined) return { offers: [], reason: 'notCovered' };
  if (code === '-') return { offers: [], reason: 'excluded' };
  const zone = catalogue.zones.find((one) => one.zone === code) ?? {
    zone: code,
    network: '',
    readyDate: '',
    endDate: '',
  };
  const on = (other: string) => termsOn(catalogue, zone, list, other);
  const offers = on(day)
    .toSorted(inOrder)
    .map((terms) => {
      const same = JSON.stringify(terms);
      for (let days = 1; days <= HORIZON; days += 1) {
        const then = on(dayAfter(day, days)).find((one) => one.productCode === terms.productCode);
        if (JSON.stringify(then) !== same) return { ...terms, priceUntil: dayAfter(day, days - 1) };
      }
      return { ...terms, priceUntil: null };
    });
  if (offers.length > 0) return { offers, reason: null };
  if (zone.endDate !== '' && day > zone.endDate) return { offers, reason: 'excluded' };
  return { offers, reason: zone.readyDate > day ? 'planned' : 'any' };
}

/** The terms of a product at a place now; undefined if it is not sold there. */
export function termsAt(
  catalogue: CatalogueModel,
  list: string,
  postcode: string,
  product: string,
  now: number,
): Terms | undefined {
  const { offers } = checkAt(catalogue, list, postcode, now);
  const offer = offers.find(({ productCode }) => productCode === product);
  return offer && withoutDay(offer);
}

export function withoutDay(offer: Terms & { readonly priceUntil: string | null }): Terms {
  const terms: Terms & { priceUntil?: unknown } = { ...offer };
  delete terms.priceUntil;
  return terms;
}
