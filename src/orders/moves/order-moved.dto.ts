import { ApiSchema } from '@nestjs/swagger';
import { ProblemBody } from '../../platform/problems/problem.dto.js';

@ApiSchema({
  description:
    'Someone else moved the order first, or its state does not allow the move. An API client sees the public state only.',
})
export class OrderMovedProblem extends ProblemBody {
  /**
   * The current state of the order.
   * @pattern ^[a-z]+([_A-Z][a-z]+)*$
   * @maxLength 16
   * @example "in_progress"
   */
  state: string;

  /** The order's owner; null if it has none. @kind uuid */
  ownerId?: string | null;

  /** The owner's name. @kind person */
  ownerName?: string | null;

  /** The version to send with the next move. @kind count */
  version?: number;
}
