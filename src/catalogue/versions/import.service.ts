import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { addRows } from '../../platform/database/engine/rows.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { ScopeInsufficient } from '../../clients/clients.errors.js';
import type { CatalogueContent } from '../content/catalogue.js';
import { type CompiledContent, compileContent } from '../content/content-codec.js';
import type { PriceAdjustment } from '../content/edits/adjust-prices.js';
import type { Review } from '../worker/thread.js';
import { CatalogueVersion, CatalogueContentRow } from './catalogue-version.entity.js';
import { CatalogueRejected, VersionStateProblem } from './catalogue.errors.js';
import { CatalogueService } from './catalogue.service.js';
import { seesCosts } from './costs.service.js';
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
  /** Whether the draft goes live at once; if not, it stays one. */
  readonly activate?: boolean;
  /** The reason to pass broken guard rails. */
  readonly accept?: string | null;
  /** The version that has the missing files, or whose prices change. Without it no file may be missing. */
  readonly base?: number | typeof LIVE | undefined;
}

/** The base that is live when the work starts. */
export const LIVE = 'live';

export interface ImportReport extends Review, Omit<CompiledContent, 'stored' | 'source'> {
  readonly outcome: 'dry-run' | 'no-change' | 'draft' | 'active';
  /** The new version, or the active one if it has this content already; null in a dry run. */
  readonly version: number | null;
  /** The version that was active; null if none was. */
  readonly comparedWith: number | null;
  /** Whether guard rails keep the version a draft. */
  readonly stopped: boolean;
}

type Found = CompiledContent & Review;

interface ReviewStart {
  readonly comparedWith: number | null;
  /** When the work started, by `performance.now()`. */
  readonly began: number;
}

