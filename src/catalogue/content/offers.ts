import {
  type AgreedTerms,
  type Offer,
  type OfferedProduct,
  type OfferField,
  priceFields,
  type PriceRow,
  productFields,
  type ProductRow,
  type PublishedField,
  type StatedProduct,
} from './offer-fields.js';
import { zoneFields, type ZoneRow } from './zone-fields.js';

/** A row of any file, for code that iterates over its fields. */
export type AnyRow = Readonly<Record<string, unknown>>;
export type AnyField = Omit<OfferField<object, unknown>, 'reads'> & { readonly reads?: string };
/** Those of any file, by the property of the row. */
export type FieldsOfRows = Readonly<Record<string, AnyField>>;

type LabelledField = PublishedField & { readonly label: string };
/** An offer, its terms, or only its product. */
type ShownOffer = Partial<OfferedProduct>;

/** The tables whose fields make an offer. */
const offerTables: readonly FieldsOfRows[] = [productFields, priceFields, zoneFields];

type FieldEntry = [property: string, field: AnyField];

/** The fields of a file by property, in the order of the columns. */
export function entriesOf(fields: FieldsOfRows): readonly FieldEntry[] {
  return Object.entries(fields);
}

/** Those that are columns of the file. */
export function columnEntriesOf(fields: FieldsOfRows): FieldEntry[] {
  return entriesOf(fields).filter(([, { inFolder }]) => !inFolder);
}

export function columnsOf(fields: FieldsOfRows): string[] {
  return columnEntriesOf(fields).map(([, { column }]) => column);
}

/** The properties that identify a row. */
export function keysOf(fields: FieldsOfRows): string[] {
  return entriesOf(fields).flatMap(([property, { isKey }]) => (isKey ? property : []));
}

/** In place of a key that is null, such as a date. */
const NO_KEY: unknown = '-';

/** The values of the key fields, joined by blanks: `INT-1G-12 LONDON-ONNET standard`. */
export function keyOfRow(fields: FieldsOfRows, row: object): string {
  return keysOf(fields)
    .map((name) => String((row as AnyRow)[name] ?? NO_KEY))
    .join(' ')
    .replace(/(?: -)+$/, '');
}

/** In canonical order, by the key fields. */
export function sortedRows<T extends object>(fields: FieldsOfRows, rows: readonly T[]): T[] {
  return rows.toSorted(byKey<T>(fields));
}

/** Compares rows by their key fields; 0 of equal keys. */
export function byKey<T extends object>(fields: FieldsOfRows): (a: T, b: T) => number {
  const keys = keysOf(fields) as (keyof T)[];
  return (a, b) => {
    for (const key of keys) {
      // A key that is null, such as a date, comes first.
      if (a[key] !== b[key]) return (a[key] ?? '') < (b[key] ?? '') ? -1 : 1;
    }
    return 0;
  };
}

/** The rows that were added, removed or changed, removed ones last. Both sides are in canonical order. */
export function* changedRows<T extends object>(
  fields: FieldsOfRows,
  before: readonly T[],
  after: readonly T[],
): Generator<[before: T | null, after: T | null]> {
  const names = Object.keys(fields) as (keyof T)[];
  const compare = byKey<T>(fields);
  const removed: T[] = [];
  let at = 0;
  for (const row of after) {
    let order = -1;
    while (at < before.length && (order = compare(before[at]!, row)) < 0) {
      removed.push(before[at++]!);
    }
    const was = at < before.length && order === 0 ? before[at++]! : null;
    if (!was || names.some((name) => was[name] !== row[name])) yield [was, row];
  }
  for (const was of [...removed, ...before.slice(at)]) yield [was, null];
}

/** A cell as in the file. */
export function cellOf([property, { print }]: [string, AnyField], row: AnyRow): string {
  const value = row[property];
  return String(print ? print(value, row) : ((value as string | number | null) ?? ''));
}

/** `network onNetWithBuild; note Ducts`: the cells that are not empty, without the key and those left out. */
export function cellsInWords(
  fields: FieldsOfRows,
  row: AnyRow,
  isLeftOut: (property: string) => boolean = () => false,
): string {
  const cells = entriesOf(fields).flatMap((field) => {
    const cell = field[1].isKey || isLeftOut(field[0]) ? '' : cellOf(field, row);
    return cell === '' ? [] : `${field[1].column} ${cell}`;
  });
  return cells.join('; ');
}

