import { NotFound, Problem, ValidationFailed } from '../../platform/problems/problem.js';
import {
  decimalsOf,
  LARGEST_AMOUNT,
  parseAmount,
  printPrice,
  majorUnits,
} from '../../platform/kernel/money.js';
import type { ChargeState } from './charge-states.js';

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

/** Major units of a currency as minor units. @throws {ValidationFailed} */
export function minorUnitsOf(amount: number, currency: string, pointer: string): number {
  const minor = parseAmount(String(amount), currency);
  if (minor !== null) return minor;
  const largest = printPrice(majorUnits(LARGEST_AMOUNT, currency), currency);
  const detail = `Use at most ${decimalsOf(currency)} decimals, and at most ${largest}.`;
  throw new ValidationFailed([{ pointer, code: 'not-allowed', detail }]);
}