/** parse → validate → compile → compare → guard rails → draft → activate. */
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
   * @throws {ScopeInsufficient} for cost books and margins
   * @throws {Refused} if a file is missing or cannot be read
   * @throws {VersionNotFound | VersionStateProblem} if the base cannot be one
   * @throws the reason of the signal, until the draft is stored
   */
  async importFiles(path: string, options: ImportOptions): Promise<ImportReport> {
    const { input, ...comparison } = await this.comparison();
    const number = options.base === undefined ? null : await this.baseOf(options.base);
    const base = number === null ? null : await this.catalogue.stored(number);
    const job = { ...input, path, base };
    const { faults, compiled, hasCosts } = await inBackground('compile', job, options);
    options.signal?.throwIfAborted();
    // Another margin would show the costs of the base by its prices.
    if (hasCosts && !seesCosts(options.actor)) throw new ScopeInsufficient('margins:read');
    if (!compiled) throw CatalogueRejected.forFaults(faults);
    return this.take(compiled, comparison, options);
  }

  /**
   * Changes prices of the base, by default the live version, by a percentage.
   * @throws {Refused} if no price matches, or one would be too large
   * @throws {VersionNotFound | VersionStateProblem} if the base cannot be one
   */
  async adjustPrices(adjustment: PriceAdjustment, options: ImportOptions): Promise<ImportReport> {
    const { input, ...comparison } = await this.comparison();
    const number = await this.baseOf(options.base ?? LIVE);
    const base = await this.catalogue.stored(number);
    const adjusted = await inBackground('adjust', { ...input, base, adjustment }, options);
    const isOfLive = number === comparison.comparedWith;
    return this.take(adjusted, comparison, options, isOfLive ? adjustment : null);
  }

  /**
   * Makes an adjustment again, of the version that is live now, as a new draft that replaces the old one.
   * @throws {VersionNotFound | VersionStateProblem | Refused}
   */
  async adjustAgain(number: number, actor: Actor): Promise<ImportReport> {
    const { state, label, adjustment } = await this.versions.find(number);
    if (state !== 'draft' || adjustment === null) {
      throw new VersionStateProblem(`Version ${number} is not a draft with adjusted prices.`);
    }
    const report = await this.adjustPrices(adjustment, { label, actor });
    if (report.outcome === 'no-change') {
      throw new VersionStateProblem(
        `Nothing changes: version ${report.version} has these prices already. Discard this draft.`,
      );
    }
    if (report.version !== number) {
      await this.versions.discard(number, actor, { replacedBy: report.version });
    }
    return report;
  }

  /** Stores a content as a new version, and activates it, without guard rails unless another went live meanwhile. */
  async importContent(
    content: CatalogueContent,
    label: string,
    actor: Actor,
  ): Promise<ImportResult> {
    const began = performance.now();
    const compiled = await compileContent(content);
    const active = await this.reviews.activeNumber();
    if (active !== null && (await this.isActive(compiled))) {
      return { version: active, changed: false };
    }
    const nothing: Review = { diff: null, rails: [], warnings: [], calendar: [] };
    const found = { ...compiled, ...nothing };
    const comparison = { comparedWith: active, began };
    const version = await this.storeDraft(found, comparison, { label, actor });
    await this.versions.activate(version, {}, actor, { comparedWith: active, rails: [] });
    return { version, changed: true };
  }

  async hasActive(): Promise<boolean> {
    return (await this.reviews.activeNumber()) !== null;
  }

  private async comparison() {
    const began = performance.now();
    const comparedWith = await this.reviews.activeNumber();
    const before = comparedWith === null ? null : await this.catalogue.stored(comparedWith);
    return { comparedWith, began, input: { ...(await this.reviews.settings()), before } };
  }

  /** A version that a change may start from: the live one, or a draft that was prepared from it. */
  private async baseOf(base: number | typeof LIVE): Promise<number> {
    const active = await this.reviews.activeNumber();
    if (base === LIVE && active !== null) return active;
    if (base === LIVE) throw new VersionStateProblem('No version is live, so there is no base.');
    const { number, state, comparedWith } = await this.versions.find(base);
    if (state === 'active') return number;
    if (state === 'retired') {
      throw new VersionStateProblem(`Version ${number} is retired. Restore it first.`);
    }
    if (comparedWith === active) return number;
    throw new VersionStateProblem(
      `Version ${number} was prepared against version ${comparedWith ?? 'none'}, which is no longer live. Make it again from the live version.`,
    );
  }

  /** Stores what was found, and goes on with it as the options say. */
  private async take(
    compiled: Found,
    comparison: ReviewStart,
    options: ImportOptions,
    adjustment: PriceAdjustment | null = null,
  ): Promise<ImportReport> {
    const { stored, source, ...counted } = compiled;
    const { comparedWith } = comparison;
    const found = { ...counted, comparedWith };
    if (await this.isActive({ stored, source })) {
      const version = await this.reviews.activeNumber();
      return { ...found, outcome: 'no-change', version, stopped: false };
    }
    const stopped = compiled.rails.length > 0 && (options.accept ?? null) === null;
    if (options.dryRun) return { ...found, outcome: 'dry-run', version: null, stopped };
    const version = await this.storeDraft(compiled, comparison, options, adjustment);
    if (stopped || !options.activate) return { ...found, outcome: 'draft', version, stopped };
    const { accept = null, actor } = options;
    this.catalogue.keepStored(stored);
    await this.versions.activate(version, { accept }, actor, {
      comparedWith,
      rails: [...compiled.rails],
    });
    return { ...found, outcome: 'active', version, stopped };
  }

  private isActive(content: Pick<CompiledContent, 'stored' | 'source'>): Promise<boolean> {
    return this.transactions.read((tx) =>
      tx.existsBy(CatalogueVersion, { state: 'active', ...withContent(content) }),
    );
  }

  /** Reuses a waiting draft with the same content. @returns the number of the draft */
  private async storeDraft(
    { stored, source, products, prices, size, premises, rails }: Found,
    { comparedWith, began }: ReviewStart,
    { label, actor }: Pick<ImportOptions, 'label' | 'actor'>,
    adjustment: PriceAdjustment | null = null,
  ): Promise<number> {
    const { hash } = stored;
    const { number } = await this.versions.change(async (tx) => {
      const waiting = await waitingDraft(tx, { stored, source });
      if (waiting !== null) {
        const judged = { comparedWith, rails: [...rails], adjustment };
        await tx.update(CatalogueVersion, { number: waiting }, judged);
        return waiting;
      }
      for (const content of [stored, source]) {
        if (!content || (await tx.existsBy(CatalogueContentRow, { hash: content.hash }))) continue;
        // TypeORM's insert would encode the bytes twice.
        await addRows(tx, CatalogueContentRow, [content]);
      }
      const next = await nextNumber(tx);
      await tx.insert(CatalogueVersion, {
        number: next,
        label,
        state: 'draft',
        contentHash: hash,
        sourceHash: source?.hash ?? null,
        products,
        prices,
        premises,
        places: Object.values(size).reduce((sum, count) => sum + count, 0),
        createdBy: actor.name,
        createdAt: this.clock.now(),
        comparedWith,
        rails: [...rails],
        adjustment,
      });
      await this.audit.record(tx, {
        subject: ['catalogue', String(next)],
        action: 'imported',
        actor,
        details: {
          label,
          contentHash: hash,
          rails: rails.map(({ rail }) => rail),
          seconds: Math.round(performance.now() - began) / 1_000,
        },
      });
      return next;
    });
    return number;
  }
}

/** Finds the versions with a content. */
function withContent({ stored, source }: Pick<CompiledContent, 'stored' | 'source'>) {
  return { contentHash: stored.hash, sourceHash: source ? source.hash : IsNull() };
}

/** The newest draft with this content, if it is newer than the active version. */
async function waitingDraft(
  tx: Tx,
  content: Pick<CompiledContent, 'stored' | 'source'>,
): Promise<number | null> {
  const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
  const [draft] = await tx.find(CatalogueVersion, {
    where: { state: 'draft', ...withContent(content) },
    order: { number: 'DESC' },
    take: 1,
  });
  return draft && draft.number > (active?.number ?? 0) ? draft.number : null;
}
