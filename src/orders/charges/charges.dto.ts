import { ApiSchema } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { IsOptionalText } from '../../platform/http/field-rules.js';
import { ProblemBody } from '../../platform/problems/problem.dto.js';
import type { ChargeCategory, ChargeState } from './charge-states.js';

@ApiSchema({ description: 'An extra one-off amount that the operator proposes on an order.' })
export class OrderCharge {
  /** Identifies the charge. @kind uuid */
  chargeId: string;

  /** `construction`, `survey`, `connection`, `expedite` or `other`. @enumName ChargeCategory */
  category: ChargeCategory;

  /** One-off, excluding VAT, in the currency of the order. @minimum 0 @example 250 */
  amount: number;

  /** What it is for; null once personal data of the order has been erased. @maxLength 1000 @example "Traffic management on Curtain Road." */
  note: string | null;

  /**
   * - `awaitingResponse`: the client has not answered yet
   * - `accepted`: by an answer, or in advance by `acceptExtraUpTo` of the order
   * - `rejected`: by an answer
   * - `lapsed`: no answer by `dueAt`
   * - `withdrawn`: by the operator, or because the order ended
   * @enumName ChargeState
   */
  state: ChargeState;

  /** Without an answer by then it lapses, UTC. */
  dueAt: Date;

  /** When the operator proposed it, UTC. */
  proposedAt: Date;

  /** When it left `awaitingResponse`, UTC; null before. */
  endedAt: Date | null;

  /** The person who answered, as far as the answer named one. @kind person */
  answeredBy: string | null;
}

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
