import { ApiSchema } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Min } from 'class-validator';

export class DiffQuery {
  /** The version to compare with; the active one if left out. @example 6 */
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'Must be the number of a version.' })
  @Min(1, { message: 'Must be the number of a version.' })
  from?: number;
}

@ApiSchema({ description: 'How many postcodes of one area changed.' })
export class AreaChangesView {
  /** The area. @pattern ^[A-Z]{1,2}$ @maxLength 2 @example "EC" */
  area: string;

  /** Nothing was sold there before. @example 120 */
  gained: number;

  /** Nothing is sold there any more. @example 0 */
  lost: number;

  /** Sold before and after, in another zone. @example 14 */
  moved: number;
}

@ApiSchema({ description: 'How many changes are of one kind.' })
export class KindCountView {
  /**
   * Of places: `gained` (nothing was sold there), `lost` (nothing is sold any more) or `moved` (another
   * zone); premises also `listed`, `unlisted`, `constrained`, `relocated` and `renamed`, which leave the zone as it is. Of other rows:
   * `added`, `removed` or `changed`. @maxLength 20 @example "gained"
   */
  change: string;

  /** Number of changes. @example 120 */
  count: number;
}

@ApiSchema({ description: 'One change, as in the CSV file.' })
export class ListedChangeView {
  /** What changed: the level of a place, `premises`, `product`, or the column of a price. @maxLength 40 @example "price" */
  what: string;

  /** As in `kinds`. @maxLength 20 @example "changed" */
  change: string;

  /** The place, the UPRN with its postcode, the product, the zone or the price list. @maxLength 100 @example "INT-1G-12" */
  subject: string;

  /** The zone of a price; otherwise empty. @maxLength 64 @example "LONDON-ONNET" */
  zone: string;

  /** The price list of a price; otherwise empty. @maxLength 40 @example "standard" */
  priceList: string;

  /** The days on which a price changes; empty for all days. @maxLength 40 @example "2027-01-01 to 2027-01-31" */
  dates: string;

  /** The cell before; empty where there was none. @maxLength 4000 @example "550.00 GBP" */
  before: string;

  /** The cell after; empty where there is none. @maxLength 4000 @example "560.00 GBP" */
  after: string;

  /** The change of an amount in per cent; null where there is none. @example 1.8 */
  percent: number | null;
}

@ApiSchema({ description: 'Changes of prices in figures.' })
export class PriceSummaryView {
  /** Number of changes. @example 62 */
  count: number;

  /** Of these, prices where there was none before. @example 0 */
  added: number;

  /** Of these, prices that end. @example 0 */
  removed: number;

  /** The lowest change in per cent; null if no price has an amount before and after. @example -10 */
  least: number | null;

  /** The middle one. @example -10 */
  median: number | null;

  /** The highest one. @example -10 */
  most: number | null;
}

@ApiSchema({ description: 'The changes of prices on the same days.' })
export class ChangePeriodView extends PriceSummaryView {
  /** For people. `then back`: the other version has the same price again from the next day. @maxLength 80 @example "1 to 31 October 2027, then back" */
  days: string;
}

@ApiSchema({ description: 'The changes of one kind, biggest first where they are amounts.' })
export class ChangeListView {
  /**
   * `postcodes`, `places` (whole sectors, subdistricts, districts and areas), a field of prices (`prices`, `leadTimes`,
   * `setupPrices`, `bases`), or the rows of a file, by the name of its part in an upload: `premises`, `products`, `buildBands`.
   * @maxLength 40 @example "prices"
   */
  name: string;

  /** The same for people. @maxLength 60 @example "Prices" */
  heading: string;

  /** Number of changes. */
  count: number;

  /** Only kinds that occur. @maxItems 10 */
  kinds: KindCountView[];

  /** Of prices that change on some days only; otherwise empty. @maxItems 12 */
  periods: ChangePeriodView[];

  /** The first 1,000. @maxItems 1000 */
  changes: ListedChangeView[];
}

@ApiSchema({ description: 'What changes for clients from one version to another.' })
export class DiffView {
  /** Whether every answer stays the same. */
  noChange: boolean;

  /** Whether the postcode register was loaded: postcodes then include those in whole places. */
  register: boolean;

  /** Postcodes in which something was sold. @example 1745849 */
  coveredBefore: number;

  /** Postcodes in which something is sold. @example 1745969 */
  coveredAfter: number;

  /** Postcodes without coverage that got a price by distance before. @example 1900 */
  byDistanceBefore: number;

  /** Postcodes without coverage that get a price by distance. @example 2140 */
  byDistanceAfter: number;

  /** Postcodes within 25 m of a border of the map, in the later version: their buildings may be on the other side. @example 412 */
  borderPostcodes: number;

  /** Postcodes that changed, by area. @maxItems 126 */
  byArea: AreaChangesView[];

  /** One list for each kind of change, also those without changes. @maxItems 40 */
  lists: ChangeListView[];
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
