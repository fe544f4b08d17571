import { randomUUID } from 'node:crypto';
import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { Revision } from './revision.entity.js';
import { isDatabaseOutage } from './engine/errors.js';
import { shareNextRun } from '../kernel/turns.js';
import { SECOND } from '../kernel/time.js';
import { Transactions } from './transactions.js';
import type { Tx } from './engine/tx.js';

export type RevisionName =
  'access' | 'catalogue' | 'follow-up' | 'register' | 'viewers' | 'webhooks';
type RevisionListener = (number: number) => Promise<void> | void;

/**
 * Invalidates what the instances keep in memory. A change increments a number in its own transaction.
 * Instances compare the numbers once a second, and at once after a change of their own. If the database
 * has gone back, as after a failover that lost the last changes, they load everything again.
 */
@Injectable()
export class RevisionsService implements OnApplicationBootstrap {
  private readonly logger = new Logger(RevisionsService.name);
  private readonly seen = new Map<string, Pick<Revision, 'number' | 'mark'>>();
  private readonly listeners = new Map<RevisionName, RevisionListener>();
  /** When what is in memory was last known to be current, as `performance.now()`. */
  private readonly current = new Map<string, number>();
  private readonly shareNextLook = shareNextRun(() => this.load());

  constructor(private readonly transactions: Transactions) {}

  /** Calls `listener` at start and after each change, to load the data again. */
  register(name: RevisionName, listener: RevisionListener): void {
    this.listeners.set(name, listener);
  }

  bump(tx: Tx, name: RevisionName): Promise<unknown> {
    return tx.update(Revision, { name }, { number: () => 'number + 1', mark: randomUUID() });
  }

  /** Seconds since memory was last known to hold the current data of this name. */
  age(name: RevisionName): number {
    return (performance.now() - (this.current.get(name) ?? -Infinity)) / SECOND;
  }

  /** Loads what has changed. */
  look(): Promise<void> {
    return this.shareNextLook();
  }

  /**
   * As `look`, after a commit: a database outage only logs a warning, because the change is stored and
   * will be loaded later. @throws if the data cannot be loaded for another reason
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
    const begun = performance.now();
    const revisions = await this.transactions.read((tx) => tx.find(Revision));
    if (revisions.some((revision) => this.hasGoneBack(revision))) {
      this.logger.warn(
        'The database has lost changes that were seen before. Everything is reloaded.',
      );
      this.seen.clear();
    }
    const failures: unknown[] = [];
    for (const { name, number, mark } of revisions) {
      try {
        if (this.seen.get(name)?.mark !== mark || this.seen.get(name)?.number !== number) {
          await this.listeners.get(name as RevisionName)?.(number);
          this.seen.set(name, { number, mark });
        }
        this.current.set(name, begun);
      } catch (error) {
        // The next look tries again. One failure does not keep the others from loading.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  private hasGoneBack({ name, number, mark }: Revision): boolean {
    const seen = this.seen.get(name);
    return (
      seen !== undefined && (number < seen.number || (number === seen.number && mark !== seen.mark))
    );
  }
}
