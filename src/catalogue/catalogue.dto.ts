import { ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsDate, IsInt, IsOptional, IsString, MaxLength, Min, MinLength } from 'class-validator';
import { toInstant } from '../kernel/instant.js';
import type { PlaceLevel } from '../kernel/postcode.js';
import type { VersionState } from './versions/catalogue-version.entity.js';

/** Extended by every view of a product. */
export class NamedProduct {
  /**
   * What an order takes as `productCode`.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @maxLength 32
   * @example "INT-1G-12"
   */
  productCode: string;

  /**
   * Descriptive product name.
   * @maxLength 120
   * @example "1G Internet on a 10G bearer"
   */
  name: string;
}

@ApiSchema({ description: 'A guard rail that a version breaks.' })
export class RailView {
  /**
   * Which one.
   * @pattern ^[a-z]+(-[a-z]+)*$
   * @maxLength 32
   * @example "price-moved"
   */
  rail: string;

  /**
   * What breaks it.
   * @maxLength 500
   * @example "1 price moves by more than 30 %, most of all INT-1G-12 in LONDON-ONNET (standard): +50.0 %."
   */
  detail: string;
}

@ApiSchema({ description: 'One catalogue version, without its content.' })
export class VersionView {
  /**
   * Upwards only; the version with the highest number is not always the active one.
   * @example 7
   */
  number: number;

  /**
   * `draft`: waits for a person; `scheduled`: waits for its instant; `active`: in service;
   * `retired`: was in service before.
   * @example "active"
   */
  state: VersionState;

  /**
   * The name that its importer gave it.
   * @maxLength 120
   * @example "November rate card"
   */
  label: string;

  /**
   * How many products.
   * @example 48
   */
  products: number;

  /**
   * How many rows of prices.
   * @example 218
   */
  prices: number;

  /**
   * Rows of coverage.
   * @example 3819
   */
  places: number;

  /**
   * SHA-256 of the content: equal content, equal hash.
   * @pattern ^[0-9a-f]{64}$
   * @maxLength 64
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  contentHash: string;

  /**
   * The version that it was compared with at its import.
   * @example 6
   */
  comparedWith: number | null;

  /**
   * The guard rails that it broke then.
   * @maxItems 4
   */
  rails: RailView[];

  /**
   * The earlier version whose content a rollback has brought back with this one.
   * @example 5
   */
  contentOf: number | null;

  /**
   * Who imported it.
   * @maxLength 120
   * @example "Sam Sales"
   */
  createdBy: string;

  /** UTC. */
  createdAt: Date;

  /**
   * When a scheduled version becomes active.
   * @example "2026-12-01T00:00:00.000Z"
   */
  activatesAt: Date | null;

  /**
   * When it went into service, UTC.
   * @example "2026-11-21T10:00:00.000Z"
   */
  activatedAt: Date | null;

  /**
   * When it went out of service, UTC.
   * @example "2026-12-01T00:00:00.000Z"
   */
  retiredAt: Date | null;
}

@ApiSchema({ description: 'All catalogue versions, newest first.' })
export class VersionList {
  /** Newest first. */
  items: VersionView[];
}

@ApiSchema({ description: 'The word that lets a change pass a guard rail.' })
export class AcceptBody {
  /**
   * Says why a change that a guard rail stops is meant; it is kept in the audit trail.
   * @example "New rate card, approved by A. Lovelace"
   */
  @IsOptional()
  @IsString({ message: 'Must be text.' })
  @MinLength(1, { message: 'Must not be empty.' })
  @MaxLength(200, { message: 'Must have at most 200 characters.' })
  accept?: string;
}

@ApiSchema({ description: 'When a version becomes active.' })
export class ScheduleBody extends AcceptBody {
  /**
   * When the version becomes active on all instances: at least 5 seconds ahead.
   * @example "2026-12-01T00:00:00Z"
   */
  @Transform(toInstant)
  @IsDate({ message: 'Must be an instant such as 2026-12-01T00:00:00Z.' })
  at: Date;
}

export class DiffQuery {
  /**
   * The version to compare with; the active one if left out.
   * @example 6
   */
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'Must be the number of a version.' })
  @Min(1, { message: 'Must be the number of a version.' })
  from?: number;
}

export class ExplainQuery {
  /**
   * An API client's id or name: the answer is explained with its price list.
   * @example "Example Reseller"
   */
  @IsOptional()
  @IsString({ message: 'Must be given once, as text.' })
  @MaxLength(120, { message: 'Must have at most 120 characters.' })
  client?: string;

