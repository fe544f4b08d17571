import { DAY } from '../../kernel/time.js';
import { Injectable } from '@nestjs/common';
import { In, LessThanOrEqual } from 'typeorm';
import { AuditEntry } from '../../audit/audit-entry.entity.js';
import { type Actor, AuditService } from '../../audit/audit.service.js';
import { Clock } from '../../kernel/clock.js';
import { RevisionsService } from '../../database/revisions.service.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { CatalogueVersion } from './catalogue-version.entity.js';
import { GuardRailBroken, VersionNotFound, VersionStateProblem } from './catalogue.errors.js';
import { ReviewService } from './review.service.js';
import {
  nextNumber,
  prunable,
  type PrunedVersions,
  type VersionReferences,
  refuseDisorder,
  versionBefore,
  versionOf,
} from './version-rows.js';

/**
 * Seconds: every instance must have heard of a scheduled version, and loaded it, before its instant.
 * It is also the time in which a schedule can no longer be taken back.
 */
export const SCHEDULE_AHEAD = 5;

const FURTHEST_AHEAD_DAYS = 366;

const system: Actor = { type: 'system', id: null, name: 'schedule' };

/** The states of catalogue versions: draft → scheduled → active → retired, numbered upwards only. */
@Injectable()
export class VersionsService {
  private readonly references: VersionReferences[] = [];

  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly reviews: ReviewService,
  ) {}

  /** All versions, newest first, without their content. */
  list(): Promise<CatalogueVersion[]> {
    return this.transactions.read((tx) => tx.find(CatalogueVersion, { order: { number: 'DESC' } }));
  }

  /** @throws {VersionNotFound} */
  find(number: number): Promise<CatalogueVersion> {
    return this.transactions.read((tx) => versionOf(tx, number));
  }

  /** What was done to a version, by whom and when; oldest first. */
  history(number: number): Promise<AuditEntry[]> {
    return this.transactions.read((tx) =>
      tx.find(AuditEntry, {
        where: { subjectType: 'catalogue', subjectId: String(number) },
        order: { id: 'ASC' },
      }),
    );
  }

  /** The version that was active at `at`. @throws {VersionNotFound} */
  async activeAt(at: Date): Promise<CatalogueVersion> {
    const [version] = await this.transactions.read((tx) =>
      tx.find(CatalogueVersion, {
        where: { activatedAt: LessThanOrEqual(at) },
        order: { activatedAt: 'DESC', number: 'DESC' },
        take: 1,
      }),
    );
    if (!version) throw new VersionNotFound();
    return version;
  }

  /**
   * Takes a draft or a scheduled version into service at once.
   * @param accept says why a broken guard rail is meant; null where no reason was given
   * @throws {VersionNotFound | VersionStateProblem | GuardRailBroken}
   */
  async activate(number: number, accept: string | null, actor: Actor): Promise<CatalogueVersion> {
    const rails = await this.passRails(number, accept);
    return this.change(async (tx) => {
      const version = await versionOf(tx, number);
      await this.refuseUnlessPending(tx, version, 'activated');
      await this.takeOver(tx, version, this.clock.now());
      await this.record(tx, version, 'activated', actor, { ...rails });
    }, number);
  }

  /**
   * Has a draft taken into service at `at`, on all instances together.
   * @throws {VersionNotFound | VersionStateProblem | GuardRailBroken}
   */
  async schedule(
    number: number,
    at: Date,
    accept: string | null,
    actor: Actor,
  ): Promise<CatalogueVersion> {
    const rails = await this.passRails(number, accept);
    return this.change(async (tx) => {
      const version = await versionOf(tx, number);
      await this.refuseUnlessPending(tx, version, 'scheduled');
      this.refuseTooSoon(version.activatesAt);
      const ahead = at.getTime() - this.clock.now().getTime();
      if (ahead < SCHEDULE_AHEAD * 1_000) {
        throw new VersionStateProblem(
          `Version ${number} is not scheduled: the instant must lie at least ${SCHEDULE_AHEAD} seconds ahead, so that every instance has loaded the version before it.`,
        );
      }
      if (ahead > FURTHEST_AHEAD_DAYS * DAY) {
        throw new VersionStateProblem(
          `Version ${number} is not scheduled: the instant must lie within ${FURTHEST_AHEAD_DAYS} days.`,
        );
      }
      await refuseDisorder(tx, number, at);
      await tx.update(CatalogueVersion, { number }, { state: 'scheduled', activatesAt: at });
      const details = { activatesAt: at.toISOString(), ...rails };
      await this.record(tx, version, 'scheduled', actor, details);
    }, number);
  }

  /** Makes a scheduled version a draft again. @throws {VersionNotFound | VersionStateProblem} */
  async withdraw(number: number, actor: Actor): Promise<CatalogueVersion> {
    return this.change(async (tx) => {
      const version = await versionOf(tx, number);
      if (version.state !== 'scheduled') {
        throw new VersionStateProblem(`Version ${number} is ${version.state}, not scheduled.`);
      }
      this.refuseTooSoon(version.activatesAt);
      await tx.update(CatalogueVersion, { number }, { state: 'draft', activatesAt: null });
      await this.record(tx, version, 'withdrawn', actor);
    }, number);
  }

  /**
   * Takes the content of an earlier version into service again, at once, under a new number.
   * @param number the version to go back to; by default the one before the active one
   * @throws {VersionNotFound | VersionStateProblem}
   */
  async rollback(number: number | null, actor: Actor): Promise<CatalogueVersion> {
    let made = 0;
    return this.change(
      async (tx) => {
        const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
        const source = await versionOf(tx, number ?? (await versionBefore(tx, active)));
        if (source.state !== 'retired') {
          throw new VersionStateProblem(
            source.state === 'active'
              ? `Version ${source.number} is active already.`
              : `Version ${source.number} has never been active; activate it instead.`,
          );
        }
        made = await nextNumber(tx);
        const now = this.clock.now();
        const { label, contentHash, products, prices, places } = source;
        const version = { number: made, label, contentHash, products, prices, places };
        await tx.insert(CatalogueVersion, {
          ...version,
          state: 'draft',
          createdBy: actor.name,
          createdAt: now,
          contentOf: source.number,
        });
        await this.takeOver(tx, version, now);
        const details = { from: active?.number ?? null, contentOf: source.number };
        await this.record(tx, version, 'rolled-back', actor, details);
      },
      () => made,
    );
  }

  /** Writes down that a scheduled version's instant has come. The first instance does it. */
  async promoteDue(): Promise<void> {
    const now = this.clock.now();
    const where = { state: 'scheduled', activatesAt: LessThanOrEqual(now) } as const;
    const isDue = await this.transactions.read((tx) => tx.existsBy(CatalogueVersion, where));
    if (!isDue) return;
    await this.transactions.run(async (tx) => {
      await this.revisions.bump(tx, 'catalogue');
      const due = await tx.find(CatalogueVersion, { where, order: { number: 'ASC' } });
      for (const version of due) {
        await this.takeOver(tx, version, version.activatesAt!);
        await this.record(tx, version, 'activated', system, { scheduled: true });
      }
    });
    await this.revisions.catchUp();
  }

  /** `references` says which versions it needs; they are never pruned. */
  protect(references: VersionReferences): void {
    this.references.push(references);
  }

  /** Removes old versions: never the newest `keep`, a scheduled or active one, or one in use. */
  async prune(keep: number, dryRun: boolean, actor: Actor): Promise<PrunedVersions> {
    const select = (tx: Tx) => prunable(tx, keep, this.references);
    if (dryRun) return this.transactions.read(select);
    return this.transactions.run(async (tx) => {
      await this.revisions.bump(tx, 'catalogue');
      const pruned = await select(tx);
      await tx.delete(CatalogueVersion, { number: In([...pruned.removed]) });
      await tx.query(
        'DELETE FROM catalogue_contents WHERE hash NOT IN (SELECT content_hash FROM catalogue_versions)',
      );
      for (const number of pruned.removed) {
        await this.record(tx, { number, label: '' }, 'pruned', actor);
      }
      return pruned;
    });
  }

  /**
   * Runs `work` as the only change of the catalogue: the revision's row is the lock, on both
   * databases. Then this instance looks. Resolves to the version as it came to be.
   */
  async change(
    work: (tx: Tx) => Promise<void>,
    number: number | (() => number),
  ): Promise<CatalogueVersion> {
    const changed = await this.transactions.run(async (tx) => {
      await this.revisions.bump(tx, 'catalogue');
      await work(tx);
      return versionOf(tx, typeof number === 'number' ? number : number());
    });
    await this.revisions.catchUp();
    return changed;
  }

  /** Retires the active version; those scheduled with a lower number can never follow this one. */
  private async takeOver(
    tx: Tx,
    { number }: Pick<CatalogueVersion, 'number'>,
    at: Date,
  ): Promise<void> {
    await tx.update(CatalogueVersion, { state: 'active' }, { state: 'retired', retiredAt: at });
    const overtaken = (await tx.findBy(CatalogueVersion, { state: 'scheduled' })).filter(
      (scheduled) => scheduled.number < number,
    );
    for (const version of overtaken) {
      const { number: lower } = version;
      await tx.update(CatalogueVersion, { number: lower }, { state: 'draft', activatesAt: null });
      await this.record(tx, version, 'withdrawn', system, { overtakenBy: number });
    }
    await tx.update(
      CatalogueVersion,
      { number },
      { state: 'active', activatedAt: at, activatesAt: null, retiredAt: null },
    );
  }

  /** @returns what the audit entry says of broken rails @throws {GuardRailBroken} */
  private async passRails(number: number, accept: string | null): Promise<Record<string, unknown>> {
    const rails = await this.reviews.railsOf(number);
    if (rails.length === 0) return {};
    if (accept === null) throw new GuardRailBroken(number, rails);
    return { accepted: accept, rails: rails.map(({ rail }) => rail) };
  }

  private async refuseUnlessPending(
    tx: Tx,
    { number, state }: CatalogueVersion,
    verb: string,
  ): Promise<void> {
    if (state === 'active') throw new VersionStateProblem(`Version ${number} is active already.`);
    if (state === 'retired') {
      throw new VersionStateProblem(
        `Version ${number} is retired. A rollback to it brings its content back under a new number.`,
      );
    }
    const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
    if (active && active.number > number) {
      throw new VersionStateProblem(
        `Version ${number} cannot be ${verb}: version ${active.number} is newer and active. Import its files again, as a new version.`,
      );
    }
  }

  private refuseTooSoon(activatesAt: Date | null): void {
    if (!activatesAt) return;
    if (activatesAt.getTime() - this.clock.now().getTime() >= SCHEDULE_AHEAD * 1_000) return;
    throw new VersionStateProblem(
      'The version becomes active within seconds, and this can no longer be stopped. Roll back afterwards.',
    );
  }

  private record(
    tx: Tx,
    { number, label }: Pick<CatalogueVersion, 'number' | 'label'>,
    action: string,
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
