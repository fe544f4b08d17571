import { LARGEST_AMOUNT, printAmount } from '../../platform/kernel/money.js';
import { parsePlace, parsePostcode, PostcodeRefusal } from '../../platform/kernel/postcode.js';
import { EVERY, namesProduct } from './band-fields.js';
import type { RowFile } from './catalogue-files.js';
import type { CatalogueContent } from './catalogue.js';
import { didYouMean } from '../../platform/tables/nearest.js';
import { STANDARD } from './cells.js';
import { type CostRow, type MarginRow, minorOf, type SupplierPremisesRow } from './cost-fields.js';
import { EXCLUDED_NUMBER, LEVELS, NO_ROW } from './coverage-codec.js';
import { CoverageBuilder, type CoverageIndex, EXCLUDED, withPolygons } from './coverage-index.js';
import { percentOf, roundedUp } from './effective-prices.js';
import { priceFields, type PriceRow } from './offer-fields.js';
import { absentOf, sortedRows } from './offers.js';
import { PremisesBuilder } from './premises-index.js';
import { zoneFields, type ZoneRow } from './zone-fields.js';

/** The tables that only staff read; a check never does. */
const staffTables = {
  costs: [],
  margins: [],
  supplierPlaces: [],
  supplierPremises: [],
  polygons: [],
} as const satisfies Partial<Record<RowFile, readonly []>>;

/** The part of a zone that a supplier's zone becomes; see `partsOf`. */
export function supplierZone(supplier: string, zone: string): string {
  return `${supplier}:${zone}`;
}

/** A value of each pair, computed once: a book repeats most pairs in many of its rows. */
export class KnownPairs<A, B, T> {
  private readonly known = new Map<A, Map<B, T>>();

  constructor(private readonly compute: (first: A, second: B) => T) {}

  of(first: A, second: B): T {
    let ofFirst = this.known.get(first);
    if (!ofFirst) this.known.set(first, (ofFirst = new Map<B, T>()));
    let value = ofFirst.get(second);
    if (value === undefined) ofFirst.set(second, (value = this.compute(first, second)));
    return value;
  }
}

/** The rules of margins.csv for products. The most specific one of a price list applies. */
export class MarginRules {
  private readonly known = new KnownPairs((supplier: string, code: string) =>
    this.matching(supplier, code),
  );
  private readonly rows: readonly MarginRow[];

  constructor(rows: readonly MarginRow[]) {
    const rank = ({ supplier, products }: MarginRow) =>
      (supplier === EVERY ? 0 : 100) + (products.endsWith('*') ? products.length - 1 : 50);
    this.rows = rows.toSorted((a, b) => rank(a) - rank(b));
  }

  /** By price list. */
  of({ supplier, productCode }: Pick<CostRow, 'supplier' | 'productCode'>) {
    return this.known.of(supplier, productCode);
  }

  private matching(supplier: string, productCode: string): ReadonlyMap<string, MarginRow> {
    const matching = this.rows.filter(
      (row) =>
        (row.supplier === EVERY || row.supplier === supplier) &&
        namesProduct(row.products, productCode),
    );
    return new Map(matching.map((row) => [row.priceList, row]));
  }

  /** The least margin that needs no approval, in per cent of the cost; null if there is no floor. */
  floorPercentOf(
    sold: Pick<CostRow, 'supplier' | 'productCode'>,
    priceList: string,
  ): number | null {
    const rules = this.of(sold);
    return (rules.get(priceList) ?? rules.get(STANDARD))?.floorPercent ?? null;
  }

  /** The least price that needs no approval, in minor units; null if there is no floor. */
  floorOf(cost: CostRow, priceList: string): number | null {
    const floorPercent = this.floorPercentOf(cost, priceList);
    const { costMinor, currency } = cost;
    return floorPercent === null
      ? null
      : percentOf(costMinor, floorPercent, null, currency, roundedUp);
  }
}

/** Prices by rule, then by currency and cost: exact sums take microseconds. */
const priced = new WeakMap<MarginRow, KnownPairs<string, number, number>>();

