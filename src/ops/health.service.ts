import { Injectable, OnApplicationBootstrap } from '@nestjs/common';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { endingBooks } from '../catalogue/content/lint.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { AccessService } from '../clients/access.service.js';
import { bankHolidayWarning } from '../platform/kernel/bank-holidays.js';
import { SECOND } from '../platform/kernel/time.js';
import { Clock } from '../platform/kernel/clock.js';
import { londonDay } from '../platform/kernel/working-hours.js';
import { Transactions } from '../platform/database/transactions.js';
import { Config } from '../platform/config/config.js';
import { BackupsService } from './backups.service.js';
import type { Readiness } from './health.dto.js';
import { counted } from '../platform/kernel/counts.js';

/** Milliseconds: the timeout of the database, and how long its last answer counts for checks. */
const DATABASE_TIMEOUT = SECOND;
const FRESH = 5 * SECOND;
/** Bytes below which the disk counts as full. */
const LEAST_FREE = 100 * 1024 * 1024;

/** Checks the parts of the service once a second, so that health requests cost nothing. */
@Injectable()
export class HealthService implements OnApplicationBootstrap {
  private databaseSeenAt = -Infinity;
  private database: 'writable' | 'read-only' | 'away' = 'away';
  private migrated = true;
  private disk = true;
  private draining = false;

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly access: AccessService,
    private readonly transactions: Transactions,
    private readonly backups: BackupsService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.look();
  }

  /** Tells load balancers to send no more requests. */
  drain(): void {
    this.draining = true;
  }

  /** Whether a database that accepts writes has answered lately. */
  get databaseIsSeen(): boolean {
    return performance.now() - this.databaseSeenAt <= FRESH;
  }

  /** The database answers, but refuses writes. */
  get databaseIsReadOnly(): boolean {
    return this.database === 'read-only';
  }

  /** Whether this instance can store orders. An outage counts from its first second. */
  get takesOrders(): boolean {
    return this.state.status === 'ready' && this.database === 'writable';
  }

  get state(): Readiness {
    const { draining, disk, migrated: migrations } = this;
    const catalogue = this.catalogue.loaded;
    const { isTrusted: tokens } = this.access;
    const warning = bankHolidayWarning(this.clock.now());
    return {
      // Look-ups need neither the database nor the disk.
      status: catalogue && migrations && tokens && !draining ? 'ready' : 'not ready',
      catalogue,
      catalogueVersion: this.catalogue.currentNumber,
      lag: this.catalogue.lag,
      database: this.databaseIsSeen,
      databaseReadOnly: this.databaseIsReadOnly,
      tokens,
      migrations,
      disk,
      bankHolidays: warning === null,
      draining,
      warnings: [warning, this.backups.warning, this.bookWarning()].filter((text) => text !== null),
    };
  }

  /** Names no supplier: anyone can read it. */
  private bookWarning(): string | null {
    if (!this.catalogue.loaded) return null;
    const { suppliers } = this.catalogue.current.content;
    const { length } = endingBooks(suppliers, londonDay(this.clock.now()));
    if (length === 0) return null;
    const books = counted(length, 'cost book has', 'cost books have');
    return `${books} ended, or will within 14 days: prices are indicative after the last day. Import newer costs.`;
  }

  async look(): Promise<void> {
    await Promise.all([this.lookAtDatabase(), this.lookAtDisk()]);
  }

  private async lookAtDatabase(): Promise<void> {
    try {
      await this.transactions.within(DATABASE_TIMEOUT, async () => {
        this.migrated = await this.transactions.isMigrated();
        this.database = (await this.transactions.acceptsWrites()) ? 'writable' : 'read-only';
      });
      this.databaseSeenAt = this.databaseIsReadOnly ? -Infinity : performance.now();
    } catch {
      // `databaseSeenAt` stays as it is.
      this.database = 'away';
    }
  }

  private async lookAtDisk(): Promise<void> {
    const { databaseUrl, sqliteFile } = this.config;
    const folder = databaseUrl === null ? dirname(sqliteFile) : '.';
    try {
      const { bavail, bsize } = await statfs(folder);
      this.disk = bavail * bsize >= LEAST_FREE;
    } catch {
      this.disk = false;
    }
  }
}
