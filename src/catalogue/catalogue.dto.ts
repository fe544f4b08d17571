import { ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsDate,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { toInstant } from '../kernel/instant.js';
import { IsOptionalUprn } from '../http/is-uprn.js';
import type { PlaceLevel } from '../kernel/postcode.js';
import type { Network } from './content/offer-fields.js';
import type { ExplainedLevel } from './content/explain.js';
import type { PremisesChangeKind } from './content/premises-diff.js';
import type { PriceBasis } from './content/cells.js';
import type { VersionState } from './versions/catalogue-version.entity.js';

/** Extended by every view of a product. */
export class NamedProduct {
  /** What an order takes as `productCode`. @kind product */
  productCode: string;

  /** Descriptive product name. @maxLength 120 @example "1G Internet on a 10G bearer" */
  name: string;
}

@ApiSchema({ description: 'A guard rail that a version breaks.' })
export class RailView {
  /** Its name. @pattern ^[a-z]+(-[a-z]+)*$ @maxLength 32 @example "price-moved" */
  rail: string;

  /**
   * What breaks it, in a sentence.
   * @maxLength 500
   * @example "1 price moves by more than 30 %, most of all INT-1G-12 in LONDON-ONNET (standard): +50.0 %."
   */
  detail: string;
}

@ApiSchema({ description: 'One catalogue version, without its content.' })
export class VersionView {
  /** Only ever increases; the active version need not have the highest number. @example 7 */
  number: number;

  /**
   * `draft`: waits for a person; `scheduled`: goes live at `activatesAt`; `active`: live, answers
   * every check; `retired`: was live before.
   * @example "active"
   */
  state: VersionState;

  /** A name to recognise it by. @maxLength 120 @example "November rate card" */
  label: string;

  /** Number of products. @example 48 */
  products: number;

  /** Number of prices. @example 218 */
  prices: number;

  /** Number of coverage rows. @example 3819 */
  places: number;

  /** Number of listed premises. @example 0 */
  premises: number;

  /**
   * SHA-256 of the content. Versions with the same content have the same hash.
   * @pattern ^[0-9a-f]{64}$
   * @maxLength 64
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  contentHash: string;

  /** The version that was active at the import, and compared with it. @example 6 */
  comparedWith: number | null;

  /** The guard rails that it broke in that comparison. @maxItems 7 */
  rails: RailView[];

  /** The earlier version whose content this version restores. @example 5 */
  contentOf: number | null;

  /** Who imported it. @maxLength 120 @example "Sam Sales" */
  createdBy: string;

  /** UTC. */
  createdAt: Date;

  /** When a scheduled version goes live. @example "2026-12-01T00:00:00.000Z" */
  activatesAt: Date | null;

  /** When it went live, UTC. @example "2026-11-21T10:00:00.000Z" */
  activatedAt: Date | null;

  /** When it was retired, UTC. @example "2026-12-01T00:00:00.000Z" */
  retiredAt: Date | null;
}

@ApiSchema({ description: 'All catalogue versions, newest first.' })
export class VersionList {
  /** Newest first. */
  items: VersionView[];
}

@ApiSchema({ description: 'The reason why a change may pass a guard rail.' })
export class AcceptBody {
  /**
   * The reason for a change that a guard rail stops. The audit trail keeps it.
   * @example "New rate card, approved by A. Lovelace"
   */
  @IsOptional()
  @IsString({ message: 'Must be text.' })
  @MinLength(1, { message: 'Must not be empty.' })
  @MaxLength(200, { message: 'Must have at most 200 characters.' })
  accept?: string;
}

@ApiSchema({ description: 'When a version goes live.' })
export class ScheduleBody extends AcceptBody {
  /**
   * When the version goes live on all instances. At least 5 seconds ahead.
   * @example "2026-12-01T00:00:00Z"
   */
  @Transform(toInstant)
  @IsDate({ message: 'Must be an instant such as 2026-12-01T00:00:00Z.' })
  at: Date;
}

@ApiSchema({ description: 'A change of prices by a percentage.' })
export class AdjustmentBody {
  /**
   * Added to each price, in per cent, with up to three decimals: -12 is 12 % less.
   * @minimum -100 @maximum 1000 @example 3
   */
  @IsNumber({ maxDecimalPlaces: 3 }, { message: 'Must be a number with up to 3 decimals.' })
  @Min(-100, { message: 'Must be at least -100.' })
  @Max(1_000, { message: 'Must be at most 1000.' })
  percent: number;

  /** Changes the rows of this price list only. A derived list follows its base. @kind priceList */
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9-]{0,31}$/, { message: 'Must be the name of a price list.' })
  priceList?: string;

  /**
   * Changes products only whose code starts with this.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$ @maxLength 32 @example "ETH-"
   */
  @IsOptional()
  @Matches(/^[A-Z0-9][A-Z0-9-]{0,31}$/, { message: 'Must be the start of a product code.' })
  product?: string;

  /** Changes prices in this zone only. @kind zone */
  @IsOptional()
  @Matches(/^[A-Z0-9][A-Z0-9-]{0,31}$/, { message: 'Must be a zone.' })
  zone?: string;

  /**
   * Rounds half up to a multiple of this, in units of the currency; to the minor unit if left out.
   * @minimum 0.0001 @maximum 1000000 @example 0.5
   */
  @IsOptional()
  @IsNumber({ maxDecimalPlaces: 4 }, { message: 'Must be a number with up to 4 decimals.' })
  @Min(0.0001, { message: 'Must be more than 0.' })
  @Max(1_000_000, { message: 'Must be at most 1000000.' })
  roundTo?: number;

  /**
   * The lowest adjusted monthly price, in units of the currency.
   * @minimum 0 @maximum 1000000 @example 100
   */
  @IsOptional()
  @IsNumber({ maxDecimalPlaces: 4 }, { message: 'Must be a number with up to 4 decimals.' })
  @Min(0, { message: 'Must not be negative.' })
  @Max(1_000_000, { message: 'Must be at most 1000000.' })
  floor?: number;

  /** Whether set-up prices change too; false if left out. @example false */
  @IsOptional()
  @IsBoolean({ message: 'Must be true or false.' })
  setup?: boolean;

  /** A name for the version; by default the change in words. @maxLength 120 @example "December rise" */
  @IsOptional()
  @IsString({ message: 'Must be text.' })
  @MaxLength(120, { message: 'Must have at most 120 characters.' })
  label?: string;

  /** The version whose prices change: the active one, if left out, or a draft prepared from it. @example 8 */
  @IsOptional()
  @IsInt({ message: 'Must be the number of a version.' })
  @Min(1, { message: 'Must be the number of a version.' })
  base?: number;

  /** Only reports what would change; false if left out. @example false */
  @IsOptional()
  @IsBoolean({ message: 'Must be true or false.' })
  dryRun?: boolean;
}

