import { Logger } from '@nestjs/common';
import type { Transactions } from '../database/transactions.js';
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
  private waiting: Check[] = [];
  private writing: Check[] = [];
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private dropped = 0;
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
    return { waiting: this.waiting.length + this.writing.length, dropped: this.dropped };
  }

  record(check: Check): void {
    if (this.waiting.length >= MOST_WAITING) {
      this.dropped += 1;
      return;
    }
    this.waiting.push(check);
    this.timer ??= setTimeout(() => void this.flush(), this.group.delay);
  }

  /** The record with this id, whether it has been written yet or not. */
  async find(id: string): Promise<Check | null> {
    const isIt = (check: Check) => check.id === id;
    return (
      this.waiting.find(isIt) ??
      this.writing.find(isIt) ??
      (await this.transactions.read((tx) => tx.findOneBy<Check>(this.entity, { id })))
    );
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
    while (this.waiting.length > 0) {
      this.writing = this.waiting.slice(0, this.group.size);
      this.waiting = this.waiting.slice(this.group.size);
      try {
        await this.transactions.insertRows(this.table, columns, valuesOf(this.writing));
        this.writing = [];
      } catch (error) {
        this.waiting = this.writing.concat(this.waiting);
        this.writing = [];
        this.logger.warn(
          `${this.waiting.length} check records wait for the database (${this.dropped} dropped): ${String(error)}`,
        );
        this.timer ??= setTimeout(() => void this.flush(), 1_000).unref();
        return;
      }
    }
  }
}

const columns = [
  'id',
  'client_id',
  'postcode',
  'area',
  'price_list',
  'catalogue_version',
  'product_count',
  'checked_at',
  'staff_id',
];

/** The rows for `columns`, one after the other: TypeORM's own insert costs more than the check. */
function valuesOf(checks: readonly Check[]): (string | number | null)[] {
  const values: (string | number | null)[] = [];
  for (const check of checks) {
    values.push(
      check.id,
      check.clientId,
      check.postcode,
      check.area,
      check.priceList,
      check.catalogueVersion,
      check.productCount,
      check.checkedAt.getTime(),
      check.staffId,
    );
  }
  return values;
}
