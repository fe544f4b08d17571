import { ApiSchema } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsNumber, IsPositive, Max } from 'class-validator';
import { IsOptionalInstant, IsText } from '../../platform/http/field-rules.js';
import { proposedCategories, type ProposedCategory } from '../record/charge-states.js';
import { Seen } from '../staff/moves.dto.js';

@ApiSchema({ description: 'An extra charge to propose.' })
export class ChargeProposalBody extends Seen {
  /** `construction`, `survey`, `connection`, `expedite` or `other`. @example "survey" */
  @IsIn(proposedCategories, { message: `Must be one of ${proposedCategories.join(', ')}.` })
  category: ProposedCategory;

  /** One-off, excluding VAT, in the currency of the order. @minimum 0 @maximum 21474836.47 @example 250 */
  @IsNumber({}, { message: 'Enter an amount, such as 250 or 249.50.' })
  @IsPositive({ message: 'Enter an amount above 0.' })
  @Max(21_474_836.47, { message: 'Enter at most 21,474,836.47.' })
  amount: number;

  /** What it is for. The client reads it. @example "Traffic management on Curtain Road." */
  @IsText(1000, 'lines')
  note: string;

  /** When it lapses without an answer. By default at 23:59 (London) on the fifth working day. */
  @IsOptionalInstant()
  dueAt?: Date;
}

@ApiSchema({ description: "The client's answer to an extra charge, as staff heard it." })
export class HeardAnswer {
  /** `true` accepts the charge, `false` rejects it. @example true */
  @IsBoolean({ message: 'Must be true or false.' })
  accept: boolean;

  /** The person at the client who answered. @kind person */
  @IsText(120)
  by: string;
}
