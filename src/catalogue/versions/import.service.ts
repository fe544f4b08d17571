import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../../audit/audit.service.js';
import { Clock } from '../../kernel/clock.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import type { CatalogueContent } from '../content/catalogue.js';
import { type CompiledContent, compileContent } from '../content/content-codec.js';
import type { Review } from '../worker/thread.js';
import { CatalogueContentRow } from './catalogue-content.entity.js';
import { CatalogueVersion } from './catalogue-version.entity.js';
import { CatalogueRejected } from './catalogue.errors.js';
import { CatalogueService } from './catalogue.service.js';
import { ReviewService } from './review.service.js';
import { nextNumber } from './version-rows.js';
import { VersionsService } from './versions.service.js';
import { inBackground, type JobControl } from '../worker/in-background.js';

export interface ImportResult {
  readonly version: number;
  /** False if the active version has this content already. */
  readonly changed: boolean;
}

export interface ImportOptions extends JobControl {
  readonly label: string;
  readonly actor: Actor;
  /** Only reports what would change. */
  readonly dryRun?: boolean;
  /** Whether the draft stays one, or goes live now or at an instant. */
  readonly then?: 'stay' | 'activate' | Date;
  /** The reason to pass broken guard rails. */
  readonly accept?: string | null;
}

export interface ImportReport extends Review, Omit<CompiledContent, 'stored'> {
  readonly outcome: 'dry-run' | 'no-change' | 'draft' | 'scheduled' | 'active';
  /** The new version, or the active one if it has this content already; null in a dry run. */
  readonly version: number | null;
  /** The version that was active; null if none was. */
  readonly comparedWith: number | null;
  /** Whether guard rails keep the version a draft. */
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
   * Imports the files of a folder or a zip.
   * @throws {CatalogueRejected} with every fault; nothing is stored then
   * @throws {Refused} if a file is missing or cannot be read
   * @throws the reason of the signal, until the draft is stored
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
      options,
    );
    options.signal?.throwIfAborted();
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

  /** Stores a content without guard rails as a new version, and activates it. */
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

  /** Reuses a waiting draft with the same content. @returns the number of the draft */
  private async storeDraft(
    { stored, products, prices, size, premises, rails }: CompiledContent & Review,
    comparedWith: number | null,
    { label, actor }: Pick<ImportOptions, 'label' | 'actor'>,
  ): Promise<number> {
    const { hash } = stored;
    const { number } = await this.versions.change(async (tx) => {
      const waiting = await waitingDraft(tx, hash);
      if (waiting !== null) {
        await tx.update(CatalogueVersion, { number: waiting }, { comparedWith, rails: [...rails] });
        return waiting;
      }
      if (!(await tx.existsBy(CatalogueContentRow, { hash }))) {
        await tx.insert(CatalogueContentRow, stored);
      }
      const next = await nextNumber(tx);
      await tx.insert(CatalogueVersion, {
        number: next,
        label,
        state: 'draft',
        contentHash: hash,
        products,
        prices,
        premises,
        places: Object.values(size).reduce((sum, count) => sum + count, 0),
        createdBy: actor.name,
        createdAt: this.clock.now(),
        comparedWith,
        rails: [...rails],
      });
      await this.audit.record(tx, {
        subject: ['catalogue', String(next)],
        action: 'imported',
        actor,
        details: { label, contentHash: hash, rails: rails.map(({ rail }) => rail) },
      });
      return next;
    });
    return number;
  }
}

/** The newest draft with this content, if it is newer than the active version. */
async function waitingDraft(tx: Tx, contentHash: string): Promise<number | null> {
  const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
  const [draft] = await tx.find(CatalogueVersion, {
    where: { state: 'draft', contentHash },
    order: { number: 'DESC' },
    take: 1,
  });
  return draft && draft.number > (active?.number ?? 0) ? draft.number : null;
}
