import { ApiSchema, IntersectionType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import {
  IsId,
  IsInstant,
  IsOptionalText,
  IsText,
  IsTextToRead,
} from '../../platform/http/field-rules.js';
import { ListOf } from '../../platform/http/paging.js';
import {
  type CancelReason,
  cancelReasonNames,
  codesOf,
  type ContactChannel,
  contactChannelNames,
  type ContactResult,
  contactResultNames,
  type LostReason,
  lostReasonNames,
  type ScheduleReason,
  scheduleReasonNames,
} from '../moves/move-fields.js';
import { Amendment } from '../record/enquiries.dto.js';
import { MESSAGE_LENGTH } from '../record/message.entity.js';
import { FollowUpOrder } from './follow-up.dto.js';

const IsCodeOf = (names: Readonly<Record<string, string>>) =>
  IsIn(codesOf(names), { message: `Must be one of ${codesOf(names).join(', ')}.` });
const anAmount = { message: 'Enter an amount from 0 to 21,474,836.47, such as 249.50.' };
const aVersion = { message: 'Must be a whole number: the version that the caller saw.' };

@ApiSchema({ description: 'A move of an order as the caller saw it.' })
export class Seen {
  /** `version` of the order as the caller saw it. If it has changed, the move is refused. */
  @IsInt(aVersion)
  @Min(0, aVersion)
  version: number;
}

@ApiSchema({ description: 'A move of an order as the caller saw it, with a note if there is one.' })
export class SeenWithNote extends Seen {
  /** Shown in the timeline. Search finds it. @example "Reception says she is back on Monday." */
  @IsOptionalText(2000, 'lines')
  note?: string;
}

class NewOwner {
  /** The new owner. @kind uuid */
  @IsId()
  ownerId: string;
}

@ApiSchema({ description: 'Who becomes the owner of an order.' })
export class Assignment extends IntersectionType(SeenWithNote, NewOwner) {}

@ApiSchema({ description: 'Who takes an order over, and what they should know.' })
export class HandOver extends IntersectionType(Seen, NewOwner) {
  /** What the next person should know. @example "Speaks French; asked for 36 months." */
  @IsTextToRead(2000, 'Enter a handover note.')
  note: string;
}

@ApiSchema({ description: 'How a client was contacted, and with what result.' })
export class ContactLog extends SeenWithNote {
  /** `phone`, `email`, `meeting` or `other`. */
  @IsCodeOf(contactChannelNames)
  channel: ContactChannel;

  /** The outcome: `reached`, `no_answer`, `voicemail`, `wrong_details` or `emailed`. */
  @IsCodeOf(contactResultNames)
  result: ContactResult;
}

@ApiSchema({ description: 'When the next action on an order is due.' })
export class Schedule extends SeenWithNote {
  /** When the order becomes due; in the future. @example "2026-11-23T10:00:00Z" */
  @IsInstant()
  nextActionAt: Date;

  /** `callback_agreed`, `awaiting_client`, `awaiting_supplier` or `retry_no_answer`. */
  @IsCodeOf(scheduleReasonNames)
  reason: ScheduleReason;
}

@ApiSchema({ description: 'A move that needs a reason in words.' })
export class Reasoned extends Seen {
  /** The reason in your own words. @example "On holiday from tomorrow." */
  @IsTextToRead(500, 'Enter a reason.')
  reason: string;
}

@ApiSchema({ description: 'What staff write to the client of an order.' })
export class ReplyBody extends Seen {
  /** The client reads it as the operator's; line breaks are kept. @example "Who can let our engineer in?" */
  @IsTextToRead(MESSAGE_LENGTH, 'Enter a message.')
  text: string;
}

@ApiSchema({ description: 'An order that was won.' })
export class Win extends SeenWithNote {
  /** The order's reference in another system. @example "SF-88231" */
  @IsOptionalText(64)
  externalReference?: string;

  /**
   * The monthly price that was confirmed with the client, excluding VAT, in the currency of the order. Required where the `basis` of the
   * product is `indicative`, and not allowed otherwise.
   * @minimum 0 @maximum 21474836.47 @example 249.5
   */
  @IsOptional()
  @IsNumber({}, anAmount)
  @Min(0, anAmount)
  @Max(21_474_836.47, anAmount)
  price?: number;

  /** The set-up price that was confirmed, as `price`. @minimum 0 @maximum 21474836.47 @example 950 */
  @IsOptional()
  @IsNumber({}, anAmount)
  @Min(0, anAmount)
  @Max(21_474_836.47, anAmount)
  setupPrice?: number;
}

@ApiSchema({ description: 'Why an order was lost.' })
export class Loss extends SeenWithNote {
  /**
   * `not_serviceable`, `price`, `lead_time`, `competitor`, `no_response`, `requirements_changed`,
   * `invalid_details`, or `other`, which needs a note. For `not_serviceable` and `invalid_details` the
   * API client sees a rejection.
   * @example "price"
   */
  @IsCodeOf(lostReasonNames)
  reason: LostReason;
}

@ApiSchema({ description: 'Why an order is cancelled.' })
export class StaffCancellation extends SeenWithNote {
  /** `client_request`, `test_request`, `invalid_request`, or `other`, which needs a note. */
  @IsCodeOf(cancelReasonNames)
  reason: CancelReason;
}

@ApiSchema({ description: 'Which order this one repeats.' })
export class DuplicateMark extends SeenWithNote {
  /** The original order: of the same API client, and not a duplicate itself. @kind uuid */
  @IsId()
  of: string;
}

@ApiSchema({ description: 'What to add to the timeline.' })
export class Note {
  /** A note. @example "The riser is locked at weekends." */
  @IsText(2000, 'lines')
  note: string;
}

@ApiSchema({ description: 'What to change in an order as the caller saw it.' })
export class StaffAmendment extends IntersectionType(Seen, Amendment) {}

@ApiSchema({ description: 'An order as the caller saw it.' })
export class SeenOrder extends Seen {
  /** Identifies the order request. @kind uuid */
  @IsId()
  orderId: string;
}

/** Several orders, each as the caller saw it. */
export class SeenOrders {
  /** At most 100, each as the caller saw it. */
  @IsArray({ message: 'Must be a list.' })
  @ArrayMinSize(1, { message: 'Must name at least one order.' })
  @ArrayMaxSize(100, { message: 'Must name at most 100 orders.' })
  @ValidateNested({ each: true })
  @Type(() => SeenOrder)
  orders: SeenOrder[];
}

@ApiSchema({ description: 'Why one order of several was not moved.' })
export class BulkProblem {
  /** The code of the problem. @pattern ^[a-z]+(-[a-z]+)*$ @maxLength 64 @example "order-moved" */
  code: string;

  /**
   * The problem in words.
   * @maxLength 1000
   * @example "The order has moved on: it is in progress, held by Sam Poole."
   */
  detail: string;
}

@ApiSchema({ description: 'The result for one order of several.' })
export class BulkRow {
  /** Identifies the order request. @kind uuid */
  orderId: string;

  /** Whether it was moved. */
  moved: boolean;

  /** The new version; null if it was not moved. */
  version: number | null;

  /** Null if it was moved. */
  problem: BulkProblem | null;
}

@ApiSchema({ description: 'The results for several orders.' })
export class BulkResult {
  /** One for each order, in the order of the request. @maxItems 100 */
  results: BulkRow[];

  /** How many were moved. */
  moved: number;

  /** How many were not moved. */
  failed: number;
}

@ApiSchema({ description: 'The order that the caller got, if there was one.' })
export class TakenOrder {
  /** Null if there is nothing to do. */
  order: FollowUpOrder | null;

  /** Why the caller got this order: `call-back due`, `late`, `nearly late` or `waiting`. */
  why: 'call-back due' | 'late' | 'nearly late' | 'waiting' | null;
}

@ApiSchema({ description: 'A staff member who can own orders.' })
export class StaffPerson {
  /** Identifies the staff member. @kind uuid */
  id: string;

  /** The name. @kind person */
  name: string;

  /** What the person may do. @pattern ^(agent|manager|commercial|admin)$ @maxLength 16 @example "agent" */
  role: string;
}

@ApiSchema({ description: 'The staff members who can own orders, by name.' })
export class StaffPeople extends ListOf(StaffPerson) {}
