import { appendFileSync } from 'node:fs';

/**
 * How often a fault is tried. `npm test` runs a short round; `npm run test:faults` sets
 * `FAULTS=heavy`. `FAULT_ROUNDS` names another number for both.
 */
export function rounds(short: number, heavy: number): number {
  return Number(process.env.FAULT_ROUNDS) || (isHeavy ? heavy : short);
}

export const isHeavy = process.env.FAULTS === 'heavy';

/** Milliseconds for a test that is heavy when asked for. */
export const patience = isHeavy ? 3_600_000 : 120_000;

/** Prints what was measured, and adds it to the file that `FAULT_FIGURES` names. */
export function figure(text: string): void {
  process.stderr.write(`  figure: ${text}\n`);
  if (process.env.FAULT_FIGURES) appendFileSync(process.env.FAULT_FIGURES, `- ${text}\n`);
}

/** The value that a fraction `share` of all is not above. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
