import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { RevisionsService } from '../../platform/database/revisions.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { CatalogueVersion, DISCARDED } from './catalogue-version.entity.js';

/** Returns those of the numbers that something refers to. Such versions must be kept. */
export type VersionReferences = (tx: Tx, numbers: readonly number[]) => Promise<number[]>;

export interface PrunedVersions {
  readonly removed: readonly number[];
  /** Old enough to remove, but still referred to. */
  readonly referred: readonly number[];
}

/** Deletes old catalogue versions to which nothing refers. */
@Injectable()
export class VersionPruningService {
  private readonly references: VersionReferences[] = [];

  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
  ) {}

  /** Versions that `references` returns are never pruned. */
  registerReferences(references: VersionReferences): void {
    this.references.push(references);
  }

  /**
   * @param keep how many of the newest versions stay in any case
   * @param dryRun only tells what it would delete
   */
  async prune(keep: number, dryRun: boolean, actor: Actor): Promise<PrunedVersions> {
    const select = (tx: Tx) => prunable(tx, keep, this.references);
    if (dryRun) return this.transactions.read(select);
    return this.transactions.run(async (tx) => {
      await this.revisions.bump(tx, 'catalogue');
      const pruned = await select(tx);
      await tx.delete(CatalogueVersion, { number: In([...pruned.removed]) });
      await tx.query(
        'DELETE FROM catalogue_contents WHERE hash NOT IN (SELECT content_hash FROM catalogue_versions) AND hash NOT IN (SELECT source_hash FROM catalogue_versions WHERE source_hash IS NOT NULL)',
      );
      for (const number of pruned.removed) {
        await this.audit.record(tx, {
          subject: ['catalogue', String(number)],
          action: 'pruned',
          actor,
        });
      }
      return pruned;
    });
  }
}

/**
 * Old versions: never the newest `keep`, the active one, or one that is referred to. Discarded
 * drafts do not count, and only the newest version stays: it keeps its number from being used again.
 */
async function prunable(
  tx: Tx,
  keep: number,
  uses: readonly VersionReferences[],
): Promise<PrunedVersions> {
  const all = await tx.find(CatalogueVersion, { order: { number: 'DESC' } });
  const discarded = all.slice(1).filter(isDiscarded);
  const old = all
    .filter((version) => !isDiscarded(version))
    .slice(keep)
    .filter(({ state }) => state === 'draft' || state === 'retired')
    .concat(discarded)
    .map(({ number }) => number);
  if (old.length === 0) return { removed: [], referred: [] };
  const referred = new Set<number>();
  for (const references of uses) {
    for (const number of await references(tx, old)) referred.add(number);
  }
  return {
    removed: old.filter((number) => !referred.has(number)),
    referred: old.filter((number) => referred.has(number)),
  };
}

function isDiscarded({ state }: { readonly state: string }): boolean {
  return state === DISCARDED;
}
