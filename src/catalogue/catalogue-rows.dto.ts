import { ApiSchema, PickType } from '@nestjs/swagger';
import type { Network } from './content/offer-fields.js';
import {
  type ConstraintCode,
  constraintCodes,
  type PlaceConstraint,
} from './content/zone-fields.js';
import type { PriceBasis } from './content/cells.js';
import { Transform } from 'class-transformer';
import { IsDate, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { toInstant } from '../platform/kernel/time.js';
import { IsOptionalUprn } from '../platform/http/field-rules.js';
import type { ExplainedLevel } from './content/explain.js';

/** Extended by every view of a product. */
export class NamedProduct {
  /** What an order takes as `productCode`. @kind product */
  productCode: string;

  /** Descriptive product name. @maxLength 120 @example "1G Internet on a 10G bearer" */
  name: string;
}

@ApiSchema({ description: 'A price with its further terms.' })
export class TermsView {
  /** A month, excluding VAT, in units of the currency. @example 550 */
  price: number;

  /** ISO 4217 code. @kind currency */
  currency: string;

  /** Lead time, in calendar days. @example 84 */
  leadTimeDays: number;

  /** One-off, excluding VAT, in units of the currency; 0 is free, null is not stated. @example 250 */
  setupPrice: number | null;

  /**
   * How sure the price is: `firm`, `subjectToSurvey`, or `indicative` until a person confirms it.
   * @enumName PriceBasis
   * @example "firm"
   */
  basis: PriceBasis;

  /** Whether charges can be added after the order; always false where `basis` is `firm`. @example false */
  extraChargesPossible: boolean;
}

@ApiSchema({ description: 'A row of zones.csv.' })
export class ZoneView {
  /** The zone. @kind zone */
  zone: string;

  /** For staff; may be empty. @maxLength 120 @example "London, lit buildings" */
  label: string;

  /**
   * `onNetWithoutBuild`: on the operator's network, with nothing to build; `onNetWithBuild`: on it, but
   * something must be built; `offNetWithoutBuild`: on another operator's network, with nothing to build;
   * `offNetWithBuild`: on another one, and something must be built. Null if not stated.
   * @example "onNetWithoutBuild"
   */
  network: Network | null;

  /** The first day of sale, in London time; null if it sells already. @format date @example "2026-12-01" */
  readyDate: string | null;

  /** For staff; may be empty. @maxLength 500 @example "Duct works until November" */
  note: string;

  /** The last day of sale, in London time; null if there is none. @format date @example "2027-06-30" */
  endDate: string | null;

  /** Codes of constraints, separated by `|`; empty for none. @maxLength 200 @example "surveyRequired|wayleaveOwner" */
  constraints: string;
}

@ApiSchema({ description: 'Something that makes a place less than plain.' })
export class SiteConstraint implements PlaceConstraint {
  /**
   * `surveyRequired`, `wayleaveOwner`, `wayleaveShared`, `wayleavePrivate`, `wayleaveRefused`, `uneconomicLength`,
   * `businessPark` or `feasibilityCheck`; more may follow.
   * @maxLength 40
   * @example "surveyRequired"
   */
  code: string;

  /** What it means, in a sentence. @maxLength 200 @example "A survey of the site is needed before the service can be built." */
  text: string;
}

export class ByConstraint {
  /**
   * Only those with this constraint: `surveyRequired`, `wayleaveOwner`, `wayleaveShared`,
   * `wayleavePrivate`, `wayleaveRefused`, `uneconomicLength`, `businessPark` or `feasibilityCheck`.
   * @example "surveyRequired"
   */
  @IsOptional()
  @IsIn(constraintCodes, { message: `Must be one of ${constraintCodes.join(', ')}.` })
  constraint?: ConstraintCode;
}

export class ExplainQuery {
  /**
   * An API client's id or name. The explanation uses its price list.
   * @example "Example Reseller"
   */
  @IsOptional()
  @IsString({ message: 'Must be given once, as text.' })
  @MaxLength(120, { message: 'Must have at most 120 characters.' })
  client?: string;

  /** The UPRN of premises at the postcode. @pattern ^[0-9]+$ @example "100023336956" */
  @IsOptionalUprn()
  uprn?: string;

  /** Explains the answer at this instant; now if left out. @example "2026-11-21T09:30:00Z" */
  @IsOptional()
  @Transform(toInstant)
  @IsDate({ message: 'Must be an instant such as 2026-11-21T09:30:00Z.' })
  at?: Date;
}

@ApiSchema({ description: 'A place that contains the postcode, and what its row says.' })
export class ExplainedLevelView {
  /**
   * `premises`, `unit`, `sector`, `subdistrict`, `district` or `area`, from the smallest place to the largest.
   * @example "unit"
   */
  level: ExplainedLevel;

  /** The canonical name of the place; of premises, their postcode. @maxLength 8 @example "EC2A 2BS" */
  place: string;

  /** Of premises; otherwise null. @kind uprn */
  uprn: string | null;

  /**
   * `-` excludes the place; null if it has no row.
   * @pattern ^(-|[A-Z0-9][A-Z0-9-]*)$
   * @maxLength 32
   * @example "LONDON-ONNET"
   */
  zone: string | null;

  /** Whether this row applies. @example true */
  decides: boolean;
}

@ApiSchema({ description: 'A price that could apply.' })
export class ExplainedPriceView extends TermsView {
  /** The price list. @kind priceList */
  priceList: string;

  /** Its first day, in London time; null if it has none. @format date @example "2027-01-01" */
  validFrom: string | null;

  /** Its last day, in London time; null if it has none. @format date @example "2027-01-31" */
  validUntil: string | null;

  /**
   * How a derived price was calculated; null for a row of prices.csv.
   * @maxLength 200
   * @example "standard 465.00 − 12 %, rounded to 0.50"
   */
  derivation: string | null;

  /** Whether this price applies. @example true */
  decides: boolean;
}

@ApiSchema({ description: 'A product, and why it is or is not offered.' })
export class ExplainedProductView extends PickType(NamedProduct, ['productCode', 'name']) {
  /** Whether it can be ordered there. @example true */
  offered: boolean;

  /** Why, in a sentence. @maxLength 200 @example "The standard price in LONDON-ONNET applies." */
  reason: string;

  /** The last day of these terms, in London time; null if no change is planned. @format date @example "2027-01-31" */
  priceUntil: string | null;

  /** Its prices there on the price list, on the lists that it is based on, and on `standard`. @maxItems 1000 */
  prices: ExplainedPriceView[];
}

@ApiSchema({ description: 'How near the network is, and how the band was found.' })
export class ExplainedNearView {
  /** The nearest point: its name in network_points.csv, or a postcode. @maxLength 60 @example "EC2A 2BS" */
  point: string;

  /** The zone of the point. @kind zone */
  zone: string;

  /** As the crow flies. @example 266 */
  straightMetres: number;

  /** How much longer a route is than the straight line. @example 1.3 */
  factor: number;

  /** The route, rounded up to 50 m. @example 350 */
  distanceMetres: number;

  /** The band has routes up to this many metres. @example 500 */
  band: number;
}

@ApiSchema({ description: 'Why a check of a postcode has this answer.' })
export class ExplanationView {
  /** The postcode, in canonical form. @kind postcode */
  postcode: string;

  /** The version that the answer comes from. @example 7 */
  catalogueVersion: number;

  /** The price list. @kind priceList */
  priceList: string;

  /** Null where nothing is sold. @kind zone */
  zone: string | null;

  /** The row of zones.csv; null if there is none. */
  zoneRow: ZoneView | null;

  /** Of a place without coverage that is priced by distance; otherwise null. */
  near: ExplainedNearView | null;

  /** Those of the premises, or else of the zone. @maxItems 20 */
  constraints: SiteConstraint[];

  /** Why, in sentences. @maxLength 400 @example "The area EC is in the zone LONDON-ONNET." */
  reason: string;

  /**
   * The month in which Royal Mail withdrew the postcode, if the register is loaded.
   * @pattern ^[0-9]{4}-[0-9]{2}$
   * @maxLength 7
   * @example "2019-06"
   */
  terminated: string | null;

  /** The label of the polygon of coverage.geojson that decides; null if none does. @maxLength 80 @example "City of London" */
  polygon: string | null;

  /** Most specific first: the first with a row applies. @maxItems 7 */
  levels: ExplainedLevelView[];

  /** Every product of the catalogue, those offered first. */
  products: ExplainedProductView[];
}
