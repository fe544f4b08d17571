import { HOUR } from '../platform/kernel/time.js';
import { randomInt } from 'node:crypto';

/**
 * A check's number has 50 bits: the hour, then a count that starts at a random value in each hour. So
 * new rows are appended to the primary key, and instances need no coordination. At 100 checks a second
 * two instances collide once in 8 months, and lose the records of one write.
 */
const EPOCH = Date.UTC(2020, 0, 1);
/** The count has 31 bits; the other 19 hold hours until 2079. */
const COUNTS = 2 ** 31;

/** The lowest number in the hour of an instant. */
export function firstNumberAt(instant: number): number {
  return Math.floor((instant - EPOCH) / HOUR) * COUNTS;
}

/** The start of the hour of a number. */
export function hourOfNumber(number: number): Date {
  return new Date(Math.floor(number / COUNTS) * HOUR + EPOCH);
}

/** `beyond` is excluded. */
export interface NumberSpan {
  readonly first: number;
  readonly beyond: number;
}

/** All numbers of the hours that contain checks from `start` until before `end`. */
export function numbersBetween(start: number, end: number): NumberSpan {
  return { first: firstNumberAt(start), beyond: firstNumberAt(end - 1) + COUNTS };
}

/** Makes the numbers of one table in this process. */
export class CheckNumbers {
  private hour = NaN;
  private count = 0;

  next(instant: number): number {
    const hour = firstNumberAt(instant);
    if (hour === this.hour) this.count = (this.count + 1) % COUNTS;
    else {
      this.hour = hour;
      this.count = randomInt(COUNTS);
    }
    return hour + this.count;
  }

  /** Continues at another random count, after a collision. */
  restart(): void {
    this.hour = NaN;
  }
}

/** Consecutive numbers of one hour, both ends included. */
export type NumberRange = [first: number, last: number];

/** The numbers, in their order, as ranges. */
export function rangesOf(numbers: readonly number[]): NumberRange[] {
  const ranges: NumberRange[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1 && number % COUNTS !== 0) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
