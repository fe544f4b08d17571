import {
  type AgreedTerms,
  type Offer,
  type OfferedProduct,
  type OfferField,
  type OfferFields,
  priceFields,
  type PriceRow,
  productFields,
  type ProductRow,
  type PublishedField,
} from './offer-fields.js';

export type FieldsOfRows = OfferFields<ProductRow> | OfferFields<PriceRow>;
/** A row of either file, for code that iterates over its fields. */
export type AnyRow = Readonly<Record<string, unknown>>;
export type AnyField = OfferField<AnyRow, unknown>;

type LabelledField = PublishedField & { readonly label: string };
/** An offer, its terms, or its product alone. */
type ShownOffer = Partial<OfferedProduct>;

/** The fields of a file with the properties of its rows, in the order of the columns. */
export function entriesOf(fields: FieldsOfRows): [property: string, field: AnyField][] {
  return Object.entries(fields) as [string, AnyField][];
}

export function columnsOf(fields: FieldsOfRows): string[] {
  return entriesOf(fields).map(([, { column }]) => column);
}

/** A product without its price, in the units of the interface. */
export function publishProduct(product: ProductRow): Omit<OfferedProduct, keyof AgreedTerms> {
  return publish(productFields, product);
}

/** A price without its product, in the units of the interface. */
export function publishPrice(price: PriceRow): AgreedTerms {
  return publish(priceFields, price);
}

function publish(fields: FieldsOfRows, row: object): OfferedProduct {
  const values: Record<string, unknown> = {};
  for (const [property, { name, publish: convert }] of entriesOf(fields)) {
    if (name === undefined || !(property in row)) continue;
    const value = (row as AnyRow)[property];
    values[name] = convert ? convert(value, row as AnyRow) : value;
  }
  return values as unknown as OfferedProduct;
}

export function offerOf(product: ProductRow, price: PriceRow): Offer {
  const { zone, priceList, amountMinor } = price;
  return { ...publishProduct(product), ...publishPrice(price), zone, priceList, amountMinor };
}

/** The fields that an API client sees, those of the product first. */
export function publishedFields(): PublishedField[] {
  return [productFields, priceFields].flatMap((fields) =>
    entriesOf(fields).flatMap(([, field]) =>
      field.name === undefined ? [] : (field as PublishedField),
    ),
  );
}

/** The fields that are shown by themselves. */
export function labelledFields(): LabelledField[] {
  return publishedFields().filter((field): field is LabelledField => field.label !== undefined);
}

/** The product as an order keeps it: what the interface says of an offer, and nothing else. */
export function offeredProduct(offer: OfferedProduct): OfferedProduct {
  const values = publishedFields().map(({ name }) => [name, offer[name]]);
  return Object.fromEntries(values) as OfferedProduct;
}

/** A product that was kept before there were as many fields as today. */
export function completed(kept: OfferedProduct): OfferedProduct {
  const absent = [productFields, priceFields].map((fields) => publish(fields, absentOf(fields)));
  return Object.assign({}, ...absent, kept) as OfferedProduct;
}

/** What a row has in the fields of which it says nothing. */
export function absentOf(fields: FieldsOfRows): AnyRow {
  const optional = entriesOf(fields).filter(([, field]) => field.absent !== undefined);
  return Object.fromEntries(optional.map(([property, { absent }]) => [property, absent]));
}

export function termsOf(offer: AgreedTerms): AgreedTerms {
  const names = publishedFields().flatMap(({ name, isTerm }) => (isTerm ? name : []));
  return Object.fromEntries(
    names.map((name) => [name, (offer as ShownOffer)[name]]),
  ) as AgreedTerms;
}

export function sameTerms(a: ShownOffer, b: ShownOffer): boolean {
  return publishedFields().every(({ name, isTerm }) => !isTerm || a[name] === b[name]);
}

/** What is not the same, as labels: `Price`, `Lead time`. */
export function changedTerms(a: ShownOffer, b: ShownOffer): string[] {
  return shownTerms().flatMap((field) => (differs(field, a, b) ? field.label : []));
}

/** Whether a field, or the one it is shown with, has other values. */
export function differs(field: PublishedField, a: ShownOffer, b: ShownOffer): boolean {
  const { name, with: other = name } = field;
  return a[name] !== b[name] || a[other] !== b[other];
}

/** The field's value without its unit: `550.00 GBP`, `84`. */
export function plain({ name, plain: print }: PublishedField, offer: ShownOffer): string | number {
  return print ? print(offer as OfferedProduct) : (offer[name] ?? '');
}

/** The field's value, tersely: `550.00 GBP`, `84 days`. */
export function inBrief(field: PublishedField, offer: ShownOffer): string {
  const value = plain(field, offer);
  return field.unit === undefined ? String(value) : `${value} ${field.unit}`;
}

/** The field's value for people: `£550`, `1 Gbit/s on a 10 Gbit/s bearer`. */
export function inWords(field: PublishedField, offer: ShownOffer): string {
  return field.words?.(offer as OfferedProduct) ?? inBrief(field, offer);
}

/** Heads the field where there is room: `Price a month, excluding VAT`. */
export function headingOf({ label, note }: LabelledField): string {
  return note === undefined ? label : `${label} ${note}`;
}

/** The fields that are shown for themselves and belong to the terms. */
export function shownTerms(): LabelledField[] {
  return labelledFields().filter(({ isTerm }) => isTerm);
}

/** All terms on one line: `£550, 84 days`, or in brief `550.00 GBP, 84 days`. */
export function termsOnLine(terms: ShownOffer, print = inWords): string {
  return shownTerms()
    .map((field) => print(field, terms))
    .join(', ');
}
