import { DAY } from '../../kernel/time.js';
import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { AuditEntry } from '../../audit/audit-entry.entity.js';
import { type Actor, AuditService } from '../../audit/audit.service.js';
import { Clock } from '../../kernel/clock.js';
import { Problem } from '../../problems/problem.js';
import { RevisionsService } from '../../database/revisions.service.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { CatalogueVersion, DISCARDED, type VersionState } from './catalogue-version.entity.js';
import { NotFound } from '../../problems/problem.js';
import { GuardRailBroken, VersionStateProblem } from './catalogue.errors.js';
import { ReviewService } from './review.service.js';
import {
  nextNumber,
  notDiscarded,
  refuseDisorder,
  refuseUnlessPending,
  sourceOf,
  versionOf,
} from './version-rows.js';

/** Seconds in which every instance loads a scheduled version. During them it cannot be withdrawn. */
const SCHEDULE_AHEAD = 5;

const FURTHEST_AHEAD_DAYS = 366;

const system: Actor = { type: 'system', id: null, name: 'schedule' };

/** The states of catalogue versions: draft → scheduled → active → retired, numbered upwards only. */
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
   * Makes a draft or a scheduled version live at once.
   * @param accept the reason to pass broken guard rails, if there is one
   * @throws {VersionNotFound | VersionStateProblem | GuardRailBroken}
   */
  async activate(number: number, accept: string | null, actor: Actor): Promise<CatalogueVersion> {
    const rails = await this.passRails(number, accept);
    return this.change(async (tx) => {
      const version = await versionOf(tx, number);
      await refuseUnlessPending(tx, version, 'activated');
      await this.takeOver(tx, version, this.clock.now());
      await this.record(tx, version, 'activated', actor, rails);
      return number;
    });
  }

  /**
   * Makes a draft live at `at`, on all instances at the same time.
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
      await refuseUnlessPending(tx, version, 'scheduled');
      this.refuseTooSoon(version.activatesAt);
      const ahead = at.getTime() - this.clock.now().getTime();
      if (ahead < SCHEDULE_AHEAD * 1_000) {
        throw new VersionStateProblem(
          `Version ${number} is not scheduled: the instant must be at least ${SCHEDULE_AHEAD} seconds ahead, so that every instance can load the version.`,
        );
      }
      if (ahead > FURTHEST_AHEAD_DAYS * DAY) {
        throw new VersionStateProblem(
          `Version ${number} is not scheduled: the instant must be within ${FURTHEST_AHEAD_DAYS} days.`,
        );
      }
      await refuseDisorder(tx, number, at);
      await tx.update(CatalogueVersion, { number }, { state: 'scheduled', activatesAt: at });
      const details = { activatesAt: at.toISOString(), ...rails };
      await this.record(tx, version, 'scheduled', actor, details);
      return number;
    });
  }

  /** Makes a scheduled version a draft again. @throws {VersionNotFound | VersionStateProblem} */
  withdraw(number: number, actor: Actor): Promise<CatalogueVersion> {
    return this.change(async (tx) => {
      const version = await versionOf(tx, number);
      if (version.state !== 'scheduled') {
        throw new VersionStateProblem(`Version ${number} is ${version.state}, not scheduled.`);
      }
      this.refuseTooSoon(version.activatesAt);
      await tx.update(CatalogueVersion, { number }, { state: 'draft', activatesAt: null });
      await this.record(tx, version, 'withdrawn', actor);
      return number;
    });
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
   * As `rollback`, unless a guard rail stops it.
   * @param accept the reason to pass broken guard rails, if there is one
   * @throws {VersionNotFound | VersionStateProblem | GuardRailBroken}
   */
  async restore(
    number: number | null,
    accept: string | null,
    actor: Actor,
  ): Promise<CatalogueVersion> {
    const source = await this.transactions.read((tx) => sourceOf(tx, number));
    const rails = await this.passRails(source.number, accept).catch((error: unknown) => {
      // With a reason, a damaged live version can be replaced although it cannot be compared.
      if (accept === null || error instanceof Problem) throw error;
      return { accepted: accept };
    });
    return this.rollback(source.number, actor, rails);
  }

  /**
   * Makes the content of an earlier version live again, at once, under a new number.
   * @param number the version to restore; by default the last one with another content
   * @param about further details for the audit entry
   * @throws {VersionNotFound | VersionStateProblem}
   */
  rollback(
    number: number | null,
    actor: Actor,
    about: Record<string, unknown> = {},
  ): Promise<CatalogueVersion> {
    return this.change(async (tx) => {
      const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
      const source = await sourceOf(tx, number);
      const next = await nextNumber(tx);
      const now = this.clock.now();
      const { label, contentHash, products, prices, places, premises } = source;
      const version = { number: next, label, contentHash, products, prices, places, premises };
      await tx.insert(CatalogueVersion, {
        ...version,
        state: 'draft',
        createdBy: actor.name,
        createdAt: now,
        contentOf: source.number,
      });
      await this.takeOver(tx, version, now);
      const details = { from: active?.number ?? null, contentOf: source.number, ...about };
      await this.record(tx, version, 'rolled-back', actor, details);
      return next;
    });
  }

  /** Stores that a scheduled version has gone live. The first instance to run it does so for all. */
  async promoteDue(): Promise<void> {
    await this.transactions.refuseClockAhead();
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

  /** Retires the active version, and withdraws scheduled ones with a lower number: numbers only go up. */
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

  /** @returns details for the audit entry @throws {GuardRailBroken} */
  private async passRails(number: number, accept: string | null): Promise<Record<string, unknown>> {
    const rails = await this.reviews.railsOf(number);
    if (rails.length === 0) return {};
    if (accept === null) throw new GuardRailBroken(number, rails);
    return { accepted: accept, rails: rails.map(({ rail }) => rail) };
  }

  private refuseTooSoon(activatesAt: Date | null): void {
    if (!activatesAt) return;
    if (activatesAt.getTime() - this.clock.now().getTime() >= SCHEDULE_AHEAD * 1_000) return;
    throw new VersionStateProblem(
      'The version goes live within seconds, so its schedule can no longer be changed. Roll back afterwards.',
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
