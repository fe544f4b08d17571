import { Logger } from '@nestjs/common';
import type { BackgroundBuffer } from '../kernel/background-buffer.js';
import type { BackgroundWork } from '../kernel/background-work.js';
import type { Transactions } from '../database/transactions.js';
import type { Check, NewCheck } from './check.entity.js';
import type { CheckCodes } from './check-codes.js';
import { CheckNumbers } from './check-numbers.js';
import { type CheckTable, StoredChecks } from './stored-checks.js';

/** Milliseconds for which a record may wait for others: other instances soon ask about a check. */
const DELAY = 50;
/** Rows of one transaction. SQLite is in this thread: more at a time would hold up the answers. */
const BATCH = 512;
/** Records kept while the database is away; later ones are dropped, and counted in the log. */
const MOST_WAITING = 200_000;

/** Writes records of checks to one table, in the background and in batches. */
export class CheckWriter {
  private readonly logger = new Logger(CheckWriter.name);
  private readonly stored: StoredChecks;
  private readonly numbers = new CheckNumbers();
  private readonly buffer: BackgroundBuffer<Check>;

  constructor(
    background: BackgroundWork,
    transactions: Transactions,
    table: CheckTable,
    private readonly codes: CheckCodes,
  ) {
    this.stored = new StoredChecks(transactions, table);
    this.buffer = background.buffer({
      keyOf: ({ number }) => number,
      write: (checks) => this.write(checks),
      delay: DELAY,
      batchSize: BATCH,
      capacity: MOST_WAITING,
      onFailure: (error) => {
        const { waiting, dropped } = this.backlog;
        this.logger.warn(
          `${waiting} check records wait for the database (${dropped} dropped): ${String(error)}`,
        );
      },
    });
  }

  /** Records that wait to be written, and those that were dropped because too many did. */
  get backlog(): { readonly waiting: number; readonly dropped: number } {
    return { waiting: this.buffer.size, dropped: this.buffer.dropped };
  }

  /** Gives the check its id, and has it written soon. */
  record(facts: NewCheck): Check {
    const number = this.numbers.next(facts.checkedAt.getTime());
    const check = { ...facts, number, id: this.codes.codeOf(number) };
    this.buffer.add(check);
    return check;
  }

  /** The record with this id, whether it has been written yet or not. */
  async find(id: string): Promise<Check | null> {
    const number = this.codes.numberOf(id);
    if (number === null) return null;
    const waiting = this.buffer.get(number);
    if (waiting) return waiting;
    const row = await this.stored.find(number);
    return row && { ...row, id };
  }

  /** Writes all records that wait. Never rejects: what cannot be written waits for the next attempt. */
  flush(): Promise<void> {
    return this.buffer.flush();
  }

  private async write(checks: readonly Check[]): Promise<void> {
    if ((await this.stored.write(checks)) > 0) this.numbers.restart();
  }
}
