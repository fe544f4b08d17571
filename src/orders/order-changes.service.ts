import { Injectable, Logger } from '@nestjs/common';
import { Revisions } from '../database/revisions.js';
import { Transactions } from '../database/transactions.js';

/** Milliseconds in which changes are gathered into one bump. */
const GATHERING = 250;

/**
 * Tells all instances that orders have changed. The number is bumped after the change is committed and
 * at most four times a second: in the change's own transaction it would make every move of every
 * instance wait for the same row.
 */
@Injectable()
export class OrderChanges {
  private readonly logger = new Logger(OrderChanges.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: Revisions,
  ) {
    transactions.beforeClose(() => this.stop());
  }

  /** Call it after the commit. */
  tell(): void {
    this.timer ??= setTimeout(() => void this.bump(), GATHERING).unref();
  }

  private async bump(): Promise<void> {
    this.timer = undefined;
    try {
      await this.transactions.run((tx) => this.revisions.bump(tx, 'follow-up'));
      await this.revisions.look();
    } catch (error) {
      this.logger.warn(`The news of changed orders waits for the database: ${String(error)}`);
      this.timer ??= setTimeout(() => void this.bump(), 1_000).unref();
    }
  }

  private async stop(): Promise<void> {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    await this.transactions.run((tx) => this.revisions.bump(tx, 'follow-up'));
  }
}
