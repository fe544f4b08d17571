import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { Unavailable } from '../../problems/problem.js';
import { RevisionsService } from '../../database/revisions.service.js';
import { Transactions } from '../../database/transactions.js';
import { Catalogue, type CatalogueContent } from '../content/catalogue.js';
import { decodeContent, type StoredContent } from '../content/content-codec.js';
import { ContentDamaged } from '../content/coverage-codec.js';
import { CatalogueContentRow } from './catalogue-content.entity.js';
import { CatalogueVersion } from './catalogue-version.entity.js';
import { versionOf } from './version-rows.js';

/** Contents not in service that stay in memory, for answers of the past. */
const MOST_OLDER = 3;
/** Scheduled versions that are loaded ahead of their instants. */
const MOST_UPCOMING = 3;

interface Upcoming {
  readonly catalogue: Catalogue;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The active catalogue version in memory, those that are scheduled, and older ones on request. Every
 * instance loads a scheduled version ahead and takes it into service at its instant, by the clock,
 * whether the database can be reached at that moment or not.
 */
@Injectable()
export class CatalogueService {
  private readonly logger = new Logger(CatalogueService.name);
  private active: Catalogue | undefined;
  /** By instant, which is by number too. */
  private upcoming: Upcoming[] = [];
  /** By content hash: a rollback finds here what it brings back. */
  private readonly contents = new Map<string, Promise<CatalogueContent>>();
  private problem: string | null = null;
  private unrecorded = false;

  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    revisions: RevisionsService,
  ) {
    revisions.follow('catalogue', () => this.load());
  }

  /** The active version: take it once for each request. @throws {Unavailable} where none is */
  get current(): Catalogue {
    if (this.upcoming.length > 0) this.swapDue();
    if (this.active) return this.active;
    throw new Unavailable('No catalogue has been loaded yet.', undefined, 30);
  }

  get loaded(): boolean {
    if (this.upcoming.length > 0) this.swapDue();
    return this.active !== undefined;
  }

  /** The active version's number; null where none is loaded. */
  get currentNumber(): number | null {
    return this.loaded ? this.active!.version : null;
  }

  /** Why this instance serves another version than it should; null where it does not. */
  get lag(): string | null {
    return this.problem;
  }

  /** Whether a scheduled version went into service here that the database may not know of yet. */
  get hasUnrecorded(): boolean {
    this.swapDue();
    return this.unrecorded;
  }

  markRecorded(recorded = true): void {
    this.unrecorded = !recorded;
  }

  /** A version by its number, for answers that were given from it. @throws {VersionNotFound} */
  async version(number: number): Promise<Catalogue> {
    if (this.active?.version === number) return this.active;
    const loaded = this.upcoming.find(({ catalogue }) => catalogue.version === number);
    if (loaded) return loaded.catalogue;
    return this.catalogueOf(await this.transactions.read((tx) => versionOf(tx, number)));
  }

  /** A version's content as the database holds it. @throws {VersionNotFound} */
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

  /** Upwards only: what the database said a moment ago may be older than what is served. */
  private take(catalogue: Catalogue): void {
    if (this.active && this.active.version >= catalogue.version) return;
    this.active = catalogue;
    this.logger.log(`Catalogue version ${catalogue.version} is in service.`);
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
      // Everybody may read this; what else can go wrong is for the log.
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
    // The last used stands last, and the first is forgotten first.
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
