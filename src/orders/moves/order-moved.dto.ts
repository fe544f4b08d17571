import { ApiSchema } from '@nestjs/swagger';
import { ProblemBody } from '../../problems/problem.dto.js';

@ApiSchema({
  description:
    'Somebody else was first, or the order is in a state that does not allow the move. An API client is told its public state only.',
})
export class OrderMovedProblem extends ProblemBody {
  /**
   * The state that the order is in now.
   * @pattern ^[a-z]+([_A-Z][a-z]+)*$
   * @maxLength 16
   * @example "in_progress"
   */
  state: string;

  /**
   * Who has it; null where nobody has.
   * @format uuid
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  ownerId?: string | null;

  /**
   * The name of who has it; null where nobody has.
   * @maxLength 120
   * @example "Sam Poole"
   */
  ownerName?: string | null;

  /**
   * The version to name in a further move.
   * @format int32
   * @minimum 0
   * @maximum 2147483647
   * @example 3
   */
  version?: number;
}
