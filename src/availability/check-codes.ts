import { Buffer } from 'node:buffer';
import { DatabaseSecret } from '../platform/database/database-secret.entity.js';
import type { Transactions } from '../platform/database/transactions.js';
import { fromCrockford, isCrockford, toCrockford } from '../platform/kernel/crockford.js';

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
