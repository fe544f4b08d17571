import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import type { AuditAction } from '../../platform/audit/audit-actions.js';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import { ScopeInsufficient } from '../../clients/clients.errors.js';
import { Clock } from '../../platform/kernel/clock.js';
import { NotFound, Problem } from '../../platform/problems/problem.js';
import { RevisionsService } from '../../platform/database/revisions.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { BrokenRail } from '../content/review/guard-rails.js';
import { CatalogueVersion, DISCARDED, type VersionState } from './catalogue-version.entity.js';
import { GuardRailBroken, VersionStateProblem } from './catalogue.errors.js';
import { seesCosts } from './costs.service.js';
import { ReviewService } from './review.service.js';
import {
  liveAsJudged,
  nextNumber,
  notDiscarded,
  refuseUnlessPending,
  sourceOf,
  takeOver,
  versionOf,
} from './version-rows.js';

/** How a person publishes or restores a version. */
export interface Publication {
  /** The reason to pass broken guard rails. */
  readonly accept?: string | null;
}

/** The states of catalogue versions: draft → active → retired, numbered upwards only. */
@Injectable()
export class VersionsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly reviews: ReviewService,
  ) {}

  /** All versions, newest first, without their content. */
  list(): Promise<CatalogueVersion[]> {
    return this.transactions.read((tx) =>
      tx.find(CatalogueVersion, { where: { state: notDiscarded }, order: { number: 'DESC' } }),
    );
  }

  /** @throws {VersionNotFound} */
  find(number: number): Promise<CatalogueVersion> {
    return this.transactions.read((tx) => versionOf(tx, number));
  }

  /** The audit entries of a version, oldest first. */
  history(number: number): Promise<AuditEntry[]> {
    return this.transactions.read((tx) =>
      tx.find(AuditEntry, {
        where: { subjectType: 'catalogue', subjectId: String(number) },
        order: { id: 'ASC' },
      }),
    );
  }

  /** The version that was active at `at`. @throws {NotFound} */
  async activeAt(at: Date): Promise<CatalogueVersion> {
    const [version] = await this.transactions.read((tx) =>
      tx.find(CatalogueVersion, {
        where: { activatedAt: LessThanOrEqual(at) },
        order: { activatedAt: 'DESC', number: 'DESC' },
        take: 1,
      }),
    );
    if (!version) throw new NotFound('No catalogue version was live at this time.');
    return version;
  }

  /**
   * Makes a draft live at once. A version that is live stays so: the caller may have lost the first answer.
   * @param found what its review has found just now, if there was one
   * @throws {VersionNotFound | VersionStateProblem | GuardRailBroken}
   */
  async activate(
    number: number,
    { accept = null }: Publication,
    actor: Actor,
    found?: Pick<CatalogueVersion, 'comparedWith' | 'rails'>,
  ): Promise<CatalogueVersion> {
    const judged = await this.reviews.activeNumber();
    if (judged === number) return this.find(number);
    const isFound = found?.comparedWith === judged;
    const rails = isFound ? (found.rails ?? []) : await this.railsNow(number, accept, actor);
    // It may be the draft that cannot be read.
    if (rails === null) await this.reviews.calendar(number);
    const details = passRails(number, rails, accept, actor);
    return this.change(async (tx) => {
      const version = await versionOf(tx, number);
      if (version.state === 'active') return number;
      await refuseUnlessPending(tx, version);
      await liveAsJudged(tx, judged);
      await takeOver(tx, number, this.clock.now());
      await this.record(tx, version, 'activated', actor, details);
      return number;
    });
  }

  /** `restore` for a version that is retired, otherwise `activate`: the caller gets the live version. */
  async publish(number: number, about: Publication, actor: Actor): Promise<CatalogueVersion> {
    const { state } = await this.find(number);
    return state === 'retired'
      ? this.restore(number, about, actor)
      : this.activate(number, about, actor);
  }

  /** Removes a draft. @returns it as it was @throws {VersionNotFound | VersionStateProblem} */
  async discard(
    number: number,
    actor: Actor,
    about: Record<string, unknown> = {},
  ): Promise<CatalogueVersion> {
    const discarded = await this.transactions.run(async (tx) => {
      await this.revisions.bump(tx, 'catalogue');
      const version = await versionOf(tx, number);
      if (version.state !== 'draft') {
        throw new VersionStateProblem(
          `Version ${number} is ${version.state}. Only a draft can be discarded.`,
        );
      }
      await tx.update(CatalogueVersion, { number }, { state: DISCARDED as VersionState });
      await this.record(tx, version, 'discarded', actor, about);
      return version;
    });
    await this.revisions.catchUp();
    return discarded;
  }

  /**
   * Makes the content of an earlier version live again, at once, under a new number.
   * @param number the version to restore; by default the last one with another content
   * @throws {VersionNotFound | VersionStateProblem | GuardRailBroken}
   */
  async restore(
    number: number | null,
    { accept = null }: Publication,
    actor: Actor,
  ): Promise<CatalogueVersion> {
    const judged = await this.reviews.activeNumber();
    const chosen = await this.transactions.read((tx) => sourceOf(tx, number));
    const broken = await this.railsNow(chosen.number, accept, actor);
    const rails = passRails(chosen.number, broken, accept, actor);
    return this.change(async (tx) => {
      const source = await sourceOf(tx, chosen.number);
      const active = await liveAsJudged(tx, judged);
      const { label, contentHash, sourceHash, products, prices, places, premises } = source;
      const version = {
        number: await nextNumber(tx),
        label,
        contentHash,
        sourceHash,
        products,
        prices,
        places,
        premises,
      };
      const now = this.clock.now();
      await tx.insert(CatalogueVersion, {
        ...version,
        state: 'draft',
        createdBy: actor.name,
        createdAt: now,
        contentOf: source.number,
      });
      await takeOver(tx, version.number, now);
      const details = { from: active?.number ?? null, contentOf: source.number, ...rails };
      await this.record(tx, version, 'rolled-back', actor, details);
      return version.number;
    });
  }

  /**
   * Runs `work` while no other change of the catalogue runs: the revision's row is the lock.
   * @param work returns the number of the version that it changed
   * @returns that version afterwards
   */
  async change(work: (tx: Tx) => Promise<number>): Promise<CatalogueVersion> {
    const changed = await this.transactions.run(async (tx) => {
      await this.revisions.bump(tx, 'catalogue');
      return versionOf(tx, await work(tx));
    });
    await this.revisions.catchUp();
    return changed;
  }

  /** Null where the live version is damaged, which a reason can replace although it cannot be compared. */
  private railsNow(
    number: number,
    accept: string | null,
    actor: Actor,
  ): Promise<readonly BrokenRail[] | null> {
    return this.reviews.railsOf(number).catch((error: unknown) => {
      if (accept === null || error instanceof Problem || !seesCosts(actor)) throw error;
      return null;
    });
  }

  private record(
    tx: Tx,
    { number, label }: Pick<CatalogueVersion, 'number' | 'label'>,
    action: AuditAction,
    actor: Actor,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record(tx, {
      subject: ['catalogue', String(number)],
      action,
      actor,
      details: { ...(label && { label }), ...details },
    });
  }
}

/**
 * @param rails null if they are not known
 * @returns details for the audit entry
 * @throws {GuardRailBroken | ScopeInsufficient}
 */
function passRails(
  number: number,
  rails: readonly BrokenRail[] | null,
  accept: string | null,
  actor: Actor,
): Record<string, unknown> {
  if (rails === null) return { accepted: accept };
  if (rails.length === 0) return {};
  if (accept === null) throw new GuardRailBroken(number, rails, seesCosts(actor));
  const isBelow = rails.some(({ rail }) => rail === 'below-floor');
  if (isBelow && !seesCosts(actor)) throw new ScopeInsufficient('margins:read');
  return { accepted: accept, rails: rails.map(({ rail }) => rail) };
}