/** An amount with the percentage of a rule, rounded up, in minor units. */
function withPercent(amount: number, currency: string, rule: MarginRow): number {
  let prices = priced.get(rule);
  if (!prices) {
    const { percent, roundTo } = rule;
    prices = new KnownPairs((ofCurrency, minor) =>
      percentOf(minor, percent, roundTo, ofCurrency, roundedUp),
    );
    priced.set(rule, prices);
  }
  return prices.of(currency, amount);
}

/** The cost with its margin, rounded up, in minor units: the margin is never less than the rule says. */
function sellAmount({ costMinor, currency }: CostRow, rule: MarginRow): number {
  const price = withPercent(costMinor, currency, rule);
  const least = costMinor + minorOf(rule.minimum ?? 0, currency);
  if (rule.minimum === null || price >= least) return price;
  return percentOf(least, 0, rule.roundTo, currency, roundedUp);
}

/** The price of a cost on the price list of a rule. @param zone see `supplierZone` */
function sellRow(cost: CostRow, rule: MarginRow, zone: string): PriceRow {
  const { productCode, currency, leadTimeDays, basis, setupMinor } = cost;
  return {
    productCode,
    zone,
    priceList: rule.priceList,
    amountMinor: sellAmount(cost, rule),
    currency,
    leadTimeDays,
    setupMinor: setupMinor === null ? null : withPercent(setupMinor, currency, rule),
    basis,
    extraCharges: null,
    validFrom: null,
    validUntil: null,
  };
}

const effective = new WeakMap<CatalogueContent, CatalogueContent>();

/**
 * What checks read of a content: with the prices of suppliers computed, and without costs. The content itself, if it
 * has no cost books.
 * @throws {TooManyZones} if zones of the operator and of suppliers meet in too many ways
 */
export function effectiveOf(content: CatalogueContent): CatalogueContent {
  const { suppliers, costs, margins, prices, polygons } = content;
  if (suppliers.length + margins.length + polygons.length === 0) return content;
  let found = effective.get(content);
  if (!found) {
    const places = { ...content, ...withPolygons(content) };
    const rules = new MarginRules(margins);
    const zones = new KnownPairs(supplierZone);
    const sold: PriceRow[] = [];
    for (const cost of costs) {
      const zone = zones.of(cost.supplier, cost.zone);
      for (const rule of rules.of(cost).values()) sold.push(sellRow(cost, rule, zone));
    }
    found = {
      ...places,
      ...staffTables,
      prices: sold.length === 0 ? prices : sortedRows(priceFields, [...prices, ...sold]),
      ...(suppliers.length > 0 && joinedPlaces(places)),
    };
    effective.set(content, found);
  }
  return found;
}

/** Where a supplier sells. */
class SupplierReach {
  private readonly coverage: CoverageIndex;
  private readonly premises: ReadonlyMap<number, SupplierPremisesRow>;
  /** Whether its zones are those of the operator. */
  private readonly follows: boolean;
  private readonly zones: ReadonlySet<string>;

  constructor(
    readonly supplier: string,
    { supplierPlaces, supplierPremises, costs }: CatalogueContent,
  ) {
    const isOwn = (row: { readonly supplier: string }) => row.supplier === supplier;
    const places = supplierPlaces.filter(isOwn);
    const premises = supplierPremises.filter(isOwn);
    const builder = new CoverageBuilder();
    for (const { place, zone } of places) {
      const read = parsePlace(place);
      if (read instanceof PostcodeRefusal) throw new Error(`No place: ${place}.`);
      builder.add(read, zone === EXCLUDED ? EXCLUDED_NUMBER : builder.addZone(zone), 0);
    }
    this.coverage = builder.build(() => undefined);
    this.premises = new Map(premises.map((row) => [row.uprn, row]));
    this.follows = places.length + premises.length === 0;
    this.zones = new Set(this.follows ? costs.filter(isOwn).map(({ zone }) => zone) : []);
  }

  get levels() {
    return this.coverage.coverage.levels;
  }

