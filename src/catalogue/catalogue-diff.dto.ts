import { ApiSchema, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Min } from 'class-validator';
import type { PlaceLevel } from '../kernel/postcode.js';
import type { PremisesChangeKind } from './content/premises-diff.js';
import { NamedProduct, PriceListView, TermsView, ZoneView } from './catalogue-rows.dto.js';

export class DiffQuery {
  /** The version to compare with; the active one if left out. @example 6 */
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'Must be the number of a version.' })
  @Min(1, { message: 'Must be the number of a version.' })
  from?: number;
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
