import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import type { AuditAction } from '../../platform/audit/audit-actions.js';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { NotFound, Problem } from '../../platform/problems/problem.js';
import { RevisionsService } from '../../platform/database/revisions.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { CatalogueVersion, DISCARDED, type VersionState } from './catalogue-version.entity.js';
import { GuardRailBroken, scheduledVersion, VersionStateProblem } from './catalogue.errors.js';
import {
  type Publication,
  type PublishedVersion,
  refuseIfImminent,
  refuseInstant,
  takeOver,
  withdrawBelow,
} from './publication.js';
import { ReviewService } from './review.service.js';
import {
  nextNumber,
  notDiscarded,
  refuseDisorder,
  refuseUnlessPending,
  sourceOf,
  versionOf,
} from './version-rows.js';

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
   * @throws {VersionNotFound | VersionStateProblem | GuardRailBroken | WouldWithdrawSchedule}
   */
  async activate(
    number: number,
    { accept = null, withdraw }: Publication,
    actor: Actor,
  ): Promise<PublishedVersion> {
    const rails = await this.passRails(number, accept);
    return this.publish(withdraw, actor, async (tx) => {
      const version = await versionOf(tx, number);
      await refuseUnlessPending(tx, version, 'activated');
      return { version, action: 'activated', details: rails };
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
      refuseIfImminent(version.activatesAt, this.clock.now());
      refuseInstant(number, at, this.clock.now());
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
      refuseIfImminent(version.activatesAt, this.clock.now());
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
   * @throws {VersionNotFound | VersionStateProblem | GuardRailBroken | WouldWithdrawSchedule}
   */
  async restore(
    number: number | null,
    { accept = null, withdraw }: Publication,
    actor: Actor,
  ): Promise<PublishedVersion> {
    const source = await this.transactions.read((tx) => sourceOf(tx, number));
    const rails = await this.passRails(source.number, accept).catch((error: unknown) => {
      // With a reason, a damaged live version can be replaced although it cannot be compared.
      if (accept === null || error instanceof Problem) throw error;
      return { accepted: accept };
    });
    return this.rollback(source.number, actor, { withdraw, about: rails });
  }

  /**
   * Makes the content of an earlier version live again, at once, under a new number.
   * @param number the version to restore; by default the last one with another content
   * @param how `about` has further details for the audit entry
   * @throws {VersionNotFound | VersionStateProblem | WouldWithdrawSchedule}
   */
  rollback(
    number: number | null,
    actor: Actor,
    how: Pick<Publication, 'withdraw'> & { readonly about?: Record<string, unknown> } = {},
  ): Promise<PublishedVersion> {
    return this.publish(how.withdraw, actor, async (tx) => {
      const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
      const source = await sourceOf(tx, number);
      const { label, contentHash, products, prices, places, premises } = source;
      const version = {
        ...{ number: await nextNumber(tx), label },
        ...{ contentHash, products, prices, places, premises },
      };
      await tx.insert(CatalogueVersion, {
        ...version,
        state: 'draft',
        createdBy: actor.name,
        createdAt: this.clock.now(),
        contentOf: source.number,
      });
      const details = { from: active?.number ?? null, contentOf: source.number, ...how.about };
      return { version, action: 'rolled-back', details };
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
        await takeOver(tx, version, version.activatesAt!);
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

  /**
   * Makes a version live now, and the scheduled ones with a lower number drafts: numbers only go up.
   * @param prepare chooses the version, and says what to record
   * @throws {WouldWithdrawSchedule}
   */
  private async publish(
    confirmed: readonly number[] = [],
    actor: Actor,
    prepare: (tx: Tx) => Promise<{
      readonly version: Pick<CatalogueVersion, 'number' | 'label'>;
      readonly action: AuditAction;
      readonly details: Record<string, unknown>;
    }>,
  ): Promise<PublishedVersion> {
    let withdrawn: readonly CatalogueVersion[] = [];
    const published = await this.change(async (tx) => {
      const { version, action, details } = await prepare(tx);
      const { number } = version;
      withdrawn = await withdrawBelow(tx, number, confirmed);
      for (const one of withdrawn) {
        await this.record(tx, one, 'withdrawn', actor, { overtakenBy: number });
      }
      await takeOver(tx, version, this.clock.now());
      const withdrew = withdrawn.map((one) => String(one.number));
      const more = { ...details, ...(withdrew.length > 0 && { withdrew }) };
      await this.record(tx, version, action, actor, more);
      return number;
    });
    return { ...published, withdrawn: withdrawn.map(scheduledVersion) };
  }

  /** @returns details for the audit entry @throws {GuardRailBroken} */
  private async passRails(number: number, accept: string | null): Promise<Record<string, unknown>> {
    const rails = await this.reviews.railsOf(number);
    if (rails.length === 0) return {};
    if (accept === null) throw new GuardRailBroken(number, rails);
    return { accepted: accept, rails: rails.map(({ rail }) => rail) };
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
