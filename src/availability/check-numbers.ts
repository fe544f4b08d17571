import { HOUR } from '../kernel/time.js';
import { randomInt } from 'node:crypto';

/**
 * A check's number has 50 bits: the hour in which it was made, then a count that starts at a random
 * place in each hour. Numbers that are made in a row lie together at the end of the primary key, and
 * instances do not need to agree on them: at 100 checks a second, two of them meet once in 8 months, and
 * then lose the records of one write.
 */
const EPOCH = Date.UTC(2020, 0, 1);
/** 31 bits for the count leave 19 for the hour: until 2079. */
const COUNTS = 2 ** 31;

/** The lowest number of the hour of an instant. */
export function firstNumberAt(instant: number): number {
  return Math.floor((instant - EPOCH) / HOUR) * COUNTS;
}

/** When the hour of a number began. */
export function hourOfNumber(number: number): Date {
  return new Date(Math.floor(number / COUNTS) * HOUR + EPOCH);
}

/** From `first` on, up to but without `beyond`. */
export interface NumberSpan {
  readonly first: number;
  readonly beyond: number;
}

/** Holds the numbers of all checks made from `start` on and before `end`, and some of the same hours. */
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

  /** Continues at another random place, because this one is in use. */
  restart(): void {
    this.hour = NaN;
  }
}

/** The ranges of consecutive numbers of one hour, first and last included. */
export function rangesOf(numbers: readonly number[]): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1 && number % COUNTS !== 0) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