/** A product without its price, in the units of the API. */
export function publishProduct(product: ProductRow): Omit<OfferedProduct, keyof AgreedTerms> {
  return publish(productFields, product);
}

/** A price without its product, in the units of the API. */
export function publishPrice(price: PriceRow): Omit<AgreedTerms, 'network'> {
  return publish(priceFields, price);
}

/** What an offer says of its zone. @param row undefined if zones.csv has none */
function publishZone(row: ZoneRow | undefined): Pick<OfferedProduct, 'network'> {
  return publish(zoneFields, row ?? absentOf(zoneFields));
}

function publish(fields: FieldsOfRows, row: object): OfferedProduct {
  const values: Record<string, unknown> = {};
  for (const [property, { name, publish: convert }] of entriesOf(fields)) {
    if (name === undefined || !(property in row)) continue;
    const value = (row as AnyRow)[property];
    values[name] = convert ? convert(value, row) : value;
  }
  return values as unknown as OfferedProduct;
}

/** @param zoneRow undefined if zones.csv has no row of the zone */
export function offerOf(product: ProductRow, price: PriceRow, zoneRow?: ZoneRow): Offer {
  const { zone, priceList, amountMinor } = price;
  return {
    ...publishProduct(product),
    ...publishPrice(price),
    ...publishZone(zoneRow),
    zone,
    priceList,
    amountMinor,
    priceUntil: null,
    next: null,
  };
}

/** The fields in the API: those of the product, then of the price, then of the zone, then those that came later. */
export function publishedFields(): PublishedField[] {
  const all = offerTables.flatMap((fields) =>
    entriesOf(fields).flatMap(([, field]) =>
      field.name === undefined ? [] : (field as PublishedField),
    ),
  );
  return [...all.filter(({ isLater }) => !isLater), ...all.filter(({ isLater }) => isLater)];
}

export function labelledFields(): LabelledField[] {
  return publishedFields().filter((field): field is LabelledField => field.label !== undefined);
}

/** The fields of an offer that the API shows and an order keeps. */
export function offeredProduct(offer: OfferedProduct): OfferedProduct {
  const values = publishedFields().map(({ name }) => [name, offer[name]]);
  return Object.fromEntries(values) as OfferedProduct;
}

/** Adds the defaults of fields that are missing, such as those that did not exist when it was stored. */
export function completed(kept: StatedProduct): OfferedProduct {
  // For each order of each list: the defaults are always the same.
  absentOffer ??= Object.assign(
    {},
    ...offerTables.map((fields) => publish(fields, absentOf(fields))),
  ) as object;
  return offeredProduct({ ...absentOffer, ...kept } as OfferedProduct);
}

let absentOffer: object | undefined;

/** The defaults of optional fields. */
export function absentOf(fields: FieldsOfRows): AnyRow {
  const optional = entriesOf(fields).filter(([, field]) => field.absent !== undefined);
  return Object.fromEntries(optional.map(([property, { absent }]) => [property, absent]));
}

/** The properties that some row has with another value than the default. */
export function usedProperties(fields: FieldsOfRows, rows: readonly object[]): string[] {
  const absent = absentOf(fields);
  return entriesOf(fields)
    .map(([property]) => property)
    .filter(
      (name) => !(name in absent) || rows.some((row) => (row as AnyRow)[name] !== absent[name]),
    );
}

export function termsOf(offer: AgreedTerms): AgreedTerms {
  const names = publishedFields().flatMap(({ name, isTerm }) => (isTerm ? name : []));
  return Object.fromEntries(
    names.map((name) => [name, (offer as ShownOffer)[name]]),
  ) as AgreedTerms;
}

export function sameTerms(a: ShownOffer, b: ShownOffer): boolean {
  // For each order that cites terms: without a list of the fields.
  return offerTables.every((fields) =>
    Object.values(fields).every(({ name, isTerm, isNotCompared }: AnyField) => {
      if (name === undefined || !isTerm || isNotCompared) return true;
      return (a as AnyRow)[name] === (b as AnyRow)[name];
    }),
  );
}