export class DiffQuery {
  /** The version to compare with; the active one if left out. @example 6 */
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'Must be the number of a version.' })
  @Min(1, { message: 'Must be the number of a version.' })
  from?: number;
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

  /**
   * Explains the answer at this instant; now if left out.
   * @example "2026-11-21T09:30:00Z"
   */
  @IsOptional()
  @Transform(toInstant)
  @IsDate({ message: 'Must be an instant such as 2026-11-21T09:30:00Z.' })
  at?: Date;
}

@ApiSchema({ description: 'How many postcodes or places changed.' })
export class ChangeCountsView {
  /** Nothing was sold there before. @example 120 */
  gained: number;

  /** Nothing is sold there any more. @example 0 */
  lost: number;

  /** Sold before and after, in another zone. @example 14 */
  moved: number;
}

@ApiSchema({ description: 'How many postcodes of one area changed.' })
export class AreaChangesView extends ChangeCountsView {
  /** The area. @pattern ^[A-Z]{1,2}$ @maxLength 2 @example "EC" */
  area: string;
}

@ApiSchema({ description: 'A place whose zone changed.' })
export class PlaceChangeView {
  /**
   * `unit`, `sector`, `subdistrict`, `district` or `area`, from the smallest place to the largest.
   * @example "unit"
   */
  level: PlaceLevel;

