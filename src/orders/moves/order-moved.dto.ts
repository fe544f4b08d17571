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

  /** Who has it; null where nobody has. @kind uuid */
  ownerId?: string | null;

  /**
   * The name of who has it; null where nobody has.
   * @maxLength 120
   * @example "Sam Poole"
   */
  ownerName?: string | null;

  /** The version to name in a further move. @kind count */
  version?: number;
}
