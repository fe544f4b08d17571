import { Logger } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
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
  /** Until they are written: those of the batch that is being written are the first. */
  private readonly waiting: Check[] = [];
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private failing = false;
  private dropped = 0;

  constructor(
    transactions: Transactions,
    table: CheckTable,
    private readonly codes: CheckCodes,
  ) {
    this.stored = new StoredChecks(transactions, table);
    transactions.beforeClose(() => this.flush());
  }

  /** Records that wait to be written, and those that were dropped because too many did. */
  get backlog(): { readonly waiting: number; readonly dropped: number } {
    return { waiting: this.waiting.length, dropped: this.dropped };
  }

  /** Gives the check its id, and has it written soon. */
  record(facts: NewCheck): Check {
    const number = this.numbers.next(facts.checkedAt.getTime());
    const check = { ...facts, number, id: this.codes.codeOf(number) };
    if (this.waiting.length >= MOST_WAITING) {
      this.dropped += 1;
      return check;
    }
    this.waiting.push(check);
    this.timer ??= setTimeout(() => void this.flush(), DELAY);
    if (this.waiting.length >= BATCH && !this.next && !this.failing) void this.flush();
    return check;
  }

  /** The record with this id, whether it has been written yet or not. */
  async find(id: string): Promise<Check | null> {
    const number = this.codes.numberOf(id);
    if (number === null) return null;
    const waiting = this.waiting.find((check) => check.number === number);
    if (waiting) return waiting;
    const row = await this.stored.find(number);
    return row && { ...row, id };
  }

  /** Writes all that waits. Never rejects: what could not be written waits for the next time. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    // While the database hangs, all who ask for the next flush share it.
    this.next ??= this.flushing.then(() => {
      this.next = undefined;
      return (this.flushing = this.writeWaiting());
    });
    return this.next;
  }

  private async writeWaiting(): Promise<void> {
    for (let left = this.waiting.length; left > 0;) {
      const batch = this.waiting.slice(0, Math.min(left, BATCH));
      try {
        if ((await this.stored.write(batch)) > 0) this.numbers.restart();
      } catch (error) {
        this.failing = true;
        this.logger.warn(
          `${this.waiting.length} check records wait for the database (${this.dropped} dropped): ${String(error)}`,
        );
        this.timer ??= setTimeout(() => void this.flush(), 1_000).unref();
        return;
      }
      this.failing = false;
      this.waiting.splice(0, batch.length);
      left -= batch.length;
      if (left > 0) await nextTurn();
    }
  }
}