  /** The canonical name of the place. @maxLength 8 @example "EC2A 2BS" */
  place: string;

  /**
   * `gained`: nothing was sold there; `lost`: nothing is sold any more; `moved`: another zone.
   * @example "moved"
   */
  change: 'gained' | 'lost' | 'moved';

  /** Null where nothing was sold. @kind zone @example "LONDON-NEARNET" */
  from: string | null;

  /** Null where nothing is sold. @kind zone */
  to: string | null;
}

@ApiSchema({ description: 'The whole places that changed.' })
export class PlaceChangesView extends ChangeCountsView {
  /** The first 1,000. @maxItems 1000 */
  list: PlaceChangeView[];
}

@ApiSchema({ description: 'A listed building or unit that changed.' })
export class PremisesChangeView {
  /** Its UPRN. @kind uprn */
  uprn: string;

  /** In canonical form. @kind postcode */
  postcode: string;

  /**
   * `gained`, `lost` and `moved` change what is sold there; `listed`, `unlisted` and `renamed` leave the
   * zone as it is.
   * @example "gained"
   */
  change: PremisesChangeKind;

  /** Zone before; null where nothing was sold. @kind zone */
  from: string | null;

  /** Zone after; null where nothing is sold. @kind zone */
  to: string | null;
}

@ApiSchema({ description: 'The listed premises that changed.' })
export class PremisesChangesView extends ChangeCountsView {
  /** Listed from now on, in the zone that their postcode had. @example 40 */
  listed: number;

  /** No longer listed, and their postcode has their zone. @example 0 */
  unlisted: number;

  /** With another name. @example 2 */
  renamed: number;

  /** The first 1,000, by postcode, then UPRN. @maxItems 1000 */
  list: PremisesChangeView[];
}

@ApiSchema({ description: 'The postcodes that changed.' })
export class PostcodeChangesView extends PlaceChangesView {
  /** Postcodes in which something was sold. @example 1745849 */
  coveredBefore: number;

  /** Postcodes in which something is sold. @example 1745969 */
  coveredAfter: number;

  /** By area. @maxItems 126 */
  byArea: AreaChangesView[];
}

@ApiSchema({ description: 'The products that changed.' })
export class ProductChangesView {
  /** Codes of new products. @kind product */
  added: string[];

  /** Codes of removed products. @kind product @example ["INT-100M-36"] */
  removed: string[];

  /** Codes of products that changed. @kind product @example ["INT-10G-60"] */
  changed: string[];
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

@ApiSchema({ description: 'A price that was added, removed or changed.' })
export class PriceChangeView extends PickType(NamedProduct, ['productCode']) {
  /** The zone. @kind zone */
  zone: string;

  /** The price list. @kind priceList */
  priceList: string;

  /** Null for a new price. */
  before: TermsView | null;

  /** Null for a removed price. */
  after: TermsView | null;

  /** The change in per cent; null for a new or removed price. @example 50 */
  percent: number | null;
}

@ApiSchema({ description: 'The prices that changed.' })
export class PriceChangesView {
  /** Number of changes. */
  count: number;

  /** The first 1,000. @maxItems 1000 */
  list: PriceChangeView[];
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
}

@ApiSchema({ description: 'A row of zones.csv that was added, removed or changed.' })
export class ZoneChangeView {
  /** Null for a new row. */
  before: ZoneView | null;

  /** Null for a removed row. */
  after: ZoneView | null;
}

@ApiSchema({ description: 'The rows of zones.csv that changed.' })
export class ZoneChangesView {
  /** Number of changes. */
  count: number;

  /** The first 1,000. @maxItems 1000 */
  list: ZoneChangeView[];
}

@ApiSchema({ description: 'A price list that is derived from another one.' })
export class PriceListView {
  /** The price list. @kind priceList @example "partner-gold" */
  priceList: string;

  /** The list from which its prices derive. @kind priceList */
  basedOn: string;

  /** Added to the monthly price, in per cent. @minimum -100 @maximum 1000 @example -12 */
  percent: number;

