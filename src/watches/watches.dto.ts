import { ApiSchema } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsNumber,
  IsObject,
  IsOptional,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { MOST_POSTCODES } from '../platform/access/counting.js';
import { IsOptionalText, IsTextUpTo } from '../platform/http/field-rules.js';
import { PageOf } from '../platform/http/paging.js';
import { PageQuery } from '../platform/http/paging.dto.js';
import type { ProblemBody } from '../platform/problems/problem.dto.js';
import { type WatchState, watchStates } from './watch.entity.js';

@ApiSchema({
  description: 'What to wait for at a place: any product, or one that meets a condition.',
})
export class WatchRequest {
  /** The UPRN of premises at the postcode. @pattern ^[0-9]+$ @example "100023336956" */
  @IsOptional()
  @IsTextUpTo(256)
  uprn?: string;

  /** The client's own reference for this watch: one line. @kind clientReference */
  @IsOptionalText(64)
  reference?: string;

  /**
   * Only a product with at least this bandwidth provisioned, in Gbit/s; up to three decimals.
   * @minimum 0.001
   * @maximum 100000
   * @example 1
   */
  @IsOptional()
  @IsNumber({ maxDecimalPlaces: 3 }, { message: 'Must be a number of Gbit/s, such as 0.1.' })
  @Min(0.001, { message: 'Must be at least 0.001 Gbit/s.' })
  @Max(100_000, { message: 'Must be at most 100000 Gbit/s.' })
  minBandwidth?: number;

  /**
   * Only a product at up to this price a month, excluding VAT, in units of the offer's currency; up to
   * three decimals.
   * @minimum 0
   * @maximum 2147483647
   * @example 600
   */
  @IsOptional()
  @IsNumber({ maxDecimalPlaces: 3 }, { message: 'Must be an amount, such as 549.99.' })
  @Min(0, { message: 'Must be at least 0.' })
  @Max(2_147_483_647, { message: 'Must be at most 2147483647.' })
  maxPrice?: number;

  /**
   * Whether a product that the operator has to build to counts: a price by distance, if you see these. By default
   * it does not.
   * @example true
   */
  @IsOptional()
  @IsBoolean({ message: 'Must be true or false.' })
  includeBuild?: boolean;
}

@ApiSchema({ description: 'A place to watch.' })
export class WatchedPlace extends WatchRequest {
  /** In any case and spacing. @pattern ^[A-Za-z0-9\s]+$ @example "EC2A 2BS" */
  @IsTextUpTo(256)
  postcode: string;
}

@ApiSchema({ description: 'Places to watch.' })
export class WatchList {
  /** From 1 to 100 places. @maxItems 100 */
  @IsArray({ message: 'Must be a list of places.' })
  @ArrayMinSize(1, { message: 'Must have at least one place.' })
  @ArrayMaxSize(MOST_POSTCODES, { message: `Must have at most ${MOST_POSTCODES} places.` })
  @IsObject({ each: true, message: 'Each place must be an object.' })
  @ValidateNested({ each: true })
  @Type(() => WatchedPlace)
  places: WatchedPlace[];
}

@ApiSchema({ description: 'A watch as its API client sees it.' })
export class ClientWatch {
  /** Identifies the watch: a place that is watched again after it was served gets another id. @kind uuid */
  watchId: string;

  /** In canonical form: upper case, one space. @kind postcode */
  postcode: string;

  /** Of the premises; null for the postcode. @kind uprn */
  uprn: string | null;

  /** The client's own reference. @kind clientReference */
  reference: string | null;

  /** In Gbit/s; null for any. @minimum 0.001 @maximum 100000 @example 1 */
  minBandwidth: number | null;

  /** A month, excluding VAT; null for any. @minimum 0 @maximum 2147483647 @example 600 */
  maxPrice: number | null;

  /** Whether a price by distance counts. */
  includeBuild: boolean;

  /**
   * `open`: nothing at the place meets the condition yet; `served`: a product there did; `ended`: after 12
   * months without one.
   * @enumName WatchState
   * @example "open"
   */
  state: WatchState;

  /** When the place was first watched, UTC. */
  createdAt: Date;

  /** When an open watch ends, unless it is put again, or when an ended one did; null if it was served. */
  endsAt: Date | null;

  /** When it was served, UTC; null if it was not. */
  servedAt: Date | null;
}

export class WatchQuery extends PageQuery {
  /** Only watches that are `open`, were `served`, or have `ended`. @example "open" */
  @IsOptional()
  @IsIn(watchStates, { message: `Must be one of ${watchStates.join(', ')}.` })
  state?: 'open' | 'served' | 'ended';
}

export class WatchPlaceQuery {
  /** The UPRN of the premises, if the watch has one. @pattern ^[0-9]+$ @example "100023336956" */
  @IsOptional()
  @IsTextUpTo(256)
  uprn?: string;
}

@ApiSchema({ description: 'A page of the own watches.' })
export class ClientWatchPage extends PageOf(ClientWatch) {}

@ApiSchema({ description: 'The watches of many places.' })
export class ClientWatches {
  /**
   * One for each place, in the order of the request. Only a problem has a `code`.
   * @maxItems 100
   * @anyOf ClientWatch InvalidPostcodeProblem Problem
   */
  results: (ClientWatch | ProblemBody)[];
}
