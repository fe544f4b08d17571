import { ApiSchema } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsNumber,
  IsOptional,
  IsPositive,
  Max,
  ValidateNested,
} from 'class-validator';
import {
  IsDay,
  IsOptionalText,
  IsText,
  IsOptionalObject,
} from '../../platform/http/field-rules.js';
import {
  type MilestoneCode,
  milestoneCodes,
  waitingParties,
  type WaitingParty,
} from '../record/milestones.js';
import { Seen, SeenWithNote } from '../staff/moves.dto.js';

export const IsMilestone = () =>
  IsIn(milestoneCodes, { message: `Choose a milestone: ${milestoneCodes.join(', ')}.` });

@ApiSchema({ description: 'A milestone of a delivery to change.' })
export class MilestoneChangeBody {
  /** `surveyed`, `wayleave`, `built`, `appointment`, `installed`, `tested` or `live`. */
  @IsMilestone()
  code: MilestoneCode;

  /** The day for which it is planned, in London; null removes the plan. @format date @example "2026-12-02" */
  @IsOptional()
  @IsDay()
  plannedFor?: string | null;

  /** The day on which it was done, in London, today or earlier; null: it is not done. @format date @example "2026-12-02" */
  @IsOptional()
  @IsDay()
  doneOn?: string | null;
}

@ApiSchema({ description: 'Whom a delivery waits for.' })
export class DeliveryWaitBody {
  /** `client`, `operator` or `thirdParty`. */
  @IsIn(waitingParties, { message: `Must be one of ${waitingParties.join(', ')}.` })
  party: WaitingParty;

  /** What they have to do. The client reads it. @example "Name a site contact for the survey." */
  @IsText(200, undefined, 'Enter what they have to do.')
  what: string;
}

@ApiSchema({
  description: 'A change of the delivery of an accepted order. What is left out stays.',
})
export class DeliveryChangeBody extends SeenWithNote {
  /** Each milestone once. @maxItems 20 */
  @IsOptional()
  @IsArray({ message: 'Must be a list.' })
  @ArrayMaxSize(20, { message: 'Send at most 20 milestones.' })
  @ValidateNested({ each: true })
  @Type(() => MilestoneChangeBody)
  milestones?: MilestoneChangeBody[];

  /** The day, in London, by which the operator commits to deliver. @format date @example "2026-12-04" */
  @IsOptional()
  @IsDay()
  committedDate?: string;

  /** Null: the delivery waits for no one any more. */
  @IsOptionalObject(() => DeliveryWaitBody)
  waitingFor?: DeliveryWaitBody | null;

  /** The service or circuit in the operator's systems. @example "CCT-204417" */
  @IsOptionalText(64)
  serviceId?: string;
}

@ApiSchema({ description: "The answer to a client's request to cancel an accepted order." })
export class CancellationAnswerBody extends Seen {
  /**
   * `true` cancels the order or, with an `amount`, proposes a charge of the category `cancellation`: the client
   * cancels the order when it accepts the charge. `false` refuses the request.
   * @example true
   */
  @IsBoolean({ message: 'Must be true or false.' })
  accept: boolean;

  /** What the cancellation costs: one-off, excluding VAT, in the currency of the order; only where `accept` is `true`. @minimum 0 @maximum 21474836.47 @example 250 */
  @IsOptional()
  @IsNumber({}, { message: 'Enter an amount, such as 250 or 249.50.' })
  @IsPositive({ message: 'Enter an amount above 0.' })
  @Max(21_474_836.47, { message: 'Enter at most 21,474,836.47.' })
  amount?: number;

  /** For the client, with a charge; otherwise for the timeline. @example "The survey has been done." */
  @IsOptionalText(1000, 'lines')
  note?: string;
}
