import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsDate,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { toInstant } from '../common/instant.js';
import {
  type CancelReason,
  cancelReasons,
  type ContactChannel,
  contactChannels,
  type ContactResult,
  contactResults,
  type LostReason,
  lostReasons,
  type ScheduleReason,
  scheduleReasons,
} from '../orders/order-state.js';
import { FollowUpOrder } from './follow-up.dto.js';

const text = { message: 'Must be a text.' };
const notEmpty = { message: 'Must not be empty.' };
const aUuid = { message: 'Must be a UUID.' };
const oneOf = (words: readonly string[]) => ({ message: `Must be one of ${words.join(', ')}.` });
const longestNote = { message: 'Must have at most 2000 characters.' };
const aVersion = { message: 'Must be a whole number: the version of the order as it was seen.' };

/** A move of an order as the caller saw it. */
export class Seen {
  /**
   * `version` of the order as it was seen. Where it has another one now, nothing happens.
   * @example 0
   */
  @IsInt(aVersion)
  @Min(0, aVersion)
  version: number;
}

export class SeenWithNote extends Seen {
  /**
   * Shown in the timeline, and found by search.
   * @example "Reception says she is back on Monday."
   */
  @IsOptional()
  @IsString(text)
  @MaxLength(2000, longestNote)
  note?: string;
}

export class Assignment extends SeenWithNote {
  /**
   * The staff member who gets it.
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  @IsUUID('all', aUuid)
  ownerId: string;
}

export class HandOver extends Seen {
  /**
   * The staff member who gets it.
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  @IsUUID('all', aUuid)
  ownerId: string;

  /**
   * What the next person should know.
   * @example "Speaks French; asked for 36 months."
   */
  @IsString(text)
  @MinLength(1, notEmpty)
  @MaxLength(2000, longestNote)
  note: string;
}

export class ContactLog extends SeenWithNote {
  /** @example "phone" */
  @IsIn(contactChannels, oneOf(contactChannels))
  channel: ContactChannel;

  /** @example "no_answer" */
  @IsIn(contactResults, oneOf(contactResults))
  result: ContactResult;
}

export class Schedule extends SeenWithNote {
  /**
   * When it comes back; in the future.
   * @example "2026-11-23T10:00:00Z"
   */
  @Transform(toInstant)
  @IsDate({ message: 'Must be a time such as 2026-11-21T09:30:00Z.' })
  nextActionAt: Date;

  /** @example "callback_agreed" */
  @IsIn(scheduleReasons, oneOf(scheduleReasons))
  reason: ScheduleReason;
}

export class Reasoned extends Seen {
  /**
   * Why, in words.
   * @example "On holiday from tomorrow."
   */
  @IsString(text)
  @MinLength(1, notEmpty)
  @MaxLength(500, { message: 'Must have at most 500 characters.' })
  reason: string;
}

export class Win extends SeenWithNote {
  /**
   * The order's reference in another system.
   * @example "SF-88231"
   */
  @IsOptional()
  @IsString(text)
  @MaxLength(64, { message: 'Must have at most 64 characters.' })
  externalReference?: string;
}

export class Loss extends SeenWithNote {
  /**
   * `other` needs a note. By `not_serviceable` and `invalid_details` the API client sees a rejection.
   * @example "price"
   */
  @IsIn(lostReasons, oneOf(lostReasons))
  reason: LostReason;
}

export class Calloff extends SeenWithNote {
  /**
   * `other` needs a note.
   * @example "client_request"
   */
  @IsIn(cancelReasons, oneOf(cancelReasons))
  reason: CancelReason;
}

export class DuplicateMark extends SeenWithNote {
  /**
   * The order that it repeats: of the same API client, and not a duplicate itself.
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  @IsUUID('all', aUuid)
  of: string;
}

export class Note {
  /** @example "The riser is locked at weekends." */
  @IsString(text)
  @MinLength(1, notEmpty)
  @MaxLength(2000, longestNote)
  note: string;
}

/** An order as the caller saw it. */
export class SeenOrder {
  /** @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90" */
  @IsUUID('all', aUuid)
  orderId: string;

  /** @example 0 */
  @IsInt(aVersion)
  @Min(0, aVersion)
  version: number;
}

export class BulkMove {
  /** At most 100, each as it was seen. */
  @IsArray({ message: 'Must be a list.' })
  @ArrayMinSize(1, { message: 'Must name at least one order.' })
  @ArrayMaxSize(100, { message: 'Must name at most 100 orders.' })
  @ValidateNested({ each: true })
  @Type(() => SeenOrder)
  orders: SeenOrder[];

  /**
   * The staff member who gets them.
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  @IsUUID('all', aUuid)
  ownerId: string;

  /**
   * What the next person should know.
   * @example "From Sam's holiday."
   */
  @IsOptional()
  @IsString(text)
  @MaxLength(2000, longestNote)
  note?: string;
}

/** Why one order of several was not moved. */
export class BulkProblem {
  /** @example "order-moved" */
  code: string;

  /** @example "The order has moved on: it is in progress, held by Sam Poole." */
  detail: string;
}

/** What became of one order of several. */
export class BulkRow {
  /** @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90" */
  orderId: string;

  moved: boolean;

  /**
   * Of the moved order.
   * @example 1
   */
  version: number | null;

  /** Null where it was moved. */
  problem: BulkProblem | null;
}

export class BulkResult {
  /** One for each order, in the order of the request. */
  results: BulkRow[];

  /** @example 2 */
  moved: number;

  /** @example 0 */
  failed: number;
}

/** The order that was taken, if there was one. */
export class Taken {
  /** Null where there is nothing to do. */
  order: FollowUpOrder | null;

  /**
   * Why this one.
   * @example "waiting"
   */
  why: 'call-back due' | 'late' | 'nearly late' | 'waiting' | null;
}

/** A staff member who can have orders. */
export class StaffPerson {
  /** @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90" */
  id: string;

  /** @example "Ada Lovelace" */
  name: string;

  /** @example "agent" */
  role: string;
}

export class StaffPeople {
  items: StaffPerson[];
}
