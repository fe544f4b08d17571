import { HOUR } from '../platform/kernel/time.js';
import { randomInt } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { DatabaseSecret } from '../platform/database/database-secret.entity.js';
import type { Transactions } from '../platform/database/transactions.js';
import { fromCrockford, isCrockford, toCrockford } from '../platform/kernel/crockford.js';

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

/** Characters in the id of a check. */
export const CHECK_ID_LENGTH = 10;
const HALF = CHECK_ID_LENGTH / 2;
const HALF_VALUES = 32 ** HALF;
const ROUNDS = 6;

/**
 * The ids of checks: a code of 10 characters for each 50-bit number. A Feistel network with this
 * database's key makes the codes look random, so that clients cannot count each other's checks. It is
 * no other protection.
 */
export class CheckCodes {
  private readonly keys: readonly number[];

  /** @param secret at least 24 bytes */
  constructor(secret: Buffer) {
    this.keys = Array.from({ length: ROUNDS }, (_, i) => secret.readInt32LE(4 * i));
  }

  static async load(transactions: Transactions): Promise<CheckCodes> {
    const { value } = await transactions.read((tx) =>
      tx.findOneByOrFail(DatabaseSecret, { name: 'check-codes' }),
    );
    return new CheckCodes(Buffer.from(value, 'hex'));
  }

  codeOf(number: number): string {
    let left = Math.floor(number / HALF_VALUES);
    let right = number % HALF_VALUES;
    for (const key of this.keys) {
      const mixed = left ^ mix(right, key);
      left = right;
      right = mixed;
    }
    return toCrockford(left, HALF) + toCrockford(right, HALF);
  }

  /** The number of a code in canonical form; null if the text is not a code. */
  numberOf(code: string): number | null {
    if (!isCrockford(code, CHECK_ID_LENGTH)) return null;
    let left = fromCrockford(code.slice(0, HALF));
    let right = fromCrockford(code.slice(HALF));
    for (const key of this.keys.toReversed()) {
      const mixed = right ^ mix(left, key);
      right = left;
      left = mixed;
    }
    return left * HALF_VALUES + right;
  }
}

/** 25 bits that depend on all bits of the half and of the key (the finaliser of MurmurHash3). */
function mix(half: number, key: number): number {
  let mixed = half ^ key;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) & (HALF_VALUES - 1);
}
