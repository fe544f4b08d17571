import { appendFileSync } from 'node:fs';

/**
 * The number of attempts for a fault: few in `npm test`, many in `npm run test:faults`
 * (`FAULTS=heavy`). `FAULT_ROUNDS` sets another number for both.
 */
export function rounds(short: number, heavy: number): number {
  return Number(process.env.FAULT_ROUNDS) || (isHeavy ? heavy : short);
}

export const isHeavy = process.env.FAULTS === 'heavy';

/** Time-out in milliseconds of a test that can be heavy. */
export const patience = isHeavy ? 3_600_000 : 120_000;

/** Prints a measurement, and appends it to the file `FAULT_FIGURES`. */
export function figure(text: string): void {
  process.stderr.write(`  figure: ${text}\n`);
  if (process.env.FAULT_FIGURES) appendFileSync(process.env.FAULT_FIGURES, `- ${text}\n`);
}

/** The quantile `share` of the values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
