import { Injectable, Logger } from '@nestjs/common';
import { BySide, LIVE, type Side } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import type { BackgroundBuffer } from '../platform/kernel/background-buffer.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import type { Check, NewCheck } from './check.entity.js';
import { CheckDaysService } from './check-days.service.js';
import { CheckCodes, CheckNumbers } from './check-numbers.js';
import { StoredChecks } from './stored-checks.js';

/** Milliseconds until a record is written. Short, because other instances may read the check soon. */
const DELAY = 50;
/** Rows of one transaction. SQLite blocks this thread, so that more would delay answers. */
const BATCH = 512;
/** Records kept during a database outage. Further ones are dropped and counted. */
const MOST_WAITING = 200_000;

interface RecordedChecks {
  readonly stored: StoredChecks;
  readonly numbers: CheckNumbers;
  readonly buffer: BackgroundBuffer<Check>;
}

/** Records checks in the background. A crash can lose the last batch, a graceful stop loses none. */
@Injectable()
export class ChecksService {
  private readonly logger = new Logger(ChecksService.name);
  private readonly sides: BySide<RecordedChecks>;

  constructor(
    private readonly transactions: Transactions,
    private readonly codes: CheckCodes,
    private readonly background: BackgroundWork,
    private readonly days: CheckDaysService,
  ) {
    this.sides = new BySide((side) => this.recorded(side));
  }

  /** Records that wait, and how many were dropped. */
  get backlog(): Pick<BackgroundBuffer<Check>, 'size' | 'dropped'> {
    return this.sides.of(LIVE).buffer;
  }

  record(facts: NewCheck, side: Side = LIVE): Check {
    const { numbers, buffer } = this.sides.of(side);
    const number = numbers.next(facts.checkedAt.getTime());
    const check = { ...facts, number, id: this.codes.codeOf(number) };
    buffer.add(check);
    return check;
  }

  /** Includes checks that are not written yet. @param id in canonical form */
  async find(id: string, side: Side = LIVE): Promise<Check | null> {
    const { stored, buffer } = this.sides.of(side);
    const number = this.codes.numberOf(id);
    if (number === null) return null;
    const waiting = buffer.get(number);
    if (waiting) return waiting;
    const row = await stored.find(number);
    return row && { ...row, id };
  }

  /** Writes all waiting records. Never rejects: failed ones wait for the next attempt. */
  async flush(): Promise<void> {
    await Promise.all(this.sides.both.map(({ buffer }) => buffer.flush()));
  }

  private recorded(side: Side): RecordedChecks {
    const stored = new StoredChecks(this.transactions, side, (checks, ranges) =>
      this.days.addStored(checks, ranges),
    );
    const numbers = new CheckNumbers();
    const buffer = this.background.buffer<Check>({
      // Not the id: a text as key costs a check 0.7 µs more.
      keyOf: ({ number }) => number,
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
