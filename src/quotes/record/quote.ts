import type { Track } from '../../catalogue/track/track.js';
import type { Nearest } from '../../catalogue/content/catalogue.js';
import type { EmptyReason } from '../../catalogue/content/shown-offers.js';
import type { SiteDetails } from '../../orders/record/site-details.dto.js';
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';

/** What became of a line. */
export const lineStates = [
  'priced',
  'notAvailable',
  'invalid',
  'enquired',
  'offered',
  'ordered',
  'unableToProvide',
] as const;
export type LineState = (typeof lineStates)[number];

/** In lists, on pages and in documents. */
export const stateWords: Readonly<Record<LineState, string>> = {
  priced: 'priced',
  notAvailable: 'not available',
  invalid: 'invalid',
  enquired: 'with staff',
  offered: 'offered',
  ordered: 'ordered',
  unableToProvide: 'unable to provide',
};

/** What a site needs. */
export interface WantedAtSite {
  /** At least, in Gbit/s. */
  readonly bandwidth: number;
  /** Exactly, in months; null for any. */
  readonly term: number | null;
  /** In any case; null for any. */
  readonly service: string | null;
}

/** A product that a line names, with its terms when the quote was made. */
export interface QuotedProduct extends OfferedProduct {
  /** The last day of these terms in London; null if no change was planned. */
  readonly priceUntil: string | null;
  /** What had happened to such orders when the quote was made; left out unless clients see it. */
  readonly track?: Track | null;
}

/** The product of a line, and what an order of it needs beside its terms. */
export interface QuotedOffer {
  readonly product: QuotedProduct;
  readonly zone: string;
  /** The discount on the monthly price for the number of lines; null if there is none. */
  readonly discountPercent: number | null;
  /** The list of its price. */
  readonly priceList: string;
  /** A month's price in minor units. */
  readonly amountMinor: number;
  readonly catalogueVersion: number;
  /** If it is priced by distance. */
  readonly nearest: Nearest | null;
  /** Whether the line is ordered at these terms, whatever is published meanwhile. */
  readonly held: boolean;
}

/** Why a row could not be answered: what a single check of the site would have said. */
export interface LineProblem {
  readonly code: string;
  readonly detail: string;
}

/** Of a copy: what a line had. */
export type QuotedBefore = Pick<
  OfferedProduct,
  'productCode' | 'term' | 'price' | 'setupPrice' | 'currency'
>;

/** One site of a quote and its answer; never changed. */
export interface QuoteLine {
  readonly site: string | null;
  /** In canonical form; as it was sent where it is not a postcode. */
  readonly postcode: string;
  readonly uprn: string | null;
  readonly notes: string | null;
  readonly details: SiteDetails | null;
  /** Null where the row does not say it, or says it wrongly. */
  readonly wanted: WantedAtSite | null;
  readonly offer: QuotedOffer | null;
  /** At most three. */
  readonly alternatives: readonly QuotedProduct[];
  /** Why it has no product. */
  readonly reasons: readonly EmptyReason[];
  readonly problem: LineProblem | null;
  /** Of a copy: what the line before had. */
  readonly was: QuotedBefore | null;
}