  /**
   * Explains the answer as it was at this instant; now if left out.
   * @example "2026-11-21T09:30:00Z"
   */
  @IsOptional()
  @Transform(toInstant)
  @IsDate({ message: 'Must be an instant such as 2026-11-21T09:30:00Z.' })
  at?: Date;
}

@ApiSchema({ description: 'How many postcodes or places changed.' })
export class ChangeCountsView {
  /**
   * Nothing was sold there, now something is.
   * @example 120
   */
  gained: number;

  /**
   * Nothing is sold there any more.
   * @example 0
   */
  lost: number;

  /**
   * To another zone.
   * @example 14
   */
  moved: number;
}

@ApiSchema({ description: 'How many postcodes of one area changed.' })
export class AreaChangesView extends ChangeCountsView {
  /**
   * The area.
   * @pattern ^[A-Z]{1,2}$
   * @maxLength 2
   * @example "EC"
   */
  area: string;
}

@ApiSchema({ description: 'A place whose zone is another one.' })
export class PlaceChangeView {
  /**
   * `unit`, `sector`, `subdistrict`, `district` or `area`, from the smallest place to the largest.
   * @example "unit"
   */
  level: PlaceLevel;

  /**
   * The canonical name of the place.
   * @maxLength 8
   * @example "EC2A 2BS"
   */
  place: string;

  /**
   * `gained`: nothing was sold there; `lost`: nothing is any more; `moved`: another zone.
   * @example "moved"
   */
  change: 'gained' | 'lost' | 'moved';

  /**
   * Null where nothing was sold.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @maxLength 32
   * @example "LONDON-NEARNET"
   */
  from: string | null;

  /** Null where nothing is sold. @kind zone */
  to: string | null;
}

@ApiSchema({ description: 'The postcodes that changed.' })
export class PostcodeChangesView extends ChangeCountsView {
  /**
   * Postcodes in which something was sold.
   * @example 1745849
   */
  coveredBefore: number;

  /**
   * Postcodes in which something is sold.
   * @example 1745969
   */
  coveredAfter: number;

  /**
   * By area.
   * @maxItems 126
   */
  byArea: AreaChangesView[];

  /**
   * The first 1,000.
   * @maxItems 1000
   */
  list: PlaceChangeView[];
}

@ApiSchema({ description: 'The whole places that changed.' })
export class PlaceChangesView extends ChangeCountsView {
  /**
   * The first 1,000.
   * @maxItems 1000
   */
  list: PlaceChangeView[];
}

@ApiSchema({ description: 'The products that changed.' })
export class ProductChangesView {
  /**
   * Codes.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @maxLength 32
   * @example ["INT-1G-12"]
   */
  added: string[];
  /**
   * Codes of those that are gone.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @maxLength 32
   * @example ["INT-100M-36"]
   */
  removed: string[];
  /**
   * Codes of those whose name, bandwidth or term is another one.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @maxLength 32
   * @example ["INT-10G-60"]
   */
  changed: string[];
}

@ApiSchema({ description: 'A price and a lead time.' })
export class TermsView {
  /**
   * A month, excluding VAT, in units of the currency.
   * @example 550
   */
  price: number;

  /**
   * ISO 4217 code.
   * @pattern ^[A-Z]{3}$
   * @maxLength 3
   * @example "GBP"
   */
  currency: string;

  /**
   * Lead time, in calendar days.
   * @example 84
   */
  leadTimeDays: number;
}

@ApiSchema({ description: 'A row of prices that came, went or changed.' })
export class PriceChangeView extends PickType(NamedProduct, ['productCode']) {
  /** The zone. @kind zone */
  zone: string;

  /**
   * The price list.
   * @pattern ^[a-z0-9][a-z0-9-]*$
   * @maxLength 32
   * @example "standard"
   */
  priceList: string;

  /** Null where the row is new. */
  before: TermsView | null;
  /** Null where the row is gone. */
  after: TermsView | null;

  /**
   * The move of the price; null where the row came or went.
   * @example 50
   */
  percent: number | null;
}

@ApiSchema({ description: 'The rows of prices that changed.' })
export class PriceChangesView {
  /** How many. */
  count: number;

  /**
   * The first 1,000.
   * @maxItems 1000
   */
  list: PriceChangeView[];
}

@ApiSchema({ description: 'What changes for clients from one version to another.' })
export class DiffView {
  /** Whether every answer stays as it is. */
  noChange: boolean;

  /**
   * Whether the register of live postcodes is loaded, so that those in whole places are counted.
   */
  register: boolean;

  /** Postcodes with a row of their own and, with the register, every live one. */
  postcodes: PostcodeChangesView;

  /** Rows of whole sectors, subdistricts, districts and areas. */
  places: PlaceChangesView;

  /** Products that came, went or changed. */
  products: ProductChangesView;

