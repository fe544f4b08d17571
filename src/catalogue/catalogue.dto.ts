import { ApiSchema } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, Matches, Max, Min } from 'class-validator';
import { IsDay, IsOptionalText, IsText } from '../platform/http/field-rules.js';
import type { VersionState } from './versions/catalogue-version.entity.js';
import { DiffView, PriceSummaryView } from './catalogue-diff.dto.js';
import { ProblemBody } from '../platform/problems/problem.dto.js';

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
   * `draft`: waits for a person; `active`: live, answers every check; `retired`: was live before.
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

  /** The guard rails that it broke in that comparison. @maxItems 10 */
  rails: RailView[];

  /** The earlier version whose content this version restores. @example 5 */
  contentOf: number | null;

  /** Who imported it. @maxLength 120 @example "Sam Sales" */
  createdBy: string;

  /** UTC. */
  createdAt: Date;

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
  @IsText(200)
  accept?: string;
}

const aPercentage = {
  message: 'Enter a percentage from -100 to 1,000 with up to 3 decimals, such as 3 or -2.5.',
};
const aStep = {
  message: 'Enter an amount above 0, up to 1,000,000, with up to 4 decimals, such as 0.50.',
};
const aFloor = {
  message: 'Enter an amount from 0 to 1,000,000 with up to 4 decimals, such as 100.',
};

/** The fields of an upload beside its files: all are texts. */
export class UploadOptions {
  @IsOptionalText(120)
  label?: string;

  @IsOptional()
  @IsIn(['true', 'false'], { message: 'Must be true or false.' })
  dryRun?: 'true' | 'false';

  @IsOptional()
  @IsIn(['stay', 'activate'], { message: 'Must be stay or activate.' })
  then?: 'stay' | 'activate';

  @IsOptional()
  @IsText(200)
  accept?: string;

  @IsOptional()
  @Matches(/^(?:live|[1-9]\d{0,8})$/, { message: 'Must be live, or the number of a version.' })
  base?: string;
}

@ApiSchema({ description: 'A change of prices by a percentage.' })
export class AdjustmentBody {
  /**
   * Added to each monthly price, in per cent, with up to three decimals: -12 is 12 % less, 0 leaves it.
   * @minimum -100 @maximum 1000 @example 3
   */
  @IsNumber({ maxDecimalPlaces: 3 }, aPercentage)
  @Min(-100, aPercentage)
  @Max(1_000, aPercentage)
  percent: number;

  /** Changes the rows of this price list only. A derived list follows its base. @kind priceList */
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9-]{0,31}$/, { message: 'Enter the name of a price list.' })
  priceList?: string;

  /**
   * Changes products only whose code starts with this.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$ @maxLength 32 @example "ETH-"
   */
  @IsOptional()
  @Matches(/^[A-Z0-9][A-Z0-9-]{0,31}$/, {
    message:
      'Enter the start of a product code: capital letters, digits and hyphens, such as ETH-.',
  })
  product?: string;

  /** Changes prices in this zone only. @kind zone */
  @IsOptional()
  @Matches(/^[A-Z0-9][A-Z0-9-]{0,31}$/, { message: 'Enter a zone.' })
  zone?: string;

  /**
   * Rounds half up to a multiple of this, in units of the currency; to the minor unit if left out.
   * @minimum 0.0001 @maximum 1000000 @example 0.5
   */
  @IsOptional()
  @IsNumber({ maxDecimalPlaces: 4 }, aStep)
  @Min(0.0001, aStep)
  @Max(1_000_000, aStep)
  roundTo?: number;

  /**
   * The lowest adjusted monthly price, in units of the currency.
   * @minimum 0 @maximum 1000000 @example 100
   */
  @IsOptional()
  @IsNumber({ maxDecimalPlaces: 4 }, aFloor)
  @Min(0, aFloor)
  @Max(1_000_000, aFloor)
  floor?: number;

  /**
   * Added to each set-up price, in per cent: -100 makes set-up free, also where no set-up price is stated. They stay if
   * it is left out. @minimum -100 @maximum 1000 @example -100
   */
  @IsOptional()
  @IsNumber({ maxDecimalPlaces: 3 }, aPercentage)
  @Min(-100, aPercentage)
  @Max(1_000, aPercentage)
  setupPercent?: number;

  /** The first day, in London; from the beginning if left out. @format date @example "2026-12-01" */
  @IsOptional()
  @IsDay()
  from?: string;

  /** The last day, in London; without end if left out. @format date @example "2026-12-31" */
  @IsOptional()
  @IsDay()
  until?: string;

  /** A name for the version; by default the change in words. @maxLength 120 @example "December rise" */
  @IsOptionalText(120)
  label?: string;

  /** The version whose prices change: the active one, if left out, or a draft prepared from it. @example 8 */
  @IsOptional()
  @IsInt({ message: 'Enter the number of a version.' })
  @Min(1, { message: 'Enter the number of a version.' })
  base?: number;

  /** Only reports what would change; false if left out. @example false */
  @IsOptional()
  @IsBoolean({ message: 'Must be true or false.' })
  dryRun?: boolean;
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