  /** Prices are rounded half up to a multiple of this, in units of the currency; null: to the minor unit. @example 0.5 */
  roundTo: number | null;
}

@ApiSchema({ description: 'A derived price list that was added, removed or changed.' })
export class PriceListChangeView {
  /** Null for a new list. */
  before: PriceListView | null;

  /** Null for a removed list. */
  after: PriceListView | null;
}

@ApiSchema({ description: 'The derived price lists that changed.' })
export class PriceListChangesView {
  /** Number of changes. */
  count: number;

  /** The first 1,000. @maxItems 1000 */
  list: PriceListChangeView[];
}

@ApiSchema({ description: 'What changes for clients from one version to another.' })
export class DiffView {
  /** Whether every answer stays the same. */
  noChange: boolean;

  /** Whether the postcode register was loaded: `postcodes` then counts those in whole places. */
  register: boolean;

  /** Postcodes with their own row and, with the register, every postcode in use. */
  postcodes: PostcodeChangesView;

  /** Rows of whole sectors, subdistricts, districts and areas. */
  places: PlaceChangesView;

  /** Premises of `premises.csv`. */
  premises: PremisesChangesView;

  /** Products that were added, removed or changed. */
  products: ProductChangesView;

  /** Biggest changes first. */
  prices: PriceChangesView;

  /** Lead times, biggest changes first. */
  leadTimes: PriceChangesView;

  /** Set-up prices, biggest changes first. */
  setupPrices: PriceChangesView;

  /** Bases, and whether extra charges are possible. */
  bases: PriceChangesView;

  /** Rows of zones.csv. */
  zones: ZoneChangesView;

  /** Rows of price_lists.csv. The prices that they change are in `prices`. */
  priceLists: PriceListChangesView;
}

@ApiSchema({ description: 'Two versions, and what changes from one to the other.' })
export class VersionDiff {
  /** The earlier version. @example 6 */
  from: number;

  /** The later version. @example 7 */
  to: number;

  /** The changes. */
  diff: DiffView;
}

@ApiSchema({ description: 'All that one lint rule found.' })
export class WarningView {
  /** Its name. @pattern ^[a-z]+(-[a-z]+)*$ @maxLength 32 @example "longer-term-dearer" */
  rule: string;

  /** Number of findings. @example 3 */
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
   * `dry-run`: nothing was stored; `no-change`: the active version has the same content; `draft`:
   * stored, also if a guard rail stopped its activation or schedule; `scheduled`: goes live later;
   * `active`: live.
   * @example "draft"
   */
  outcome: 'dry-run' | 'no-change' | 'draft' | 'scheduled' | 'active';

  /** The new version, or the active one with the same content; null in a dry run. @example 7 */
  version: number | null;

  /** The version that it was compared with; null if none was active. @example 6 */
  comparedWith: number | null;

  /** The guard rails that it breaks. @maxItems 7 */
  rails: RailView[];

  /** What is unusual, but not a fault. @maxItems 12 */
  warnings: WarningView[];

  /** Null if no version was active to compare with. */
  diff: DiffView | null;
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
export class ExplainedPriceView extends IntersectionType(
  PickType(PriceChangeView, ['priceList']),
  PickType(TermsView, [
    'price',
    'currency',
    'leadTimeDays',
    'setupPrice',
    'basis',
    'extraChargesPossible',
  ]),
) {
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

  /** Its prices there on the price list, on the lists that it is based on, and on `standard`. @maxItems 1000 */
  prices: ExplainedPriceView[];
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

  /** Why, in a sentence. @maxLength 200 @example "The area EC is in the zone LONDON-ONNET." */
  reason: string;

  /**
   * The month in which Royal Mail withdrew the postcode, if the register is loaded.
   * @pattern ^[0-9]{4}-[0-9]{2}$
   * @maxLength 7
   * @example "2019-06"
   */
  terminated: string | null;

  /** Most specific first: the first with a row applies. @maxItems 7 */
  levels: ExplainedLevelView[];

  /** Every product of the catalogue, those offered first. */
  products: ExplainedProductView[];
}
