import type { PriceChange } from '../diff.js';

/** The changes of one kind of price in figures. */
export interface PriceSummary {
  readonly count: number;
  readonly added: number;
  readonly removed: number;
  /** Per cent, of prices with an amount before and after; null if there are none. */
  readonly least: number | null;
  readonly median: number | null;
  readonly most: number | null;
}

export function summaryOf(changes: readonly PriceChange[]): PriceSummary {
  const percents = changes.flatMap(({ percent }) => percent ?? []).sort((a, b) => a - b);
  const middle = Math.floor(percents.length / 2);
  const median = percents.length % 2 === 1 ? percents[middle]! : mean(percents, middle);
  return {
    count: changes.length,
    added: changes.filter(({ before }) => before === null).length,
    removed: changes.filter(({ after }) => after === null).length,
    least: percents[0] ?? null,
    median,
    most: percents.at(-1) ?? null,
  };
}

function mean(sorted: readonly number[], middle: number): number | null {
  return sorted.length === 0 ? null : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
