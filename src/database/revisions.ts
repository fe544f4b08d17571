import { Injectable, Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Revision } from './revision.entity.js';
import { isDatabaseOutage } from './errors.js';
import { Transactions } from './transactions.js';
import type { Tx } from './engine/tx.js';

export type RevisionName =
  'access' | 'catalogue' | 'follow-up' | 'register' | 'viewers' | 'webhooks';
type Listener = (number: number) => Promise<void> | void;

/** Milliseconds between two looks at the table. */
const INTERVAL = 1_000;

/**
 * Tells every instance that what it keeps in memory has changed. A change bumps the number in its own
 * transaction; instances look once a second, and at once where the change was made here.
 */
@Injectable()
export class Revisions implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(Revisions.name);
  private readonly seen = new Map<string, number>();
  private readonly listeners = new Map<RevisionName, Listener>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

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
    // A look that is running may have missed the change; those who wait for it share the next one.
    this.next ??= this.looking
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return (this.looking = this.load());
      });
    return this.next;
  }

  /**
   * As `look`, after a change that is committed: where the database goes away, the change has
   * happened nevertheless, and is seen when it is back. What cannot be taken into memory, because it
   * is damaged, is told.
   */
  async catchUp(): Promise<void> {
    await this.look().catch((error: unknown) => {
      if (!isDatabaseOutage(error)) throw error;
      this.warn(error);
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.look();
    this.timer = setInterval(
      () => void this.look().catch((error) => this.warn(error)),
      INTERVAL,
    ).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await (this.next ?? this.looking).catch(() => undefined);
  }

  private warn(error: unknown): void {
    this.logger.warn(`Revisions could not be read; memory stays as it is: ${String(error)}`);
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