/** Whether a field, or the one shown with it, differs. */
export function differs(field: PublishedField, a: ShownOffer, b: ShownOffer): boolean {
  const { name, with: other = name } = field;
  if (a[name] === null && b[name] === null) return false;
  return a[name] !== b[name] || a[other] !== b[other];
}

/** Without the unit: `550.00 GBP`, `84`. */
export function plain({ name, plain: print }: PublishedField, offer: ShownOffer): string | number {
  if (print) return print(offer as OfferedProduct);
  const value = offer[name] ?? '';
  return typeof value === 'boolean' ? String(value) : value;
}

/** With the unit: `550.00 GBP`, `84 days`. */
export function inBrief(field: PublishedField, offer: ShownOffer): string {
  const value = plain(field, offer);
  return field.unit === undefined ? String(value) : `${value} ${field.unit}`;
}

/** For people: `£550.00`, `1 Gbit/s on a 10 Gbit/s bearer`. */
export function inWords(field: PublishedField, offer: ShownOffer): string {
  return field.words?.(offer as OfferedProduct) ?? inBrief(field, offer);
}

/** The long heading: `Monthly price (excl. VAT)`. */
export function headingOf({ label, heading = label }: LabelledField): string {
  return heading;
}

export function shownTerms(): LabelledField[] {
  return labelledFields().filter(({ isTerm }) => isTerm);
}

/** All terms on one line: `£550.00, 84 days`, or with `inBrief` `550.00 GBP, 84 days`. */
export function termsOnLine(terms: ShownOffer, print = inWords): string {
  return onLine(shownTerms(), terms, print);
}

/** Fields on one line, without those that have the default of an empty cell. */
export function onLine(fields: PublishedField[], offer: ShownOffer, print = inWords): string {
  const defaults = completed({} as OfferedProduct);
  return fields
    .filter(({ name }) => offer[name] !== defaults[name])
    .map((field) => withUnit(field, offer, print))
    .join(', ');
}

/** All fields on one line for people, defaults included: `£550.00, 84 days, set-up price not stated, firm`. */
export function allOnLine(fields: LabelledField[], offer: ShownOffer): string {
  return fields
    .map((field) =>
      offer[field.name] === null
        ? `${field.label.toLowerCase()} ${inWords(field, offer)}`
        : withUnit(field, offer, inWords),
    )
    .join(', ');
}

function withUnit(field: PublishedField, offer: ShownOffer, print: typeof inWords): string {
  return [print(field, offer), field.onLine ?? []].flat().join(' ');
}

/** Products of one kind, such as Internet access. */
export interface ProductFamily {
  /** As in the codes: `INT`. */
  readonly code: string;
  /** `Internet`; the code if the names of its products have no word of their own. */
  readonly name: string;
}

/** The family of a product is its code up to the first hyphen: `INT` of `INT-1G-12`. */
export function familyOf(productCode: string): string {
  return productCode.split('-', 1)[0]!;
}

/** The families of these products by code, each named by the words that only all its products share. */
export function familiesOf(
  products: readonly Pick<ProductRow, 'code' | 'name'>[],
): ProductFamily[] {
  const codes = [...new Set(products.map(({ code }) => familyOf(code)))].sort();
  const shared = codes.map((code) =>
    products
      .filter((product) => familyOf(product.code) === code)
      // Of `1G Internet on a 10G bearer` only what is before `on`.
      .map(({ name }): string[] => name.split(/ (?:on|over|with) /)[0]!.match(/\b\p{L}+\b/gu) ?? [])
      .reduce((words, others) => words.filter((word) => others.includes(word))),
  );
  return codes.map((code, i) => {
    const own = shared[i]!.filter((word) =>
      shared.every((words, j) => j === i || !words.includes(word)),
    );
    return { code, name: own.join(' ') || code };
  });
}

/** For a narrow column: `INT 1G`, `ETH 100M`. */
export function shortName(product: Pick<OfferedProduct, 'productCode' | 'bandwidthProvisioned'>) {
  const { productCode, bandwidthProvisioned: gigabits } = product;
  const speed = gigabits < 1 ? `${Math.round(gigabits * 1_000)}M` : `${gigabits}G`;
  return `${familyOf(productCode)} ${speed}`;
}
