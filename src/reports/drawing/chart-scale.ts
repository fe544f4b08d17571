/** Axes, labels and classes of the charts. Lengths are units of the drawing. */
import type { ReportAmount } from '../report-query.dto.js';
import { counted, whole } from '../../platform/kernel/counts.js';

/** An axis from 0. Its last tick is at or above every value. */
export interface Axis {
  readonly ticks: readonly number[];
  readonly top: number;
}

/** 1, 2, 5, 10, 20 and so on. */
const countSteps = Array.from(
  { length: 30 },
  (_, i) => [1, 2, 5][i % 3]! * 10 ** Math.floor(i / 3),
);
/** Minutes: up to half an hour, then hours. */
const minuteSteps = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 960, 1_920];

export const countAxis = (values: readonly number[], most = 4) => axis(values, most, countSteps);
export const minuteAxis = (values: readonly number[], most = 4) => axis(values, most, minuteSteps);

export const shareAxis: Axis = { ticks: [0, 0.25, 0.5, 0.75, 1], top: 1 };

function axis(values: readonly number[], most: number, ascending: readonly number[]): Axis {
  const highest = maximum(values);
  const step = stepFrom(ascending, highest / most);
  const steps = Math.max(1, Math.ceil(highest / step));
  const ticks = Array.from({ length: steps + 1 }, (_, i) => i * step);
  return { ticks, top: steps * step };
}

/** The smallest of the ascending steps that is at least `least`; beyond the last, a multiple of it. */
function stepFrom(ascending: readonly number[], least: number): number {
  const last = ascending.at(-1)!;
  return ascending.find((step) => step >= least) ?? Math.ceil(least / last) * last;
}

function maximum(values: readonly number[]): number {
  return Math.max(0, ...values.filter(Number.isFinite));
}

/** The distance of `value` from the zero of an axis of this length, at most the length. */
export function along({ top }: Axis, value: number, length: number): number {
  const share = value > 0 ? Math.min(1, value / top) : 0;
  return round(share * length);
}

/** Shortens a coordinate: a tenth of a unit is too small to see. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The approximate width of a text in 12-unit type: codes are wider than words. */
export function textWidth(text: string): number {
  const wide = text.match(/[A-Z0-9-]/g)?.length ?? 0;
  return Math.ceil(wide * 8 + (text.length - wide) * 6.6);
}

/** Every n-th of `count` labels, `step` apart, is shown so that none touches the next: returns n. */
export function everyNth(
  count: number,
  step: number,
  widest: number,
  ascending: readonly number[] = [1, 2, 5, 10, 20, 50],
): number {
  const gap = 8;
  return Math.min(stepFrom(ascending, (widest + gap) / step), Math.max(1, count));
}

/** Classes of a map or a heat map, without class 0 for zero. */
const CLASSES = 5;

/**
 * Lower bounds of the classes 1 to 5 for counts, fewer if the counts are small. They grow by about the
 * same factor, so that one large place does not make all others look equal.
 */
export function countClasses(values: readonly number[]): number[] {
  const highest = maximum(values);
  if (highest < 1) return [];
  const bounds = [1];
  for (let i = 1; i < CLASSES; i++) {
    const geometric = highest ** (i / CLASSES);
    const bound = countSteps.findLast((step) => step <= geometric) ?? 1;
    const next = Math.max(bound, bounds.at(-1)! + 1);
    if (next <= highest) bounds.push(next);
  }
  return bounds;
}

/** 0, or the last class whose lower bound the value reaches. */
export function classOf(value: number, bounds: readonly number[]): number {
  return bounds.findLastIndex((bound) => value >= bound) + 1;
}

/** The range of each class, such as "1–9" or "10–49", from class 0. */
export function classNames(bounds: readonly number[], highest: number): string[] {
  const names = bounds.map((bound, i) => {
    const end = (bounds[i + 1] ?? highest + 1) - 1;
    return end <= bound ? whole(bound) : `${whole(bound)}–${whole(end)}`;
  });
  return ['0', ...names];
}

const short = new Intl.NumberFormat('en-GB', {
  notation: 'compact',
  maximumSignificantDigits: 3,
});

/** On an axis or a tile: 1,234 up to 9,999, then 12.3k. */
export function compact(value: number): string {
  return Math.abs(value) < 10_000 ? whole(value) : short.format(value);
}

/** 0.456 as 46%. Only 0 is 0%, and only 1 is 100%. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  if (rounded === 0 && share > 0) return '<1%';
  if (rounded === 100 && share < 1) return '>99%';
  return `${rounded}%`;
}

/** Working minutes as "45 min", "2 h" or "2 h 5 min". */
export function minutes(value: number): string {
  const hours = Math.floor(value / 60);
  const rest = Math.round(value % 60);
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${whole(hours)} h` : `${whole(hours)} h ${rest} min`;
}

/** Shortens a text to the room for it, with an ellipsis. */
export function clipped(text: string, room: number): string {
  if (textWidth(text) <= room) return text;
  const most = Math.max(1, Math.floor(room / 6.6) - 1);
  return `${text.slice(0, most).trimEnd()}…`;
}

/** The change of a figure since the period before. */
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
  return counted(count, 'point');
}

/** The sum where both periods have one and the same currency at most; otherwise null. */
export function onlyAmount(
  amounts: readonly ReportAmount[],
  others: readonly ReportAmount[],
): number | null {
  const currencies = new Set([...amounts, ...others].map(({ currency }) => currency));
  return currencies.size > 1 ? null : (amounts[0]?.amount ?? 0);
}

export interface PlotPoint {
  readonly value: number;
  readonly i: number;
}

/** The values between gaps. */
export function runsOf(values: readonly (number | null)[]): PlotPoint[][] {
  const runs: PlotPoint[][] = [[]];
  for (const [i, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)!.push({ value, i });
  }
  return runs.filter((run) => run.length > 0);
}
