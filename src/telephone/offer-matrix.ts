import { priceInWords } from '../platform/kernel/money.js';
import { shortDay } from '../platform/kernel/time-words.js';
import type { Offer, PublishedField } from '../catalogue/content/offer-fields.js';
import {
  differs,
  familiesOf,
  familyOf,
  labelledFields,
  type ProductFamily,
  termsOnLine,
} from '../catalogue/content/offers.js';

/** One bandwidth on one bearer. */
interface MatrixRow {
  /** All offers of the row, at least one. */
  readonly offers: readonly Offer[];
  /** Those of each term, in the order of the matrix's terms; usually one or none. */
  readonly cells: readonly (readonly Offer[])[];
}

/** The offers of a product family by bandwidth and term. */
export interface OfferMatrix {
  readonly family: ProductFamily;
  /** Months, ascending. */
  readonly terms: readonly number[];
  readonly rows: readonly MatrixRow[];
  /** The fields that are the same for all its offers, those that are the same in each row, and all others. */
  readonly shared: readonly MatrixField[];
  readonly ofRows: readonly MatrixField[];
  readonly ofCells: readonly MatrixField[];
}

type MatrixField = ReturnType<typeof labelledFields>[number];

/** What the rows, columns and cells show. */
const placed: readonly PublishedField['name'][] = ['bandwidthProvisioned', 'term', 'price'];

/** @param offers in the API's order: bandwidth, term, price, code */
export function matricesOf(offers: readonly Offer[]): OfferMatrix[] {
  const products = offers.map(({ productCode: code, name }) => ({ code, name }));
  return familiesOf(products).map((family) =>
    matrixOf(
      family,
      offers.filter(({ productCode }) => familyOf(productCode) === family.code),
    ),
  );
}

function matrixOf(family: ProductFamily, offers: readonly Offer[]): OfferMatrix {
  const terms = [...new Set(offers.map(({ term }) => term))].sort((a, b) => a - b);
  const groups = Map.groupBy(
    offers,
    ({ bandwidthProvisioned, bandwidthCapacity }) => `${bandwidthProvisioned}/${bandwidthCapacity}`,
  );
  const others = labelledFields().filter(({ name }) => !placed.includes(name));
  const shared = others.filter((field) => isSame(field, offers));
  const ofRows = others.filter(
    (field) => !shared.includes(field) && [...groups.values()].every((row) => isSame(field, row)),
  );
  const rows = [...groups.values()].map((ofRow) => ({
    offers: ofRow,
    cells: terms.map((term) => ofRow.filter((offer) => offer.term === term)),
  }));
  return {
    family,
    terms,
    rows: rows.sort((a, b) => byBandwidth(a.offers[0]!, b.offers[0]!)),
    shared,
    ofRows,
    ofCells: others.filter((field) => !shared.includes(field) && !ofRows.includes(field)),
  };
}

function isSame(field: MatrixField, offers: readonly Offer[]): boolean {
  return offers.every((offer) => !differs(field, offers[0]!, offer));
}

function byBandwidth(a: Offer, b: Offer): number {
  return (
    a.bandwidthProvisioned - b.bandwidthProvisioned || a.bandwidthCapacity - b.bandwidthCapacity
  );
}

/** `until 31 Dec, then £355.00`; null if no change is planned. */
export function plannedChange({ price, priceUntil, next }: Offer, now: Date): string | null {
  if (priceUntil === null) return null;
  const until = `until ${shortDay(priceUntil, now)}, then`;
  if (next === null) return `${until} no longer sold`;
  return `${until} ${next.price === price ? termsOnLine(next) : priceInWords(next.price, next.currency)}`;
}