  /** The dates of the operator's zones that it follows, for its parts of them. */
  datesOf(zones: readonly ZoneRow[]): ZoneRow[] {
    return zones.flatMap(({ zone, readyDate, endDate }) => {
      if (!this.zones.has(zone) || (readyDate ?? endDate) === null) return [];
      const part = supplierZone(this.supplier, zone);
      return { ...(absentOf(zoneFields) as unknown as ZoneRow), zone: part, readyDate, endDate };
    });
  }

  get listed(): Iterable<SupplierPremisesRow> {
    return this.premises.values();
  }

  /** Its part of the zone; null where it does not sell. @param own the operator's zone there */
  partAt(zoneNumber: number, own: string | null): string | null {
    return this.part(this.follows ? own : this.coverage.zoneName(zoneNumber));
  }

  partOfPremises(uprn: number, packed: number, own: string | null): string | null {
    const listed = this.premises.get(uprn);
    return listed ? this.part(listed.zone) : this.partAt(this.coverage.zoneNumberAt(packed), own);
  }

  /** Whether it covers or excludes the postcode. */
  hasRowAt(packed: number): boolean {
    return this.coverage.zoneNumberAt(packed) !== NO_ROW;
  }

  numberAt(level: (typeof LEVELS)[number], key: number): number {
    return numberAt(this.coverage, level, key);
  }

  private part(zone: string | null): string | null {
    if (zone === null || zone === EXCLUDED) return null;
    return this.follows && !this.zones.has(zone) ? null : supplierZone(this.supplier, zone);
  }
}

function numberAt(coverage: CoverageIndex, level: (typeof LEVELS)[number], key: number): number {
  return level === 'unit' ? coverage.zoneNumberAt(key) : coverage.zoneNumberOfPlace(level, key);
}

/** The zone of a place, which is not sold where the operator excludes it. @param own null for no row */
function joinedZone(own: string | null, parts: readonly (string | null)[]): string {
  if (own === EXCLUDED) return EXCLUDED;
  return [own, ...parts].filter((part) => part !== null).join('+') || EXCLUDED;
}

/** Coverage, premises and dates of the operator and of suppliers together: their rows, with zones of parts. */
function joinedPlaces(
  content: CatalogueContent,
): Pick<CatalogueContent, 'coverage' | 'premises' | 'zones'> {
  const { coverage, premises, zones } = content;
  const suppliers = content.suppliers.map(({ supplier }) => new SupplierReach(supplier, content));
  const builder = new CoverageBuilder();
  const numberOf = (zone: string) => (zone === EXCLUDED ? EXCLUDED_NUMBER : builder.addZone(zone));
  const known = new Map<string, number>();
  for (const level of LEVELS) {
    const keys = [coverage.coverage, ...suppliers].flatMap(({ levels }) => [levels[level].keys]);
    const all = new Uint32Array(keys.reduce((sum, { length }) => sum + length, 0));
    keys.reduce((at, some) => (all.set(some, at), at + some.length), 0);
    let last = -1;
    for (const key of all.sort()) {
      if (key === last) continue;
      last = key;
      const own = numberAt(coverage, level, key);
      const numbers = suppliers.map((supplier) => supplier.numberAt(level, key));
      const tuple = [own, ...numbers].join(' ');
      let number = known.get(tuple);
      if (number === undefined) {
        const name = own === NO_ROW ? null : coverage.zoneName(own);
        const parts = suppliers.map((supplier, i) => supplier.partAt(numbers[i]!, name));
        known.set(tuple, (number = numberOf(joinedZone(name, parts))));
      }
      builder.add({ level, key, name: '' }, number, 0);
    }
  }
  const joined = new PremisesBuilder();
  const add = (listed: Parameters<PremisesBuilder['add']>[0]) => {
    const { uprn, packed, position } = listed;
    const own = coverage.zoneName(coverage.zoneNumberOfPremises(listed));
    const parts = suppliers.map((supplier) => supplier.partOfPremises(uprn, packed, own));
    // No network is there: they are priced by distance. Without a row, those that a supplier excludes would have the
    // zone of their postcode.
    const isBare =
      own === null &&
      position != null &&
      parts.every((part) => part === null) &&
      !suppliers.some((supplier) => supplier.hasRowAt(packed));
    const zoneNumber = isBare ? NO_ROW : numberOf(joinedZone(own, parts));
    joined.add({ ...listed, zoneNumber });
  };
  for (const listed of premises.listed()) add(listed);
  for (const { uprn, postcode, name } of suppliers.flatMap(({ listed }) => [...listed])) {
    // Listed by the operator or by a supplier before.
    if (joined.lineOf(uprn) !== undefined) continue;
    const read = parsePostcode(postcode);
    if (read instanceof PostcodeRefusal) continue;
    add({ uprn, packed: read.packed, zoneNumber: NO_ROW, name });
  }
  return {
    coverage: builder.build(() => undefined),
    premises: joined.build(builder.renumbering().renumbered),
    zones: sortedRows(zoneFields, [...zones, ...suppliers.flatMap((one) => one.datesOf(zones))]),
  };
}

