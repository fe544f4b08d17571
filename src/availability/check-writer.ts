import { Logger } from '@nestjs/common';
import type { Transactions } from '../database/transactions.js';
import { CheckBatch, checkColumns } from './check-batch.js';
import type { Check, TestCheck } from './check.entity.js';

/**
 * Milliseconds for which a record may wait for others before its group is written, and rows of one
 * transaction. On SQLite a commit costs as much as thousands of rows, and no order is stored
 * meanwhile; on PostgreSQL other instances are soon asked about a check, and a statement takes at
 * most 65,535 parameters.
 */
const groups = { sqlite: { delay: 200, size: 1_000 }, postgres: { delay: 50, size: 500 } };
/** Records kept while the database is away; later ones are dropped, and counted in the log. */
const MOST_WAITING = 200_000;

/** Writes records of checks to one table, behind and in groups. */
export class CheckWriter {
  private readonly logger = new Logger(CheckWriter.name);
  private readonly waiting: CheckBatch[] = [];
  private writing: CheckBatch | undefined;
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private dropped = 0;
  /** Records in `waiting`. */
  private count = 0;
  private readonly group: { readonly delay: number; readonly size: number };

  constructor(
    private readonly transactions: Transactions,
    private readonly table: 'checks' | 'test_checks',
    private readonly entity: typeof Check | typeof TestCheck,
  ) {
    this.group = groups[transactions.engine];
    transactions.beforeClose(() => this.flush());
  }

  /** Records that wait to be written, and those that were dropped because too many did. */
  get backlog(): { readonly waiting: number; readonly dropped: number } {
    return { waiting: this.count + (this.writing?.count ?? 0), dropped: this.dropped };
  }

  record(check: Check): void {
    if (this.count >= MOST_WAITING) {
      this.dropped += 1;
      return;
    }
    let last = this.waiting.at(-1);
    if (!last || last.count >= this.group.size) this.waiting.push((last = new CheckBatch()));
    last.add(check);
    this.count += 1;
    this.timer ??= setTimeout(() => void this.flush(), this.group.delay);
  }

  /** The record with this id, whether it has been written yet or not. */
  async find(id: string): Promise<Check | null> {
    for (const batch of [...this.waiting, this.writing]) {
      const found = batch?.find(id);
      if (found) return found;
    }
    return this.transactions.read((tx) => tx.findOneBy<Check>(this.entity, { id }));
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
    for (let batch = this.waiting.shift(); batch; batch = this.waiting.shift()) {
      this.count -= batch.count;
      this.writing = batch;
      try {
        await this.transactions.insertRows(this.table, checkColumns, batch.json);
        this.writing = undefined;
      } catch (error) {
        this.waiting.unshift(batch);
        this.count += batch.count;
        this.writing = undefined;
        this.logger.warn(
          `${this.count} check records wait for the database (${this.dropped} dropped): ${String(error)}`,
        );
        this.timer ??= setTimeout(() => void this.flush(), 1_000).unref();
        return;
      }
    }
  }
}
