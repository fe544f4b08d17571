import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { In, IsNull, LessThan, MoreThan } from 'typeorm';
import { Clock } from '../../platform/kernel/clock.js';
import { DAY, SECOND } from '../../platform/kernel/time.js';
import { addRows } from '../../platform/database/engine/rows.js';
import { isUniqueViolation } from '../../platform/database/engine/errors.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { networkOf } from '../../platform/limits/failed-attempts.service.js';
import { SignInDelay } from './sign-in.entity.js';

/** Failures of a network without a delay: people mistype. */
const FREE = 3;
/** Seconds. One network gets fewer than 300 guesses a day at one name. */
const LONGEST_DELAY = 300;
/**
 * Failures of all networks together without a delay. One network cannot reach this number of wrong passwords
 * in a day. A person who tries codes has the password already.
 */
const FREE_EVERYWHERE = { password: 500, code: 20 } as const;
/** Milliseconds after which a count starts again. */
const COUNTED_FOR = DAY;
/** Milliseconds for which a network is trusted after a sign-in. */
const TRUSTED_FOR = 30 * DAY;

/** The password of a name, or the code of a member. */
export type SignInTarget = readonly [what: 'password' | 'code', name: string];

/** The count of one network, or of all together. */
interface FailureCount {
  readonly key: string;
  readonly free: number;
  readonly row: SignInDelay | undefined;
}

/**
 * Slows down guessing at one name, on all instances, by network and over all networks. An attempt
 * counts as failed before it is checked, so that a thousand at once are not checked at once. In a network
 * where the name has signed in, only failures from there count: an attacker elsewhere cannot lock it out.
 */
@Injectable()
export class SignInDelaysService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Counts an attempt. @returns the seconds to wait; 0 where it may be checked now */
  async take(target: SignInTarget, address: string): Promise<number> {
    try {
      return await this.transactions.run((tx) => this.takeIn(tx, target, networkOf(address)));
    } catch (error) {
      // A concurrent attempt was first.
      if (!isUniqueViolation(error)) throw error;
      return 1;
    }
  }

  /** Forgets the network's failures and trusts it, in the transaction of the success. */
  async succeed(tx: Tx, target: SignInTarget, address: string): Promise<void> {
    const key = keyOf(target, networkOf(address));
    const now = this.clock.now();
    const trustedUntil = new Date(now.getTime() + TRUSTED_FOR);
    const row = { failures: 0, countedSince: now, nextAt: now, trustedUntil };
    if (!(await tx.existsBy(SignInDelay, { key, trustedUntil: MoreThan(now) }))) {
      // `take` has counted this attempt over all networks, too. This row first, as there: no deadlock.
      const counted = { key: keyOf(target), failures: MoreThan(0) };
      await tx.increment(SignInDelay, counted, 'failures', -1);
    }
    const { affected } = await tx.update(SignInDelay, { key }, row);
    if (affected !== 1) await addRows(tx, SignInDelay, [{ key, ...row }], 'is left out');
  }

  /** Deletes up to `most` old rows. @returns how many */
  async prune(tx: Tx, most: number): Promise<number> {
    const now = this.clock.now();
    const countedSince = LessThan(new Date(now.getTime() - COUNTED_FOR));
    const where = [IsNull(), LessThan(now)].map((trustedUntil) => ({ countedSince, trustedUntil }));
    const rows = await tx.find(SignInDelay, { where, take: most });
    if (rows.length > 0) await tx.delete(SignInDelay, { key: In(rows.map(({ key }) => key)) });
    return rows.length;
  }

  private async takeIn(tx: Tx, target: SignInTarget, network: string): Promise<number> {
    const now = this.clock.now();
    const [everywhere, here] = [keyOf(target), keyOf(target, network)];
    const rows = await tx.findBy(SignInDelay, { key: In([everywhere, here]) });
    const rowOf = (wanted: string) => rows.find(({ key }) => key === wanted);
    const ofHere = { key: here, free: FREE, row: rowOf(here) };
    const ofAll = { key: everywhere, free: FREE_EVERYWHERE[target[0]], row: rowOf(everywhere) };
    const isTrusted = (ofHere.row?.trustedUntil ?? now) > now;
    const counts: readonly FailureCount[] = isTrusted ? [ofHere] : [ofAll, ofHere];
    const wait =
      Math.max(...counts.map(({ row }) => (row?.nextAt ?? now).getTime())) - now.getTime();
    if (wait > 0) return Math.ceil(wait / SECOND);
    for (const count of counts) if (!(await addFailure(tx, count, now))) return 1;
    return 0;
  }
}

/** @returns false where another attempt was first */
async function addFailure(tx: Tx, { key, free, row }: FailureCount, now: Date): Promise<boolean> {
  const isCounted = row && now.getTime() - row.countedSince.getTime() < COUNTED_FOR;
  const failures = (isCounted ? row.failures : 0) + 1;
  const values = {
    failures,
    countedSince: isCounted ? row.countedSince : now,
    nextAt: new Date(now.getTime() + delayAfter(failures, free) * SECOND),
  };
  if (!row) {
    await tx.insert(SignInDelay, { key, ...values });
    return true;
  }
  const { affected } = await tx.update(SignInDelay, { key, failures: row.failures }, values);
  return affected === 1;
}

function keyOf([what, name]: SignInTarget, network?: string): string {
  const parts = JSON.stringify([what, name.toLowerCase(), network]);
  return createHash('sha256').update(parts).digest('hex');
}

/** Seconds to wait after a number of failures: 0 up to `free`, then 1, 2, 4 … 256, 300. */
export function delayAfter(failures: number, free = FREE): number {
  return failures <= free ? 0 : Math.min(2 ** (failures - free - 1), LONGEST_DELAY);
}