/** What is wrong between rows of cost books, margins and other files. */
export type BookFault = (
  | { readonly file: 'costs'; readonly row: CostRow }
  | { readonly file: 'margins'; readonly row: MarginRow }
) & {
  readonly column: string;
  readonly value: string;
  readonly reason: string;
  readonly suggestion: string | (() => string);
};

type FaultyContent = Pick<
  CatalogueContent,
  'products' | 'prices' | 'suppliers' | 'costs' | 'margins'
>;

export function* bookFaults({
  products,
  prices,
  suppliers,
  costs,
  margins,
}: FaultyContent): Generator<BookFault> {
  const codes = new Set(products.map(({ code }) => code));
  const currencies = new Set(prices.map(({ currency }) => currency));
  const names = new Set(suppliers.map(({ supplier }) => supplier));
  const rules = new MarginRules(margins);
  const foreign = new Set<string>();
  for (const row of costs) {
    const { supplier, productCode, currency } = row;
    const about = { file: 'costs', row, column: 'product', value: productCode } as const;
    const ofProduct = rules.of(row);
    if (!codes.has(productCode)) {
      yield {
        ...about,
        reason: 'products.csv has no product with this code.',
        suggestion: () =>
          didYouMean(productCode, codes) ?? 'Add it to products.csv, or remove this cost.',
      };
    } else if (!ofProduct.has(STANDARD)) {
      yield {
        ...about,
        reason: `margins.csv has no rule for this product of ${supplier} on the price list ${STANDARD}, so it has no price.`,
        suggestion: `Add a row to margins.csv, such as ${supplier},${productCode},${STANDARD},25`,
      };
    }
    // Without a price of the operator's own, the first book decides.
    if (currencies.size === 0) currencies.add(currency);
    const book = `${supplier} ${currency}`;
    if (!currencies.has(currency) && !foreign.has(book)) {
      foreign.add(book);
      const [other] = currencies;
      yield {
        file: 'costs',
        row,
        column: 'currency',
        value: currency,
        reason: `The book of ${supplier} is in ${currency}, but prices are in ${other}.`,
        suggestion: `Convert its costs to ${other}.`,
      };
    }
    for (const rule of ofProduct.values()) {
      if (sellAmount(row, rule) <= LARGEST_AMOUNT) continue;
      yield {
        file: 'costs',
        row,
        column: 'cost',
        value: printAmount(row.costMinor, currency),
        reason: `With its margin, the price exceeds ${printAmount(LARGEST_AMOUNT, currency)} ${currency}.`,
        suggestion: `Correct the cost, or the margin of ${rule.products} in margins.csv.`,
      };
      break;
    }
  }
  for (const row of margins) {
    const { supplier } = row;
    if (supplier === EVERY || names.has(supplier)) continue;
    yield {
      file: 'margins',
      row,
      column: 'supplier',
      value: supplier,
      reason: 'There is no cost book of this supplier.',
      suggestion: () =>
        didYouMean(supplier, names) ??
        `Add the folder suppliers/${supplier}, write * for all suppliers, or remove the row.`,
    };
  }
}
