import { ApiSchema } from '@nestjs/swagger';
import { ProblemBody } from '../../platform/problems/problem.dto.js';

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
