import { Injectable } from '@nestjs/common';
import type { Catalogue } from '../catalogue/content/catalogue.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { RegisterService } from '../catalogue/versions/register.service.js';
import { newId } from '../platform/database/new-id.js';
import { Revision } from '../platform/database/revision.entity.js';
import { Config } from '../platform/config/config.js';
import { Transactions } from '../platform/database/transactions.js';
import { OutboxService } from '../platform/notifications/outbox.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { SECOND } from '../platform/kernel/time.js';
import { callerServed } from './watch-emails.js';
import { lastChange } from './watch-condition.js';
import { isBehind, WatchProgress, type WatchTarget } from './watch-progress.entity.js';

/** Milliseconds after which another instance takes over an evaluation that has stopped. */
const LEASE = 30 * SECOND;

/** An evaluation that this instance has begun. */
export interface WatchRun {
  readonly id: string;
  readonly catalogue: Catalogue;
  readonly target: WatchTarget;
  readonly leaseUntil: Date;
}

/** Which change the watches have to be compared with, and who does it. */
@Injectable()
export class WatchTargetService {
  /** All watches are known to have been compared with it. */
  private settled: WatchTarget | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueService,
    private readonly register: RegisterService,
    private readonly outbox: OutboxService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Null if there is nothing to evaluate, another instance does it, or knows a newer catalogue.
   * @throws {Error} if the clock is ahead: others would find their catalogue too old to store watches
   */
  async begin(): Promise<WatchRun | null> {
    if (!this.catalogue.loaded) return null;
    const catalogue = this.catalogue.current;
    const now = this.clock.now();
    const access = await this.transactions.read((tx) =>
      tx.findOneByOrFail(Revision, { name: 'access' }),
    );
    const readyAt = new Date(lastChange(catalogue, now.getTime()));
    const { nearNet, routeFactor, pointOffset } = this.config;
    const email = this.outbox.sends(callerServed.code) ? ' email' : '';
    const target: WatchTarget = {
      version: catalogue.version,
      readyAt,
      access: access.number + this.register.revision,
      settings: `${nearNet} ${routeFactor} ${pointOffset}${email}`,
    };
    if (this.settled && isSame(this.settled, target)) return null;
    await this.transactions.refuseClockAhead();
    const leaseUntil = new Date(now.getTime() + LEASE);
    const run = newId();
    const begun = await this.transactions.run(async (tx) => {
      const progress = await tx.findOneByOrFail(WatchProgress, { id: 1 });
      if (isBehind(target, progress)) return false;
      if (isSame(progress, target)) {
        if (progress.done) this.settled = target;
        if (progress.done || progress.leaseUntil > now) return false;
      }
      const { affected } = await tx.update(
        WatchProgress,
        { id: 1, run: progress.run },
        { ...target, run, leaseUntil, done: false },
      );
      return affected === 1;
    });
    return begun ? { id: run, catalogue, target, leaseUntil } : null;
  }

  /** Keeps others from starting it again. @returns the run with its new lease */
  async renew(run: WatchRun): Promise<WatchRun> {
    const now = this.clock.now().getTime();
    if (run.leaseUntil.getTime() - now > LEASE / 2) return run;
    const leaseUntil = new Date(now + LEASE);
    await this.transactions.run((tx) => tx.update(WatchProgress, { run: run.id }, { leaseUntil }));
    return { ...run, leaseUntil };
  }

  /** @param done whether all watches were compared; if not, any instance may start again at once */
  async end({ id, target }: WatchRun, done: boolean): Promise<void> {
    // While instances differ in their settings, each evaluates once.
    if (done) this.settled = target;
    const leaseUntil = this.clock.now();
    await this.transactions.run((tx) =>
      tx.update(WatchProgress, { run: id }, { done, leaseUntil }),
    );
  }
}

function isSame(a: WatchTarget, b: WatchTarget): boolean {
  return (
    a.version === b.version &&
    a.readyAt.getTime() === b.readyAt.getTime() &&
    a.access === b.access &&
    a.settings === b.settings
  );
}
