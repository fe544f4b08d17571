import { TracksService } from '../track/tracks.service.js';
import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/kernel/clock.js';
import { HOUR } from '../../platform/kernel/time.js';
import type { BrokenRail } from '../content/review/guard-rails.js';
import type { CalendarDay } from '../content/browse/calendar.js';
import type { CatalogueDiff } from '../content/diff.js';
import type { Preview, ReviewSettings } from '../worker/thread.js';
import { type LintRule, lintRules } from '../content/lint.js';
import { CatalogueVersion, filesHash } from './catalogue-version.entity.js';
import { CatalogueService } from './catalogue.service.js';
import { VersionNotFound } from './catalogue.errors.js';
import { versionOf } from './version-rows.js';
import { RegisterService } from './register.service.js';
import { inBackground } from '../worker/in-background.js';

/** Comparisons that stay in memory: one of a national catalogue can have 25 MB. */
const MOST_REVIEWS = 4;

/** Compares and lints versions, in a worker thread. */
@Injectable()
export class ReviewService {
  /** By the contents compared; the oldest is dropped. */
  private readonly reviewed = new Map<string, Promise<Preview>>();

  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueService,
    private readonly register: RegisterService,
    private readonly tracks: TracksService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async settings(): Promise<ReviewSettings> {
    const { config } = this;
    return {
      register: await this.register.stored(),
      positions: await this.register.storedPositions(),
      routeFactor: config.routeFactor,
      pointOffset: await this.catalogue.pointOffset(),
      now: this.clock.now().getTime(),
      lintOff: config.lintOff.filter((rule): rule is LintRule => Object.hasOwn(lintRules, rule)),
    };
  }

  /**
   * @param from null for the active version
   * @throws {VersionNotFound}
   */
  async diff(
    from: number | null,
    to: number,
  ): Promise<{ from: number; to: number; diff: CatalogueDiff }> {
    const before = from ?? (await this.activeNumber());
    if (before === null) throw new VersionNotFound();
    const { diff } = await this.review(before, to);
    return { from: before, to, diff: diff! };
  }

  /** @throws {VersionNotFound} */
  async calendar(number: number): Promise<readonly CalendarDay[]> {
    return (await this.review(null, number)).calendar;
  }

  /**
   * The guard rails that a version breaks today, compared with the active version: dates may have passed
   * since its import. Of the active version, what its import found.
   * @throws {VersionNotFound}
   */
  async railsOf(number: number): Promise<readonly BrokenRail[]> {
    const active = await this.activeNumber();
    if (active === number) {
      return (await this.transactions.read((tx) => versionOf(tx, number))).rails ?? [];
    }
    return (await this.review(active, number)).rails;
  }

  /**
   * What a version would change for clients, compared with the active version. Its warnings include lead times
   * that were not kept.
   * @throws {VersionNotFound}
   */
  async preview(number: number): Promise<{ readonly from: number | null } & Preview> {
    const from = await this.activeNumber();
    const review = await this.review(from, number);
    const late = await this.tracks.warnings((await this.settings()).lintOff);
    return { from, ...review, warnings: [...review.warnings, ...late] };
  }

  /**
   * What a published version changed for clients when it went live, compared with the version that was live before.
   * @throws {VersionNotFound}
   */
  async published(number: number): Promise<{
    readonly from: number | null;
    readonly diff: CatalogueDiff | null;
  }> {
    const before = await this.transactions.read(async (tx) => {
      const { activatedAt } = await versionOf(tx, number);
      if (activatedAt === null) throw new VersionNotFound();
      return tx
        .createQueryBuilder(CatalogueVersion, 'v')
        .where(
          '(v.activatedAt, v.number) < (SELECT a.activated_at, a.number FROM catalogue_versions a WHERE a.number = :number)',
          { number },
        )
        .orderBy('v.activatedAt', 'DESC')
        .addOrderBy('v.number', 'DESC')
        .limit(1)
        .getOne();
    });
    if (before === null) return { from: null, diff: null };
    return { from: before.number, diff: (await this.review(before.number, number)).diff };
  }

  async activeNumber(): Promise<number | null> {
    const active = await this.transactions.read((tx) =>
      tx.findOneBy(CatalogueVersion, { state: 'active' }),
    );
    return active?.number ?? null;
  }

  /** The comparison with a version before, from the cache if it is one of the latest. */
  private async review(before: number | null, after: number): Promise<Preview> {
    const versions = await this.transactions.read(async (tx) => {
      const version = await versionOf(tx, after);
      const from = before === null ? null : await versionOf(tx, before);
      const { state, comparedWith } = version;
      const isOutdated = state === 'draft' && from?.state === 'active' && comparedWith !== before;
      const ancestor =
        isOutdated && comparedWith !== null
          ? await tx.findOneBy(CatalogueVersion, { number: comparedWith })
          : null;
      return { version, from, ancestor };
    });
    const settings = await this.settings();
    const { version, from, ancestor } = versions;
    const key = [
      ...[from, version, ancestor].map((one) => one && filesHash(one)),
      this.register.revision,
      // Guard rails depend on the days on which zones become ready.
      Math.floor(settings.now / HOUR),
    ].join(' ');
    const known = this.reviewed.get(key);
    if (known) return known;
    const stored = (one: CatalogueVersion | null) => one && this.catalogue.stored(one.number);
    const review = Promise.all([stored(from), stored(version), stored(ancestor)]).then(
      ([was, now, base]) =>
        inBackground('review', { ...settings, before: was, after: now!, ancestor: base }),
    );
    review.catch(() => this.reviewed.delete(key));
    this.reviewed.set(key, review);
    const oldest =
      this.reviewed.size > MOST_REVIEWS ? this.reviewed.keys().next().value : undefined;
    if (oldest !== undefined) this.reviewed.delete(oldest);
    return review;
  }
}
