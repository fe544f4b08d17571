import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/kernel/clock.js';
import { Unavailable } from '../../platform/problems/problem.js';
import { RevisionsService } from '../../platform/database/revisions.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { Catalogue, type CatalogueContent } from '../content/catalogue.js';
import { decodeContent, type StoredContent } from '../content/content-codec.js';
import { ContentDamaged } from '../content/coverage-codec.js';
import { CatalogueContentRow } from './catalogue-content.entity.js';
import { CatalogueVersion } from './catalogue-version.entity.js';
import { versionOf } from './version-rows.js';

/** Contents of other versions that stay in memory, to repeat earlier answers. */
const MOST_OLDER = 3;
/** Scheduled versions that are loaded in advance. */
const MOST_UPCOMING = 3;

interface Upcoming {
  readonly catalogue: Catalogue;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The catalogue versions in memory: the active one, the next scheduled ones, and others on request.
 * Every instance loads a scheduled version in advance and switches to it by the clock, even when the
 * database is unavailable at that moment.
 */
@Injectable()
export class CatalogueService {
  private readonly logger = new Logger(CatalogueService.name);
  private active: Catalogue | undefined;
  /** By instant, and so by number too. */
  private upcoming: Upcoming[] = [];
  /** By content hash, so that a rollback finds its content loaded. */
  private readonly contents = new Map<string, Promise<CatalogueContent>>();
  private problem: string | null = null;
  private unrecorded = false;

  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    revisions: RevisionsService,
  ) {
    revisions.register('catalogue', () => this.load());
  }

  /** The active version. Read it once per request. @throws {Unavailable} if none is loaded */
  get current(): Catalogue {
    if (this.upcoming.length > 0) this.swapDue();
    if (this.active) return this.active;
    throw new Unavailable('No catalogue has been loaded yet.', undefined, 30);
  }

  get loaded(): boolean {
    if (this.upcoming.length > 0) this.swapDue();
    return this.active !== undefined;
  }

  /** Null if none is loaded. */
  get currentNumber(): number | null {
    return this.loaded ? this.active!.version : null;
  }

  /** Why this instance could not load the active or a scheduled version; null if it has loaded them. */
  get lag(): string | null {
    return this.problem;
  }

  /** Calls `record` if a scheduled version went live here since the last call that succeeded. */
  async recordActivation(record: () => Promise<void>): Promise<void> {
    this.swapDue();
    if (!this.unrecorded) return;
    this.unrecorded = false;
    try {
      await record();
    } catch (error) {
      this.unrecorded = true;
      throw error;
    }
  }

  /** @throws {VersionNotFound} */
  async version(number: number): Promise<Catalogue> {
    if (this.active?.version === number) return this.active;
    const loaded = this.upcoming.find(({ catalogue }) => catalogue.version === number);
    if (loaded) return loaded.catalogue;
    return this.catalogueOf(await this.transactions.read((tx) => versionOf(tx, number)));
  }

  /** @throws {VersionNotFound} */
  async stored(number: number): Promise<StoredContent> {
    return this.contentOf(await this.transactions.read((tx) => versionOf(tx, number)));
  }

  private swapDue(): void {
    const now = this.clock.now().getTime();
    while (this.upcoming[0] && this.upcoming[0].at <= now) {
      this.take(this.upcoming.shift()!.catalogue);
      this.unrecorded = true;
    }
  }

  /** Never goes back to a lower number: what the database reported may be out of date by now. */
  private take(catalogue: Catalogue): void {
    if (this.active && this.active.version >= catalogue.version) return;
    this.active = catalogue;
    this.logger.log(`Catalogue version ${catalogue.version} is live.`);
  }

  private async load(): Promise<void> {
    const { row, scheduled } = await this.transactions.read(async (tx) => ({
      row: await tx.findOneBy(CatalogueVersion, { state: 'active' }),
      scheduled: await tx.find(CatalogueVersion, {
        where: { state: 'scheduled' },
        order: { activatesAt: 'ASC' },
        take: MOST_UPCOMING,
      }),
    }));
    try {
      if (row && row.number > (this.active?.version ?? 0)) {
        this.problem ??= `Version ${row.number} is active but not loaded yet.`;
        this.take(await this.catalogueOf(row));
      }
      const upcoming: Upcoming[] = [];
      for (const next of scheduled) {
        const at = next.activatesAt!.getTime();
        const known = this.upcoming.find(({ catalogue }) => catalogue.version === next.number);
        upcoming.push({ catalogue: known?.catalogue ?? (await this.catalogueOf(next)), at });
      }
      this.upcoming = upcoming;
      this.problem = null;
    } catch (error) {
      // Readiness reports publish this text, so it has no details of other errors.
      this.problem =
        error instanceof ContentDamaged
          ? error.message
          : 'The newest catalogue cannot be loaded; the log says why.';
      throw error;
    }
  }

  private async catalogueOf(row: CatalogueVersion): Promise<Catalogue> {
    const { contentHash } = row;
    let content = this.contents.get(contentHash);
    if (!content) {
      content = this.contentOf(row)
        .then(decodeContent)
        .catch((error: unknown) => {
          throw error instanceof ContentDamaged
            ? new ContentDamaged(error.what, row.number)
            : error;
        });
      content.catch(() => this.contents.delete(contentHash));
    }
    // The map keeps the most recently used last; the first is dropped.
    this.contents.delete(contentHash);
    this.contents.set(contentHash, content);
    const oldest = this.contents.size > MOST_OLDER ? this.contents.keys().next().value : undefined;
    if (oldest !== undefined) this.contents.delete(oldest);
    return new Catalogue(row.number, await content);
  }

  private async contentOf({ contentHash: hash }: CatalogueVersion): Promise<StoredContent> {
    const content = await this.transactions.read((tx) =>
      tx.findOneBy(CatalogueContentRow, { hash }),
    );
    if (content) return content;
    throw new ContentDamaged('it is not there');
  }
}
