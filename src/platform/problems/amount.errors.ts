import {
  decimalsOf,
  LARGEST_AMOUNT,
  majorUnits,
  parseAmount,
  printPrice,
} from '../kernel/money.js';
import { ValidationFailed } from './problem.js';

/** Major units of a currency as minor units. @throws {ValidationFailed} */
export function minorUnitsOf(amount: number, currency: string, pointer: string): number {
  const minor = parseAmount(String(amount), currency);
  if (minor !== null) return minor;
  const largest = printPrice(majorUnits(LARGEST_AMOUNT, currency), currency);
  const detail = `Use at most ${decimalsOf(currency)} decimals, and at most ${largest}.`;
  throw new ValidationFailed([{ pointer, code: 'not-allowed', detail }]);
}