@ApiSchema({ description: 'What dates of rows change on one day, compared with the day before.' })
export class CalendarDayView {
  /** The day, in London. @format date @example "2027-01-01" */
  day: string;

  /** Monthly prices, those of derived lists included. */
  prices: PriceSummaryView;

  /** Set-up prices. */
  setupPrices: PriceSummaryView;

  /** Number of prices with another lead time or basis. @example 0 */
  otherTerms: number;

  /** Zones that start to sell. @maxItems 65533 @maxLength 32 @example ["LONDON-PLANNED"] */
  zonesOpened: string[];

  /** Zones that sell no more. @maxItems 65533 @maxLength 32 @example [] */
  zonesClosed: string[];
}

@ApiSchema({ description: 'One catalogue version, and what its dates change.' })
export class DatedVersionView extends VersionView {
  /** The days to come on which dates of its rows change something, ascending. @maxItems 1000 */
  calendar: CalendarDayView[];
}

@ApiSchema({ description: 'What an import found and did.' })
export class ImportView {
  /**
   * `dry-run`: nothing was stored; `no-change`: the active version has the same content; `draft`:
   * stored, also if a guard rail stopped its activation; `active`: live.
   * @example "draft"
   */
  outcome: 'dry-run' | 'no-change' | 'draft' | 'active';

  /** The new version, or the active one with the same content; null in a dry run. @example 7 */
  version: number | null;

  /** The version that it was compared with; null if none was active. @example 6 */
  comparedWith: number | null;

  /** The guard rails that it breaks. @maxItems 10 */
  rails: RailView[];

  /** What is unusual, but not a fault. @maxItems 17 */
  warnings: WarningView[];

  /** Null if no version was active to compare with. */
  diff: DiffView | null;

  /** The days to come on which dates of its rows change something. @maxItems 1000 */
  calendar: CalendarDayView[];
}

@ApiSchema({ description: 'A guard rail stops the change until a person gives a reason for it.' })
export class GuardRailProblem extends ProblemBody {
  /** The broken guard rails. @maxItems 10 */
  rails: RailView[];
}

@ApiSchema({ description: 'One fault in a catalogue file.' })
export class CatalogueFault {
  /** The file's name. @maxLength 255 @example "prices.csv" */
  file: string;

  /** The line, counted from 1. @kind count @example 7 */
  line: number;

  /** The column; empty if the whole line is at fault. @maxLength 80 @example "price" */
  column: string;

  /** The faulty value, cut to 80 characters. @maxLength 81 @example "55O" */
  value: string;

  /** What is wrong. @maxLength 500 @example "Must be an amount with at most two decimals." */
  reason: string;

  /** How to fix it; may be empty. @maxLength 500 @example "Write e.g. 549.99." */
  suggestion: string;
}

@ApiSchema({ description: 'The files have faults; nothing was imported.' })
export class CatalogueRejectedProblem extends ProblemBody {
  /** Number of faults. @kind count */
  total: number;

  /** The first 1,000, by file and line. @maxItems 1000 */
  faults: CatalogueFault[];
}
