import { ApiSchema } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { IsOptionalText } from '../../platform/http/field-rules.js';
import { ProblemBody } from '../../platform/problems/problem.dto.js';
import type { ChargeState } from '../record/charge-states.js';

@ApiSchema({ description: "The client's answer to an extra charge." })
export class ChargeAnswer {
  /** `true` accepts the charge, `false` rejects it. @example true */
  @IsBoolean({ message: 'Must be true or false.' })
  accept: boolean;

  /** The person who decided: one line. @kind person */
  @IsOptionalText(120)
  by?: string;
}

@ApiSchema({ description: 'The charge waits for no answer any more.' })
export class ChargeAnsweredProblem extends ProblemBody {
  /** The state of the charge. @enumName ChargeState */
  state: ChargeState;
}
