import { ApiSchema, IntersectionType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  Min,
  ValidateNested,
} from 'class-validator';
import { IsId, IsInstant, IsOptionalText, IsText } from '../../http/field-rules.js';
import { ListOf } from '../../http/lists.js';
import type {
  CancelReason,
  ContactChannel,
  ContactResult,
  LostReason,
  ScheduleReason,
} from '../../orders/moves/move-fields.js';
import {
  cancelReasons,
  contactChannels,
  contactResults,
  lostReasons,
  scheduleReasons,
} from '../../orders/moves/order-state.js';
import { FollowUpOrder } from '../follow-up.dto.js';

const oneOf = (words: readonly string[]) => ({ message: `Must be one of ${words.join(', ')}.` });
const aVersion = { message: 'Must be a whole number: the version of the order as it was seen.' };

@ApiSchema({ description: 'A move of an order as the caller saw it.' })
export class Seen {
  /** `version` of the order as it was seen. Where it has another one now, nothing happens. */
  @IsInt(aVersion)
  @Min(0, aVersion)
  version: number;
}

@ApiSchema({ description: 'A move of an order as the caller saw it, with a note if there is one.' })
export class SeenWithNote extends Seen {
  /**
   * Shown in the timeline, and found by search.
   * @example "Reception says she is back on Monday."
   */
  @IsOptionalText(2000)
  note?: string;
}

class NewOwner {
  /** The staff member who gets it. @kind uuid */
  @IsId()
  ownerId: string;
}

@ApiSchema({ description: 'To whom an order is assigned.' })
export class Assignment extends IntersectionType(SeenWithNote, NewOwner) {}

@ApiSchema({ description: 'To whom an order is handed over.' })
export class HandOver extends IntersectionType(Seen, NewOwner) {
  /**
   * What the next person should know.
   * @example "Speaks French; asked for 36 months."
   */
  @IsText(2000)
  note: string;
}

@ApiSchema({ description: 'How a client was contacted, and with what result.' })
export class ContactLog extends SeenWithNote {
  /**
   * By which means.
   *
   * One of `phone`, `email`, `meeting`, `other`.
   * @example "phone"
   */
  @IsIn(contactChannels, oneOf(contactChannels))
  channel: ContactChannel;

  /**
   * What came of it.
   *
   * One of `reached`, `no_answer`, `voicemail`, `wrong_details`, `emailed`.
   * @example "no_answer"
   */
  @IsIn(contactResults, oneOf(contactResults))
  result: ContactResult;
}

@ApiSchema({ description: 'When an order comes back.' })
export class Schedule extends SeenWithNote {
  /**
   * When it comes back; in the future.
   * @example "2026-11-23T10:00:00Z"
   */
  @IsInstant()
  nextActionAt: Date;

  /**
   * The reason.
   *
   * One of `callback_agreed`, `awaiting_client`, `awaiting_supplier`, `retry_no_answer`.
   * @example "callback_agreed"
   */
  @IsIn(scheduleReasons, oneOf(scheduleReasons))
  reason: ScheduleReason;
}

@ApiSchema({ description: 'A move that needs a reason in words.' })
export class Reasoned extends Seen {
  /**
   * Why, in words.
   * @example "On holiday from tomorrow."
   */
  @IsText(500)
  reason: string;
}

@ApiSchema({ description: 'An order that was won.' })
export class Win extends SeenWithNote {
  /**
   * The order's reference in another system.
   * @example "SF-88231"
   */
  @IsOptionalText(64)
  externalReference?: string;
}

@ApiSchema({ description: 'Why an order was lost.' })
export class Loss extends SeenWithNote {
  /**
   * `other` needs a note. By `not_serviceable` and `invalid_details` the API client sees a rejection.
   *
   * One of `not_serviceable`, `price`, `lead_time`, `competitor`, `no_response`, `requirements_changed`, `invalid_details`, `other`.
   * @example "price"
   */
  @IsIn(lostReasons, oneOf(lostReasons))
  reason: LostReason;
}

@ApiSchema({ description: 'Why an order is cancelled.' })
export class StaffCancellation extends SeenWithNote {
  /**
   * `other` needs a note.
   *
   * One of `client_request`, `test_request`, `invalid_request`, `other`.
   * @example "client_request"
   */
  @IsIn(cancelReasons, oneOf(cancelReasons))
  reason: CancelReason;
}

@ApiSchema({ description: 'Which order is repeated.' })
export class DuplicateMark extends SeenWithNote {
  /** The order that it repeats: of the same API client, and not a duplicate itself. @kind uuid */
  @IsId()
  of: string;
}

@ApiSchema({ description: 'What to add to the timeline.' })
export class Note {
  /**
   * A note.
   * @example "The riser is locked at weekends."
   */
  @IsText(2000)
  note: string;
}

@ApiSchema({ description: 'An order as the caller saw it.' })
export class SeenOrder extends Seen {
  /** Identifies the order request. @kind uuid */
  @IsId()
  orderId: string;
}

@ApiSchema({ description: 'Several orders, and who gets them.' })
export class BulkMove extends NewOwner {
  /** At most 100, each as it was seen. */
  @IsArray({ message: 'Must be a list.' })
  @ArrayMinSize(1, { message: 'Must name at least one order.' })
  @ArrayMaxSize(100, { message: 'Must name at most 100 orders.' })
  @ValidateNested({ each: true })
  @Type(() => SeenOrder)
  orders: SeenOrder[];

  /**
   * What the next person should know.
   * @example "Sam is on holiday from tomorrow."
   */
  @IsOptionalText(2000)
  note?: string;
}

@ApiSchema({ description: 'Why one order of several was not moved.' })
export class BulkProblem {
  /**
   * The code of the problem.
   * @pattern ^[a-z]+(-[a-z]+)*$
   * @maxLength 64
   * @example "order-moved"
   */
  code: string;

  /**
   * The problem in words.
   * @maxLength 1000
   * @example "The order has moved on: it is in progress, held by Sam Poole."
   */
  detail: string;
}

@ApiSchema({ description: 'What became of one order of several.' })
export class BulkRow {
  /** Identifies the order request. @kind uuid */
  orderId: string;

  /** Whether it was moved. */
  moved: boolean;

  /** Of the moved order. */
  version: number | null;

  /** Null where it was moved. */
  problem: BulkProblem | null;
}

@ApiSchema({ description: 'What became of several orders.' })
export class BulkResult {
  /**
   * One for each order, in the order of the request.
   * @maxItems 100
   */
  results: BulkRow[];

  /** How many were moved. */
  moved: number;

  /** How many were not moved. */
  failed: number;
}

@ApiSchema({ description: 'The order that was taken, if there was one.' })
export class TakenOrder {
  /** Null where there is nothing to do. */
  order: FollowUpOrder | null;

  /**
   * Why this one.
   *
   * One of `call-back due`, `late`, `nearly late`, `waiting`.
   * @example "waiting"
   */
  why: 'call-back due' | 'late' | 'nearly late' | 'waiting' | null;
}

@ApiSchema({ description: 'A staff member who can have orders.' })
export class StaffPerson {
  /** Identifies it. @kind uuid */
  id: string;

  /** The name. @kind person */
  name: string;

  /**
   * What the person may do.
   * @pattern ^(agent|manager|admin)$
   * @maxLength 16
   * @example "agent"
   */
  role: string;
}

@ApiSchema({ description: 'The staff members who can have orders, by name.' })
export class StaffPeople extends ListOf(StaffPerson) {}
