import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../../audit/audit.service.js';
import { Clock } from '../../kernel/clock.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import type { CatalogueContent } from '../content/catalogue.js';
import { type CompiledContent, compileContent } from '../content/content-codec.js';
import type { Review } from '../worker/thread.js';
import type { OnProgress } from '../worker/read-files.js';
import { CatalogueContentRow } from './catalogue-content.entity.js';
import { CatalogueVersion } from './catalogue-version.entity.js';
import { CatalogueRejected } from './catalogue.errors.js';
import { CatalogueService } from './catalogue.service.js';
import { ReviewService } from './review.service.js';
import { nextNumber } from './version-rows.js';
import { VersionsService } from './versions.service.js';
import { inBackground } from '../worker/in-background.js';

export interface ImportResult {
  readonly version: number;
  /** False where the content equals that of the active version, so that nothing was done. */
  readonly changed: boolean;
}

export interface ImportOptions {
  readonly label: string;
  readonly actor: Actor;
  /** Reports what would change, and stores nothing. */
  readonly dryRun?: boolean;
  /** What becomes of the draft: it stays one, is taken into service now, or at an instant. */
  readonly then?: 'stay' | 'activate' | Date;
  /** Says why a broken guard rail is meant. */
  readonly accept?: string | null;
  readonly onProgress?: OnProgress;
}

/** What an import found and did. */
export interface ImportReport extends Review, Omit<CompiledContent, 'stored'> {
  readonly outcome: 'dry-run' | 'no-change' | 'draft' | 'scheduled' | 'active';
  /** The version that was made or, where there is no change, that is active; null in a dry run. */
  readonly version: number | null;
  /** The version that it was compared with; null where none was active. */
  readonly comparedWith: number | null;
  /** Where guard rails keep the version from the service that was asked for. */
  readonly stopped: boolean;
}

/** parse → validate → compile → compare → guard rails → draft → activate or schedule. */
@Injectable()
export class ImportService {
  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueService,
    private readonly versions: VersionsService,
    private readonly reviews: ReviewService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Imports the three files of a folder or a zip. Where no version is
   * active, there is nothing to compare with.
   * @throws {CatalogueRejected} with every fault; then nothing has changed
   * @throws {Refused} where a file is missing or cannot be read
   */
  async importFiles(path: string, options: ImportOptions): Promise<ImportReport> {
    const comparedWith = await this.reviews.activeNumber();
    const { faults, compiled } = await inBackground(
      'compile',
      {
        ...(await this.reviews.settings()),
        path,
        before: comparedWith === null ? null : await this.catalogue.stored(comparedWith),
      },
      options.onProgress,
    );
    if (!compiled) throw CatalogueRejected.forFaults(faults);
    const { stored, ...counted } = compiled;
    const found = { ...counted, comparedWith };
    if (await this.isActive(stored.hash)) {
      const version = await this.reviews.activeNumber();
      return { ...found, outcome: 'no-change', version, stopped: false };
    }
    const stopped = compiled.rails.length > 0 && (options.accept ?? null) === null;
    if (options.dryRun) return { ...found, outcome: 'dry-run', version: null, stopped };
    const version = await this.storeDraft(compiled, comparedWith, options);
    const outcome = stopped ? 'draft' : await this.moveOn(version, options);
    return { ...found, outcome, version, stopped };
  }

  /** Stores a content that is trusted as a new version and activates it, all or nothing. */
  async importContent(
    content: CatalogueContent,
    label: string,
    actor: Actor,
  ): Promise<ImportResult> {
    const compiled = await compileContent(content);
    const active = await this.reviews.activeNumber();
    if (active !== null && (await this.isActive(compiled.stored.hash))) {
      return { version: active, changed: false };
    }
    const nothing: Review = { diff: null, rails: [], warnings: [] };
    const version = await this.storeDraft({ ...compiled, ...nothing }, active, { label, actor });
    await this.versions.activate(version, null, actor);
    return { version, changed: true };
  }

  /** Whether anything is served yet. */
  async hasActive(): Promise<boolean> {
    return (await this.reviews.activeNumber()) !== null;
  }

  private async moveOn(
    version: number,
    { then = 'stay', accept = null, actor }: ImportOptions,
  ): Promise<ImportReport['outcome']> {
    if (then === 'stay') return 'draft';
    if (then === 'activate') {
      await this.versions.activate(version, accept, actor);
      return 'active';
    }
    await this.versions.schedule(version, then, accept, actor);
    return 'scheduled';
  }

  private isActive(hash: string): Promise<boolean> {
    return this.transactions.read((tx) =>
      tx.existsBy(CatalogueVersion, { state: 'active', contentHash: hash }),
    );
  }

  /** One transaction: a draft is there whole or not at all. A waiting draft of equal content is it. */
  private async storeDraft(
    { stored, products, prices, size, rails }: CompiledContent & Review,
    comparedWith: number | null,
    { label, actor }: Pick<ImportOptions, 'label' | 'actor'>,
  ): Promise<number> {
    const { hash } = stored;
    let number = 0;
    await this.versions.change(
      async (tx) => {
        number = await waitingDraft(tx, hash);
        if (number !== 0) {
          await tx.update(CatalogueVersion, { number }, { comparedWith, rails: [...rails] });
          return;
        }
        if (!(await tx.existsBy(CatalogueContentRow, { hash }))) {
          await tx.insert(CatalogueContentRow, stored);
        }
        number = await nextNumber(tx);
        await tx.insert(CatalogueVersion, {
          number,
          label,
          state: 'draft',
          contentHash: hash,
          products,
          prices,
          places: Object.values(size).reduce((sum, count) => sum + count, 0),
          createdBy: actor.name,
          createdAt: this.clock.now(),
          comparedWith,
          rails: [...rails],
        });
        await this.audit.record(tx, {
          subject: ['catalogue', String(number)],
          action: 'imported',
          actor,
          details: { label, contentHash: hash, rails: rails.map(({ rail }) => rail) },
        });
      },
      () => number,
    );
    return number;
  }
}

/** A draft of this content that is newer than what is active; 0 where there is none. */
async function waitingDraft(tx: Tx, contentHash: string): Promise<number> {
  const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
  const [draft] = await tx.find(CatalogueVersion, {
    where: { state: 'draft', contentHash },
    order: { number: 'DESC' },
    take: 1,
  });
  return draft && draft.number > (active?.number ?? 0) ? draft.number : 0;
}
