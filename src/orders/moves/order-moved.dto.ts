import { ApiSchema } from '@nestjs/swagger';
import { ProblemBody } from '../../platform/problems/problem.dto.js';

@ApiSchema({ description: 'The client has not answered an extra charge of the order.' })
export class ChargeOpenProblem extends ProblemBody {
  /** The charges that await an answer. @format uuid @maxItems 1000 @example ["019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"] */
  chargeIds: string[];
}

@ApiSchema({ description: 'The enquiry, or its offers, can no longer be changed in this way.' })
export class EnquiryMovedProblem extends ProblemBody {
  /**
   * The current state of the enquiry. An API client sees the public state.
   * @pattern ^[a-z]+([_A-Z][a-z]+)*$
   * @maxLength 16
   * @example "accepted"
   */
  state: string;
}

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
