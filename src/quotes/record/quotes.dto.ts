import { ApiSchema, PickType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject, IsOptional } from 'class-validator';
import {
  CheckedProduct,
  OrderedDistance,
  ProductOffer,
} from '../../availability/availability.dto.js';
import { SiteConstraint } from '../../catalogue/catalogue-rows.dto.js';
import type { EmptyCode } from '../../catalogue/content/shown-offers.js';
import { LONGEST_SERVICE, type PriceBasis } from '../../catalogue/content/cells.js';
import { MOST_SITES } from '../../platform/access/counting.js';
import {
  IsBandwidth,
  IsOptionalText,
  IsTextUpTo,
  IsWholeNumber,
  IsOptionalObject,
} from '../../platform/http/field-rules.js';
import { SiteDetails, SiteDetailsView } from '../../orders/record/site-details.dto.js';
import { PageOf } from '../../platform/http/paging.js';
import type { LineState } from './line-state.js';

/** Characters of a postcode or a UPRN as it is sent. */
export const LONGEST_PLACE = 256;

@ApiSchema({ description: 'What a site needs.' })
export class WantedBySite {
  /**
   * At least this bandwidth, in Gbit/s; up to three decimals. Each site needs one, by itself or from the quote.
   * @minimum 0.001
   * @maximum 100000
   * @example 1
   */
  @IsOptional()
  @IsBandwidth()
  bandwidth?: number;

  /** Exactly this contract term, in months; any if it is left out. @format int32 @minimum 1 @maximum 120 @example 36 */
  @IsOptional()
  @IsWholeNumber('months', 1, 120)
  term?: number;

  /** Only products of this `service`, in any case; of any service if it is left out. @maxLength 40 @example "Internet" */
  @IsOptionalText(LONGEST_SERVICE)
  service?: string;
}

@ApiSchema({ description: 'A site of a quote.' })
export class QuoteSite {
  /** The name of the site: one line. @example "Depot" */
  @IsOptionalText(120)
  site?: string;

  /** In any case and spacing. @pattern ^[A-Za-z0-9\s]+$ @example "EC2A 2BS" */
  @IsTextUpTo(LONGEST_PLACE)
  postcode: string;

  /** The UPRN of the premises. @pattern ^[0-9]+$ @example "100023336956" */
  @IsOptional()
  @IsTextUpTo(LONGEST_PLACE)
  uprn?: string;

  /** What this site needs; what is left out is that of the quote. */
  @IsOptionalObject(() => WantedBySite)
  wanted?: WantedBySite;

  /** What the operator's staff should know about this site, once it is ordered. @example "Roof access at weekends only." */
  @IsOptionalText(2_000, 'lines')
  notes?: string;

  /** Where in the building the service ends; the order of the line takes it over. */
  @IsOptionalObject(() => SiteDetails)
  details?: SiteDetails;
}

@ApiSchema({ description: 'The sites of one customer.' })
export class QuoteRequest {
  /** The client's own reference: one line. @kind clientReference */
  @IsOptionalText(64)
  reference?: string;

  /** The client's customer: one line. @example "Fernhill Schools Trust" */
  @IsOptionalText(120)
  customer?: string;

  /** What all sites need that do not say something else. */
  @IsOptionalObject(() => WantedBySite)
  wanted?: WantedBySite;

  /** From 1 to 2,000 sites. A site that cannot be answered does not fail the others. @maxItems 2000 */
  @IsArray({ message: 'Must be a list of sites.' })
  @ArrayMinSize(1, { message: 'Must have at least one site.' })
  @ArrayMaxSize(MOST_SITES, { message: 'Must have at most 2,000 sites.' })
  @IsObject({ each: true, message: 'Each site must be an object.' })
  sites: QuoteSite[];
}

/** The sites to quote, before the rules of a site are applied to each. */
export interface SitesToQuote extends Omit<QuoteRequest, 'sites'> {
  readonly sites: readonly object[];
}

@ApiSchema({ description: 'A line that repeats an earlier one.' })
export class QuoteDuplicate {
  /** The line. @kind quoteLine */
  lineId: string;

  /** The first line with the same site, place and wishes. @kind quoteLine */
  sameAs: string;
}

@ApiSchema({ description: 'How many lines have a product of a service.' })
export class ServiceCount {
  /** The service; null if it is not stated. @maxLength 40 @example "Ethernet" */
  service: string | null;

  /** The number of lines. @kind count @example 23 */
  lines: number;
}

