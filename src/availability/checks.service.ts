import { Injectable } from '@nestjs/common';
import { isCrockford } from '../kernel/crockford.js';
import { Transactions } from '../database/transactions.js';
import type { Check } from './check.entity.js';
import { CheckWriter } from './check-writer.js';

/** Characters of Crockford's base 32 in the id of a check. */
export const CHECK_ID_LENGTH = 10;

/** Whose checks: those of test tokens are kept apart. */
interface Side {
  readonly isTest: boolean;
}

const LIVE: Side = { isTest: false };

/**
 * The records of checks, written behind in groups. A crash can lose the last group; a graceful stop
 * loses none.
 */
@Injectable()
export class ChecksService {
  private readonly live: CheckWriter;
  private readonly tests: CheckWriter;

  constructor(transactions: Transactions) {
    this.live = new CheckWriter(transactions, 'checks');
    this.tests = new CheckWriter(transactions, 'test_checks');
  }

  /** Records that wait to be written, and those that were dropped because too many did. */
  get backlog(): { readonly waiting: number; readonly dropped: number } {
    return this.live.backlog;
  }

  record(check: Check, { isTest } = LIVE): void {
    (isTest ? this.tests : this.live).record(check);
  }

  /** The record with this id, whether it has been written yet or not. */
  async find(id: string, { isTest } = LIVE): Promise<Check | null> {
    if (!isCrockford(id, CHECK_ID_LENGTH)) return null;
    return (isTest ? this.tests : this.live).find(id);
  }

  /** Writes all that waits. Never rejects: what could not be written waits for the next time. */
  async flush(): Promise<void> {
    await Promise.all([this.live.flush(), this.tests.flush()]);
  }
}
