/** The change of a figure since the period before. */
import type { ReportAmount } from '../report-query.dto.js';
import { minutes, percent } from './chart-scale.js';

export interface Change {
  /** "▲ 14 points" */
  readonly text: string;
  /** Null where neither direction is better. */
  readonly isBetter: boolean | null;
}

/** What a rise of the figure means. */
type Rise = 'better' | 'worse' | 'neither';

/** Null where one of the periods has no value. */
export function changeOf(
  now: number | null,
  before: number | null,
  { unit, rise }: { readonly unit: 'relative' | 'points' | 'minutes'; readonly rise: Rise },
): Change | null {
  if (now === null || before === null) return null;
  const difference = now - before;
  if (unit === 'relative' && before === 0 && now !== 0) return null;
  const words = {
    relative: () => percent(Math.abs(difference) / (before || 1)),
    points: () => points(Math.round(Math.abs(difference) * 100)),
    minutes: () => minutes(Math.abs(difference)),
  }[unit]();
  if (difference === 0 || words === points(0)) return { text: 'No change', isBetter: null };
  const isRise = difference > 0;
  const isBetter = rise === 'neither' ? null : isRise === (rise === 'better');
  return { text: `${isRise ? '▲' : '▼'} ${words}`, isBetter };
}

function points(count: number): string {
  return `${count} ${count === 1 ? 'point' : 'points'}`;
}

/** The sum where both periods have one and the same currency at most; otherwise null. */
export function onlyAmount(
  amounts: readonly ReportAmount[],
  others: readonly ReportAmount[],
): number | null {
  const currencies = new Set([...amounts, ...others].map(({ currency }) => currency));
  return currencies.size > 1 ? null : (amounts[0]?.amount ?? 0);
}
