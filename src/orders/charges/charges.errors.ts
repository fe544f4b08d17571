import { NotFound, Problem } from '../../platform/problems/problem.js';
import type { ChargeState } from '../record/charge-states.js';

export class ChargeNotFound extends NotFound {
  constructor() {
    super('There is no charge with this id on the order.');
  }
}

/** The charge waits for no answer any more. */
export class ChargeAnswered extends Problem {
  constructor(state: ChargeState) {
    super('charge-answered', `The charge is already ${state}.`, { members: { state } });
  }
}

/** The terms of the order exclude extra charges. */
export class ExtraChargesExcluded extends Problem {
  constructor() {
    super('extra-charges-excluded');
  }
}
