import { Injectable, Logger } from '@nestjs/common';
import { Transactions } from '../database/transactions.js';
import type { BackgroundBuffer } from '../kernel/background-buffer.js';
import { BackgroundWork } from '../kernel/background-work.js';
import type { Check, NewCheck } from './check.entity.js';
import { CheckCodes } from './check-codes.js';
import { CheckNumbers } from './check-numbers.js';
import { type CheckTable, StoredChecks } from './stored-checks.js';

/** Milliseconds for which a record may wait for others: other instances soon ask about a check. */
const DELAY = 50;
/** Rows of one transaction. SQLite is in this thread: more at a time would hold up the answers. */
const BATCH = 512;
/** Records kept while the database is away; later ones are dropped and counted. */
const MOST_WAITING = 200_000;

/** Checks of test tokens are in a separate table. */
interface CheckSide {
  readonly isTest: boolean;
}

const LIVE: CheckSide = { isTest: false };

/** The checks of one table. */
interface RecordedChecks {
  readonly stored: StoredChecks;
  readonly numbers: CheckNumbers;
  readonly buffer: BackgroundBuffer<Check>;
}

/**
 * The records of checks, written in the background. A crash can lose the last batch; a graceful stop
 * loses none.
 */
@Injectable()
export class ChecksService {
  private readonly logger = new Logger(ChecksService.name);
  private readonly live: RecordedChecks;
  private readonly tests: RecordedChecks;

  constructor(
    private readonly transactions: Transactions,
    private readonly codes: CheckCodes,
    private readonly background: BackgroundWork,
  ) {
    this.live = this.recorded('checks');
    this.tests = this.recorded('test_checks');
  }

  /** Records that wait to be written, and how many were dropped because too many did. */
  get backlog(): Pick<BackgroundBuffer<Check>, 'size' | 'dropped'> {
    return this.live.buffer;
  }

  /** Gives the check its id, and has it written soon. */
  record(facts: NewCheck, { isTest } = LIVE): Check {
    const { numbers, buffer } = isTest ? this.tests : this.live;
    const number = numbers.next(facts.checkedAt.getTime());
    const check = { ...facts, number, id: this.codes.codeOf(number) };
    buffer.add(check);
    return check;
  }

  /** The record with this id in canonical form, whether it has been written yet or not. */
  async find(id: string, { isTest } = LIVE): Promise<Check | null> {
    const { stored, buffer } = isTest ? this.tests : this.live;
    const number = this.codes.numberOf(id);
    if (number === null) return null;
    const waiting = buffer.get(id);
    if (waiting) return waiting;
    const row = await stored.find(number);
    return row && { ...row, id };
  }

  /** Writes all that waits. Never rejects: what could not be written waits for the next attempt. */
  async flush(): Promise<void> {
    await Promise.all([this.live.buffer.flush(), this.tests.buffer.flush()]);
  }

  private recorded(table: CheckTable): RecordedChecks {
    const stored = new StoredChecks(this.transactions, table);
    const numbers = new CheckNumbers();
    const buffer = this.background.buffer<Check>({
      keyOf: ({ id }) => id,
      write: async (checks) => {
        if ((await stored.write(checks)) > 0) numbers.restart();
      },
      delay: DELAY,
      batchSize: BATCH,
      capacity: MOST_WAITING,
      onFailure: (error) =>
        this.logger.warn(
          `${buffer.size} check records wait for the database (${buffer.dropped} dropped): ${String(error)}`,
        ),
    });
    return { stored, numbers, buffer };
  }
}