@ApiSchema({ description: 'The quote is stored, and all its sites are answered.' })
export class QuoteAcknowledgement {
  /** Says how many sites have a price. @maxLength 200 @example "Your quote QUO-7F3K9Q has 40 sites: 37 have a price." */
  message: string;

  /** Identifies the quote. @kind uuid */
  quoteId: string;

  /** The short reference of the quote, to be read aloud. @kind quoteReference */
  quoteReference: string;

  /** Lines that repeat an earlier one. Each is priced, counted and can be ordered. @maxItems 2000 */
  duplicates: QuoteDuplicate[];

  /** Only where some sites and the quote say no service, and their products are of several: how many lines have each. @maxItems 100 */
  mixedServices?: ServiceCount[];

  /** Of a file: the names of the columns that were left out, long ones cut. @maxItems 100 @maxLength 120 @example ["Region"] */
  ignoredColumns?: string[];
}

@ApiSchema({ description: 'How many lines of a quote are in each state.' })
export class LineCounts implements Record<LineState, number> {
  /** Can be ordered at their terms. @kind count */
  priced: number;

  /** Have no product as wanted. @kind count */
  notAvailable: number;

  /** Rows with a fault. @kind count */
  invalid: number;

  /** Have an enquiry that staff work on. @kind count */
  enquired: number;

  /** Have offers to accept. @kind count */
  offered: number;

  /** Were ordered. @kind count */
  ordered: number;

  /** Have an enquiry that ended without an offer. @kind count */
  unableToProvide: number;
}

@ApiSchema({ description: 'How many lines are at places with a constraint.' })
export class ConstraintCount extends SiteConstraint {
  /** Of the total. @minimum 1 @example 3 */
  lines: number;
}

@ApiSchema({ description: 'The sum of lines of one currency and one basis.' })
export class QuoteTotalView {
  /** ISO 4217 code. @kind currency */
  currency: string;

  /** `firm`, `subjectToSurvey`, or `indicative` until a person confirms the prices. @example "firm" */
  basis: PriceBasis;

  /** The number of lines. @kind count @example 37 */
  lines: number;

  /** Prices a month, excluding VAT. @minimum 0 @example 465 */
  monthly: number;

  /** One-off prices of the set-up, excluding VAT; null if one is not stated. @minimum 0 @example 250 */
  setup: number | null;

  /** Set-up and all months of each line's term; null if a set-up price is not stated. @minimum 0 @example 16990 */
  contract: number | null;

  /** How many of these lines are at places that are less than plain. @maxItems 20 @example [] */
  constraints: ConstraintCount[];
}

@ApiSchema({ description: 'Why a line has no product.' })
export class LineReasonView {
  /**
   * As in a check: `notCovered`, `excluded`, `planned`, `notPriced`, `beyondBuild`. `noMatch`: products are sold at
   * the place, but none with this bandwidth for this term.
   * @example "noMatch"
   */
  code: EmptyCode;

  /** The same in a sentence. @maxLength 200 @example "We do not cover this place." */
  detail: string;

  /** Only with `planned`: the first day on which products can be ordered, in London time. @format date @example "2026-12-01" */
  readyDate?: string;
}

@ApiSchema({ description: 'Why a row could not be answered.' })
export class LineProblemView {
  /** The problem that a single check would have had. @maxLength 64 @example "invalid-postcode" */
  code: string;

  /** What to change. @maxLength 2000 @example "A postcode ends with a digit and two letters." */
  detail: string;
}

@ApiSchema({ description: 'What a line was answered for.' })
export class LineWanted {
  /** At least, in Gbit/s. @minimum 0.001 @maximum 100000 @example 1 */
  bandwidth: number;

  /** Exactly, in months; null for any. @format int32 @minimum 1 @maximum 120 @example 36 */
  term: number | null;

  /** Of this service; null for any. @maxLength 40 @example "Internet" */
  service: string | null;
}

@ApiSchema({ description: 'What a line had in the quote that was copied.' })
export class LineBefore extends PickType(ProductOffer, [
  'productCode',
  'term',
  'price',
  'setupPrice',
  'currency',
]) {}

@ApiSchema({ description: 'A site of a quote and its answer.' })
export class QuoteLineView {
  /** The number of the line in the quote. @kind quoteLine */
  lineId: string;

  /** The name of the site. @maxLength 120 @example "Depot" */
  site: string | null;

