import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../kernel/background-work.js';
import { Transactions } from '../database/transactions.js';
import type { Check, NewCheck } from './check.entity.js';
import { CheckCodes } from './check-codes.js';
import { CheckWriter } from './check-writer.js';

/** Whose checks: those of test tokens are kept apart. */
interface Side {
  readonly isTest: boolean;
}

const LIVE: Side = { isTest: false };

/**
 * The records of checks, written in the background. A crash can lose the last batch; a graceful stop
 * loses none.
 */
@Injectable()
export class ChecksService {
  private readonly live: CheckWriter;
  private readonly tests: CheckWriter;

  constructor(background: BackgroundWork, transactions: Transactions, codes: CheckCodes) {
    this.live = new CheckWriter(background, transactions, 'checks', codes);
    this.tests = new CheckWriter(background, transactions, 'test_checks', codes);
  }

  /** Records that wait to be written, and those that were dropped because too many did. */
  get backlog(): { readonly waiting: number; readonly dropped: number } {
    return this.live.backlog;
  }

  record(facts: NewCheck, { isTest } = LIVE): Check {
    return (isTest ? this.tests : this.live).record(facts);
  }

  /** The record with this id in canonical form, whether it has been written yet or not. */
  find(id: string, { isTest } = LIVE): Promise<Check | null> {
    return (isTest ? this.tests : this.live).find(id);
  }

  /** Writes all that waits. Never rejects: what could not be written waits for the next time. */
  async flush(): Promise<void> {
    await Promise.all([this.live.flush(), this.tests.flush()]);
  }
}
