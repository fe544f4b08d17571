import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { Revision } from './revision.entity.js';
import { isDatabaseOutage } from './errors.js';
import { shareNextRun } from '../kernel/share-next-run.js';
import { Transactions } from './transactions.js';
import type { Tx } from './engine/tx.js';

export type RevisionName =
  'access' | 'catalogue' | 'follow-up' | 'register' | 'viewers' | 'webhooks';
type Listener = (number: number) => Promise<void> | void;

/**
 * Tells every instance that what it keeps in memory has changed. A change bumps the number in its own
 * transaction; instances look once a second, and at once where the change was made here.
 */
@Injectable()
export class RevisionsService implements OnApplicationBootstrap {
  private readonly logger = new Logger(RevisionsService.name);
  private readonly seen = new Map<string, number>();
  private readonly listeners = new Map<RevisionName, Listener>();
  private readonly shareNextLook = shareNextRun(() => this.load());

  constructor(private readonly transactions: Transactions) {}

  /** `listener` loads what the name stands for; it is called at start and after each change. */
  follow(name: RevisionName, listener: Listener): void {
    this.listeners.set(name, listener);
  }

  bump(tx: Tx, name: RevisionName): Promise<unknown> {
    return tx.increment(Revision, { name }, 'number', 1);
  }

  /** Looks now; what has changed is loaded when the promise resolves. */
  look(): Promise<void> {
    return this.shareNextLook();
  }

  /**
   * As `look`, after a change that is committed: where the database goes away, the change has
   * happened nevertheless, and is seen when it is back. What cannot be taken into memory, because it
   * is damaged, is told.
   */
  async catchUp(): Promise<void> {
    await this.look().catch((error: unknown) => {
      if (!isDatabaseOutage(error)) throw error;
      this.logger.warn(`Revisions could not be read; memory stays as it is: ${String(error)}`);
    });
  }

  onApplicationBootstrap(): Promise<void> {
    return this.look();
  }

  private async load(): Promise<void> {
    const revisions = await this.transactions.read((tx) => tx.find(Revision));
    const failures: unknown[] = [];
    for (const { name, number } of revisions) {
      if (this.seen.get(name) === number) continue;
      try {
        await this.listeners.get(name as RevisionName)?.(number);
        this.seen.set(name, number);
      } catch (error) {
        // What cannot be loaded is tried again at the next look, and holds nothing else up.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