  /** In canonical form; of an invalid row as it was sent. @maxLength 257 @example "EC2A 2BS" */
  postcode: string;

  /** Of the premises; null for the postcode. Of an invalid row as it was sent. @maxLength 257 @example "100023336956" */
  uprn: string | null;

  /** What the line was answered for; null if the row is invalid. */
  wanted: LineWanted | null;

  /**
   * - `priced`: it can be ordered at the terms of `product`
   * - `notAvailable`: no product is sold there as wanted
   * - `invalid`: the row has a fault
   * - `enquired`: staff work on its enquiry
   * - `offered`: its enquiry has offers
   * - `ordered`: it became an order
   * - `unableToProvide`: its enquiry ended without an offer
   * @enumName LineState
   */
  state: LineState;

  /** The product with its terms; of a line that was asked for, what is offered. Null if there is none. */
  product: CheckedProduct | null;

  /** Set-up and all months of the term, excluding VAT; null if the set-up price is not stated. @minimum 0 @example 16990 */
  totalContractValue: number | null;

  /** Whether these terms can be ordered until `validUntil` of the quote, whatever changes. */
  held: boolean;

  /** The discount on the monthly price for the number of lines of this service, in per cent; null if there is none. @minimum 0 @maximum 100 @example 5 */
  discountPercent: number | null;

  /** How many places with this service have to be ordered together for the discount; null where the line keeps it alone. @format int32 @minimum 2 @maximum 2000 @example 10 */
  discountFrom: number | null;

  /** If it was priced by distance to the network; otherwise null. */
  nearest: OrderedDistance | null;

  /** What made the place less than plain. @maxItems 20 @example [] */
  constraints: SiteConstraint[];

  /** The next best products, and the best of other terms. @maxItems 3 */
  alternatives: CheckedProduct[];

  /** Why there is no product; otherwise empty. @maxItems 5 */
  reasons: LineReasonView[];

  /** What is wrong with the row; null if nothing is. */
  problem: LineProblemView | null;

  /** Notes about the site. @maxLength 2000 @example "Roof access at weekends only." */
  notes: string | null;

  /** Where in the building the service ends, as far as it is stated; null if nothing is. */
  details: SiteDetailsView | null;

  /** The first line with the same site, place and wishes, if this one repeats it; otherwise null. @kind quoteLine */
  sameAs: string | null;

  /** Its enquiry. @kind uuid */
  enquiryId: string | null;

  /** The offer to its enquiry that `product` shows; null if there is none. @kind uuid */
  offerId: string | null;

  /** Until when that offer can be ordered, UTC. */
  offerValidUntil: Date | null;

  /** The order that it became. @kind uuid */
  orderId: string | null;

  /** Of a copy: the product and price of the quote before. */
  was: LineBefore | null;
}

@ApiSchema({ description: 'A quote without its lines.' })
export class QuoteSummary {
  /** Identifies the quote. @kind uuid */
  quoteId: string;

  /** The short reference of the quote, to be read aloud. @kind quoteReference */
  quoteReference: string;

  /** The client's own reference. @kind clientReference */
  reference: string | null;

  /** The client's customer. @maxLength 120 @example "Fernhill Schools Trust" */
  customer: string | null;

  /** `open` until `validUntil`, then `expired`; `withdrawn` if the operator has withdrawn it: its lines cannot be ordered any more. @enumName QuoteState @example "open" */
  state: QuoteState;

  /** When it was made, UTC. */
  createdAt: Date;

  /** Until when its lines can be ordered, UTC. */
  validUntil: Date;

  /** When the operator withdrew it, UTC; otherwise null. */
  withdrawnAt: Date | null;

  /** When a line last changed its state, UTC. */
  updatedAt: Date;

  /** How many lines are in each state. */
  counts: LineCounts;
}

export const quoteStates = ['open', 'expired', 'withdrawn'] as const;
export type QuoteState = (typeof quoteStates)[number];

@ApiSchema({ description: 'A quote with its lines.' })
export class QuoteView extends QuoteSummary {
  /** The lines with a product, for each currency and basis. @maxItems 100 */
  totals: QuoteTotalView[];

  /** Up to `limit` lines, in the order of the sites. @maxItems 500 */
  lines: QuoteLineView[];

  /** Send it as `cursor` for the next lines; null with the last ones. @kind cursor */
  nextCursor: string | null;
}

@ApiSchema({ description: "A page of the API client's quotes, newest first." })
export class QuotePage extends PageOf(QuoteSummary) {}
