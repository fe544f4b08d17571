/** The numbers behind the charts: axes, labels and classes. Lengths are units of the drawing. */

/** An axis from 0: its marks, the last at or above every value. */
export interface Axis {
  readonly ticks: readonly number[];
  readonly top: number;
}

/** Steps that people count in: 1, 2 and 5 with any number of zeros. */
const decimalSteps = [1, 2, 5];
/** Minutes: up to half an hour, then hours. */
const minuteSteps = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 960, 1_920];

export function countAxis(values: readonly number[], most = 4): Axis {
  const highest = maximum(values);
  let step = 1;
  for (let power = 1; highest / step > most; power *= 10) {
    for (const digit of decimalSteps) {
      step = digit * power;
      if (highest / step <= most) break;
    }
  }
  return axis(highest, step);
}

export function minuteAxis(values: readonly number[], most = 4): Axis {
  const highest = maximum(values);
  const last = minuteSteps.at(-1)!;
  const step =
    minuteSteps.find((one) => highest / one <= most) ?? Math.ceil(highest / most / last) * last;
  return axis(highest, step);
}

export const shareAxis: Axis = { ticks: [0, 0.25, 0.5, 0.75, 1], top: 1 };

function axis(highest: number, step: number): Axis {
  const steps = Math.max(1, Math.ceil(highest / step));
  const ticks = Array.from({ length: steps + 1 }, (_, i) => i * step);
  return { ticks, top: steps * step };
}

function maximum(values: readonly number[]): number {
  return values.reduce(
    (highest, value) => (value > highest && value < Infinity ? value : highest),
    0,
  );
}

/** Where `value` lies on an axis that is `length` long, from its zero; never outside. */
export function along({ top }: Axis, value: number, length: number): number {
  const share = value > 0 ? Math.min(1, value / top) : 0;
  return round(share * length);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

/** For coordinates: a tenth of a unit cannot be seen, and 12 digits would be sent. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** About how wide a text is that is set in 12 units; digits and capitals are wider than it says of `l`. */
export function textWidth(text: string): number {
  return Math.ceil(text.length * 6.6);
}

/**
 * Which of `count` labels, `step` apart, are written so that none touches the next: every n-th from
 * the first. @param nice distances that read well, ascending; those beyond the last are its multiples
 */
export function everyNth(
  count: number,
  step: number,
  widest: number,
  nice: readonly number[] = [1, 2, 5, 10, 20, 50],
): number {
  const gap = 8;
  const least = Math.max(1, Math.ceil((widest + gap) / step));
  const last = nice.at(-1)!;
  const distance = nice.find((one) => one >= least) ?? Math.ceil(least / last) * last;
  return Math.min(distance, Math.max(1, count));
}

/** The number of classes of a map or a heat map, beside the one for nothing. */
export const CLASSES = 5;

/**
 * Lower bounds of the classes 1 to 5 for counts: 1, then numbers that grow by the same factor up to
 * the largest, rounded to 1, 2 or 5 with zeros, so that one large place does not make all others
 * equal. Fewer where the counts are small.
 */
export function countClasses(values: readonly number[]): number[] {
  const highest = maximum(values);
  if (highest < 1) return [];
  const bounds = [1];
  for (let i = 1; i < CLASSES; i++) {
    const bound = niceBelow(highest ** (i / CLASSES));
    const next = Math.max(bound, bounds.at(-1)! + 1);
    if (next <= highest) bounds.push(next);
  }
  return bounds;
}

/** Lower bounds of the classes 1 to 5 for shares above nothing. */
export const shareClasses: readonly number[] = [0.000_1, 0.25, 0.5, 0.75, 1];

/** The class of a value: 0 for nothing, else the last whose bound it reaches. */
export function classOf(value: number, bounds: readonly number[]): number {
  let found = 0;
  for (const [i, bound] of bounds.entries()) if (value >= bound) found = i + 1;
  return found;
}

/** "1–9", "10–49", "50 or more": what each class holds, the first one nothing. */
export function classNames(bounds: readonly number[], highest: number): string[] {
  const names = bounds.map((bound, i) => {
    const end = (bounds[i + 1] ?? highest + 1) - 1;
    return end <= bound ? number(bound) : `${number(bound)}–${number(end)}`;
  });
  return ['0', ...names];
}

function niceBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  const digit = decimalSteps.findLast((one) => one * power <= value) ?? 1;
  return digit * power;
}

const plain = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en-GB', {
  notation: 'compact',
  maximumSignificantDigits: 3,
});

/** 1,234. */
export function number(value: number): string {
  return plain.format(value);
}

/** On an axis or a tile: 1,234 up to 9,999, then 12.3k. */
export function compact(value: number): string {
  return Math.abs(value) < 10_000 ? plain.format(value) : short.format(value);
}

/** 0.456 as 46%; what is not quite nothing or all is not rounded to it. */
export function percent(share: number): string {
  const whole = Math.round(share * 100);
  if (whole === 0 && share > 0) return '<1%';
  if (whole === 100 && share < 1) return '>99%';
  return `${whole}%`;
}

/** Working minutes as "45 min", "2 h" or "2 h 5 min". */
export function minutes(value: number): string {
  const hours = Math.floor(value / 60);
  const rest = Math.round(value % 60);
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${number(hours)} h` : `${number(hours)} h ${rest} min`;
}