  /** Biggest moves first. */
  prices: PriceChangesView;

  /** Lead times, biggest moves first. */
  leadTimes: PriceChangesView;
}

@ApiSchema({ description: 'Two versions, and what changes from one to the other.' })
export class VersionDiff {
  /**
   * The version before.
   * @example 6
   */
  from: number;

  /**
   * The version after.
   * @example 7
   */
  to: number;

  /** What changes. */
  diff: DiffView;
}

@ApiSchema({ description: 'All that one lint rule found.' })
export class WarningView {
  /**
   * The name of the rule.
   * @pattern ^[a-z]+(-[a-z]+)*$
   * @maxLength 32
   * @example "longer-term-dearer"
   */
  rule: string;

  /**
   * How many.
   * @example 3
   */
  count: number;

  /**
   * The first 20.
   * @maxItems 20
   * @maxLength 300
   * @example ["INT-1G-36 costs 560 GBP, INT-1G-12 only 550 GBP in LONDON-ONNET (standard)"]
   */
  examples: string[];
}

@ApiSchema({ description: 'What an import found and did.' })
export class ImportView {
  /**
   * `dry-run`: nothing was stored; `no-change`: the active version says the same; `draft`: stored, or
   * stopped by a guard rail where more was asked for; `scheduled`: waits for its instant; `active`: in
   * service.
   * @example "draft"
   */
  outcome: 'dry-run' | 'no-change' | 'draft' | 'scheduled' | 'active';

  /**
   * The version that was made, or that has the same content already; null in a dry run.
   * @example 7
   */
  version: number | null;

  /**
   * The version that it was compared with; null where none was active.
   * @example 6
   */
  comparedWith: number | null;

  /**
   * The guard rails that it breaks.
   * @maxItems 4
   */
  rails: RailView[];

  /**
   * What is odd about it, but no fault.
   * @maxItems 9
   */
  warnings: WarningView[];

  /** Null where nothing was active to compare with. */
  diff: DiffView | null;
}

@ApiSchema({ description: 'A place that contains the postcode, and what its row says.' })
export class ExplainedLevelView {
  /**
   * `unit`, `sector`, `subdistrict`, `district` or `area`, from the smallest place to the largest.
   * @example "area"
   */
  level: PlaceLevel;

  /**
   * The canonical name of the place.
   * @maxLength 8
   * @example "EC"
   */
  place: string;

  /**
   * `-` excludes; null where there is no row.
   * @pattern ^(-|[A-Z0-9][A-Z0-9-]*)$
   * @maxLength 32
   * @example "LONDON-ONNET"
   */
  zone: string | null;

  /**
   * Whether this row decides.
   * @example true
   */
  decides: boolean;
}

@ApiSchema({ description: 'A row of prices that has a say.' })
export class ExplainedPriceView extends IntersectionType(
  PickType(PriceChangeView, ['priceList']),
  PickType(TermsView, ['price', 'currency', 'leadTimeDays']),
) {
  /**
   * Whether this row decides.
   * @example true
   */
  decides: boolean;
}

@ApiSchema({ description: 'A product, and why it is offered or not.' })
export class ExplainedProductView extends PickType(NamedProduct, ['productCode', 'name']) {
  /**
   * Whether it can be ordered there.
   * @example true
   */
  offered: boolean;

  /**
   * Why, in a sentence.
   * @maxLength 200
   * @example "Its price in LONDON-ONNET is on standard."
   */
  reason: string;

  /**
   * The rows of prices there: of the price list, and of the standard one.
   * @maxItems 2
   */
  prices: ExplainedPriceView[];
}

@ApiSchema({ description: 'Why a postcode has the answer that it has.' })
export class ExplanationView {
  /** The postcode, in canonical form. @kind postcode */
  postcode: string;

  /**
   * The version that answers.
   * @example 7
   */
  catalogueVersion: number;

  /**
   * The price list.
   * @maxLength 32
   * @example "standard"
   */
  priceList: string;

  /** Null where nothing is sold. @kind zone */
  zone: string | null;

  /**
   * Why, in a sentence.
   * @maxLength 200
   * @example "The area EC is in the zone LONDON-ONNET."
   */
  reason: string;

  /**
   * The month in which the postcode went out of use, where the register is loaded and says so.
   * @pattern ^[0-9]{4}-[0-9]{2}$
   * @maxLength 7
   * @example "2019-06"
   */
  terminated: string | null;

  /**
   * Most specific first: the first that has a row decides.
   * @maxItems 5
   */
  levels: ExplainedLevelView[];

  /** Every product of the catalogue, those offered first. */
  products: ExplainedProductView[];
}
