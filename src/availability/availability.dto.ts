import { ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { NamedProduct, SiteConstraint } from '../catalogue/catalogue-rows.dto.js';
import type { EmptyCode } from '../catalogue/content/shown-offers.js';
import type { Network } from '../catalogue/content/offer-fields.js';
import { MOST_POSTCODES } from '../platform/access/counting.js';
import {
  IsBandwidth,
  IsOnly,
  IsOptionalText,
  IsTextUpTo,
  IsWholeNumber,
} from '../platform/http/field-rules.js';
import { PageOf } from '../platform/http/paging.js';
import { LONGEST_SERVICE, type PriceBasis, priceBases } from '../catalogue/content/cells.js';
import type { ProblemBody } from '../platform/problems/problem.dto.js';

@ApiSchema({ description: 'A product at a place, with its price and lead time there.' })
export class ProductOffer extends PickType(NamedProduct, ['productCode', 'name']) {
  /**
   * Bandwidth at which the product is connected, in Gbit/s; up to three decimals, 0.1 is 100 Mbit/s.
   * @format double
   * @minimum 0.001
   * @maximum 100000
   */
  bandwidthProvisioned: number;

  /**
   * Maximum bandwidth of the bearer, in Gbit/s; up to three decimals.
   * @format double
   * @minimum 0.001
   * @maximum 100000
   * @example 10
   */
  bandwidthCapacity: number;

  /**
   * The misspelt `bandwidthCapacity` of version 0.2.0: only for API clients with the compatibility `0.2`.
   * @format double
   * @minimum 1
   * @maximum 100000
   * @example 10
   * @deprecated
   */
  bandwidthCapactity?: number;

  /** Contract term, in months. @format int32 @minimum 1 @maximum 120 @example 12 */
  term: number;

  /**
   * Price a month, in units of the currency (pounds, not pence), excluding VAT.
   * @minimum 0
   * @maximum 2147483647
   * @example 550
   */
  price: number;

  /** ISO 4217 code. @kind currency */
  currency: string;

  /** Lead time, in calendar days. @format int32 @minimum 0 @maximum 3650 @example 84 */
  leadTimeDays: number;

  /**
   * One-off price of the set-up, in units of the currency, excluding VAT: 0 is free, null is not stated.
   * @minimum 0
   * @maximum 2147483647
   * @example 250
   */
  setupPrice: number | null;

  /**
   * How sure the price is. `firm`: the operator will deliver at this price; `subjectToSurvey`: a survey
   * may add charges; `indicative`: a person confirms it first.
   * @enumName PriceBasis
   * @example "firm"
   */
  basis: PriceBasis;

  /** Whether charges can be added after the order; always false where `basis` is `firm`. @example false */
  extraChargesPossible: boolean;

  /**
   * `onNetWithoutBuild`: on the operator's network, with nothing to build; `onNetWithBuild`: on it, but
   * something must be built; `offNetWithoutBuild`: on another operator's network, with nothing to build;
   * `offNetWithBuild`: on another one, and something must be built. Null if not stated.
   * @example "onNetWithoutBuild"
   */
  network: Network | null;

  /** What is sold, such as `Internet` or `Ethernet`; null if not stated. @maxLength 40 @example "Internet" */
  service: string | null;

  /** Whether an order must name one of the client's interconnects: `details.interconnect`. @example false */
  needsInterconnect: boolean;
}

@ApiSchema({
  description:
    'Calendar days from the acceptance of an order to the live service, without those that waited for the client.',
})
export class TrackDays {
  /** Half of the services were live within these days. @example 71 */
  median: number;

  /** 80 % of the services were live within these days. @example 103 */
  p80: number;
}

@ApiSchema({
  description:
    'What happened to orders of the same product family in the same zone, over 12 months.',
})
export class TrackView {
  /** Services that went live. @minimum 20 @example 64 */
  orders: number;

  /** Per cent of the orders that had extra charges. @maximum 100 @example 18 */
  chargedPercent: number;

  /** What these paid in the middle; null where few did. @minimum 0 @example 650 */
  medianCharge: number | null;

  leadTimeDays: TrackDays;
}

@ApiSchema({ description: 'A product that is sold at the place now.' })
export class CheckedProduct extends ProductOffer {
  /** The last day of these terms, in London time; null if no change is planned. @format date @example "2026-12-31" */
  priceUntil: string | null;

  /** Promised against happened; null below 20 orders. Left out unless the operator publishes it. */
  track?: TrackView | null;
}

@ApiSchema({ description: 'Why nothing can be ordered at a place, or not for single premises.' })
export class EmptyReasonView {
  /**
   * `notCovered`: the operator does not cover the place; `excluded`: it does not sell there;
   * `planned`: it will sell there from `readyDate` on; `notPriced`: no product has a price there;
   * `beyondBuild`: the network is too far away to build to the place;
   * `noMatch`: products are sold there, but none as the filters ask;
   * `premisesNotListed`: the operator does not list the premises, and the answer is for the postcode.
   * @example "planned"
   */
  code: EmptyCode | 'premisesNotListed';

  /** The same in a sentence. @maxLength 200 @example "Products can be ordered here from 1 December 2026." */
  detail: string;

  /**
   * Only with `planned`: the first day on which products can be ordered, in London time.
   * @format date
   * @example "2026-12-01"
   */
  readyDate?: string;
}

@ApiSchema({ description: 'The premises of a check.' })
export class CheckedPremises {
  /** Without padding. @kind uprn */
  uprn: string;

  /** The operator's name for them; null if they have none, or are not listed. @maxLength 120 @example "Finsbury Tower" */
  name: string | null;
}

/** Which of the products at a place to show. */
export class ProductFilter {
  /** Only products with at least this bandwidth, in Gbit/s. @minimum 0.001 @maximum 100000 @example 1 */
  @IsOptional()
  @Type(() => Number)
  @IsBandwidth()
  bandwidth?: number;

  /** Only products with exactly this contract term, in months. @format int32 @minimum 1 @maximum 120 @example 36 */
  @IsOptional()
  @Type(() => Number)
  @IsWholeNumber('months', 1, 120)
  term?: number;

  /** Only products of this `service`, in any case. @example "Internet" */
  @IsOptionalText(LONGEST_SERVICE)
  service?: string;

  /** Only products whose price is `firm`, `subjectToSurvey`, or `indicative` until a person confirms it. @example "firm" */
  @IsOptional()
  @IsIn(priceBases, { message: `Must be one of ${priceBases.join(', ')}.` })
  basis?: PriceBasis;
}

export class PremisesQuery {
  /**
   * The postcode of the premises, in any case and spacing.
   * @pattern ^[A-Za-z0-9\s]+$
   * @example "EC2A 2BS"
   */
  @IsTextUpTo(256)
  postcode: string;
}

@ApiSchema({ description: 'How far a place is from the network.' })
export class NearestNetwork {
  /** Length of the route, rounded up to 50 m. @format int32 @minimum 0 @maximum 5000 @example 350 */
  distanceMetres: number;

  /** The route may have up to this many metres at the price. @format int32 @minimum 1 @maximum 5000 @example 500 */
  band: number;

  /** The nearest postcode of the network; only with the scope `availability:nearest`. @kind postcode */
  postcode?: string | null;
}

@ApiSchema({ description: 'How far the place of an order was from the network.' })
export class OrderedDistance extends PickType(NearestNetwork, ['distanceMetres', 'band']) {}

@ApiSchema({ description: 'The answer to a check.' })
export class AvailabilityResult {
  /**
   * Identifies this check: 10 characters of Crockford's base 32. An order may cite it as `checkId`. @kind check
   */
  id: string;

  /**
   * Says in words what is available, and how to order.
   * @maxLength 1000
   * @example "1 product is available at EC2A 2BS. To order, place an order request or contact sales@example.net."
   */
  message: string;

  /** The postcode that was checked, in canonical form: upper case, one space. @kind postcode */
  postcode: string;

  /** The premises that were checked; only in the answer to a check of premises. */
  premises?: CheckedPremises;

  /**
   * By bandwidth provisioned, then term, then price, then code. Empty where nothing is sold.
   * @maxItems 10000
   */
  availableProducts: CheckedProduct[];

  /** How precise the answer is: for the `postcode`, or for single `premises` in it. @example "postcode" */
  granularity: 'postcode' | 'premises';

  /** Until when an order that cites this check gets these terms, UTC. @example "2026-11-21T09:45:00.000Z" */
  validUntil: Date;

  /** Why the list of products is empty, and whether the premises are not listed; otherwise empty. @maxItems 5 @example [] */
  reasons: EmptyReasonView[];

  /** Where products are priced by distance to the network; otherwise null. */
  nearest: NearestNetwork | null;

  /** What makes the place less than plain. Not for the compatibility `0.2`. @maxItems 20 @example [] */
  constraints?: SiteConstraint[];
}

@ApiSchema({ description: 'Premises that the operator lists.' })
export class ListedPremises extends IntersectionType(
  CheckedPremises,
  PickType(ProductOffer, ['network']),
) {
  /** What makes them less than plain. Not for the compatibility `0.2`. @maxItems 20 @example [] */
  constraints?: SiteConstraint[];
}

@ApiSchema({ description: 'A page of the listed premises at a postcode.' })
export class ListedPremisesPage extends PageOf(ListedPremises) {}

const atMost = `Must have at most ${MOST_POSTCODES} postcodes.`;

@ApiSchema({ description: 'A postcode to check, or premises there.' })
export class AskedPlace {
  /** In any case and spacing. @pattern ^[A-Za-z0-9\s]+$ @example "EC2A 2BS" */
  @IsTextUpTo(256)
  postcode: string;

  /** The UPRN of premises at the postcode. @pattern ^[0-9]+$ @example "100023336956" */
  @IsOptional()
  @IsTextUpTo(256)
  uprn?: string;
}

@ApiSchema({ description: 'What to check at once: either `postcodes` or `places`.' })
export class PostcodeList {
  /**
   * From 1 to 100 postcodes, in any case and spacing, duplicates included.
   * @maxItems 100
   * @example ["EC2A 2BS", "N1 1AA"]
   */
  @ValidateIf(({ places }: PostcodeList) => places == null)
  @IsArray({ message: 'Must be a list of texts.' })
  @ArrayMinSize(1, { message: 'Must have at least one postcode.' })
  @ArrayMaxSize(MOST_POSTCODES, { message: atMost })
  @IsString({ each: true, message: 'Must be a list of texts.' })
  @MaxLength(256, { each: true, message: 'Each must have at most 256 characters.' })
  postcodes?: string[];

  /**
   * From 1 to 100 places, in place of `postcodes`. A UPRN names premises at the postcode.
   * @maxItems 100
   */
  @ValidateIf(({ places }: PostcodeList) => places != null)
  @IsOnly('postcodes')
  @IsArray({ message: 'Must be a list of places.' })
  @ArrayMinSize(1, { message: 'Must have at least one place.' })
  @ArrayMaxSize(MOST_POSTCODES, { message: `Must have at most ${MOST_POSTCODES} places.` })
  @IsObject({ each: true, message: 'Each place must be an object.' })
  @ValidateNested({ each: true })
  @Type(() => AskedPlace)
  places?: AskedPlace[];
}

@ApiSchema({ description: 'The answers to many postcode checks.' })
export class AvailabilityResults {
  /**
   * One for each postcode or place, in the order of the request. Only a problem has a `code`.
   * @maxItems 100
   * @anyOf AvailabilityResult InvalidPostcodeProblem Problem
   */
  results: (AvailabilityResult | ProblemBody)[];
}
