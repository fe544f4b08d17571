import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { In, LessThan } from 'typeorm';
import { Clock } from '../../kernel/clock.js';
import { isUniqueViolation } from '../../database/errors.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { SignInDelay } from './sign-in.entity.js';

/** Failures without a delay: people mistype. */
const FREE = 3;
/** Seconds. An attacker gets some 300 guesses a day at one account, its owner always gets in. */
const LONGEST_DELAY = 300;
/** Milliseconds after which a failure is no longer counted. */
const FORGOTTEN_AFTER = 24 * 60 * 60_000;

/** The password of a name, or the code of a member. */
export type SignInTarget = readonly [what: 'password' | 'code', name: string];

/**
 * Slows down guessing at one account, over all addresses and instances. An attempt counts as failed
 * before it is checked, so that a thousand at once are not checked at once; success forgets them.
 */
@Injectable()
export class SignInDelaysService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Takes the next attempt. @returns the seconds to wait for it; 0 where it may be checked now */
  async take(target: SignInTarget): Promise<number> {
    const key = keyOf(target);
    try {
      return await this.transactions.run((tx) => this.takeIn(tx, key));
    } catch (error) {
      // Another attempt was first, at the same moment.
      if (!isUniqueViolation(error)) throw error;
      return 1;
    }
  }

  /** Forgets the failures, in the transaction of the success. */
  async forget(tx: Tx, target: SignInTarget): Promise<void> {
    await tx.delete(SignInDelay, { key: keyOf(target) });
  }

  /** Deletes up to `most` that no longer count. @returns how many */
  async prune(tx: Tx, most: number): Promise<number> {
    const before = new Date(this.clock.now().getTime() - FORGOTTEN_AFTER);
    const rows = await tx.find(SignInDelay, { where: { failedAt: LessThan(before) }, take: most });
    if (rows.length > 0) await tx.delete(SignInDelay, { key: In(rows.map(({ key }) => key)) });
    return rows.length;
  }

  private async takeIn(tx: Tx, key: string): Promise<number> {
    const now = this.clock.now();
    const known = await tx.findOneBy(SignInDelay, { key });
    if (known && known.nextAt > now) {
      return Math.ceil((known.nextAt.getTime() - now.getTime()) / 1_000);
    }
    const isOld = known && now.getTime() - known.failedAt.getTime() >= FORGOTTEN_AFTER;
    const failures = (known && !isOld ? known.failures : 0) + 1;
    const nextAt = new Date(now.getTime() + delayAfter(failures) * 1_000);
    const row = { failures, failedAt: now, nextAt };
    if (!known) {
      await tx.insert(SignInDelay, { key, ...row });
      return 0;
    }
    const { affected } = await tx.update(SignInDelay, { key, failures: known.failures }, row);
    return affected === 1 ? 0 : 1;
  }
}

function keyOf([what, name]: SignInTarget): string {
  return createHash('sha256').update(`${what}:${name.toLowerCase()}`).digest('hex');
}

/** Seconds to wait after a number of failures in a row: 0, 0, 0, 1, 2, 4 … 256, 300. */
export function delayAfter(failures: number): number {
  return failures <= FREE ? 0 : Math.min(2 ** (failures - FREE - 1), LONGEST_DELAY);
}
