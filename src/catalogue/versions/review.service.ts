import { Injectable } from '@nestjs/common';
import { Transactions } from '../../database/transactions.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import type { BrokenRail } from '../content/guard-rails.js';
import type { CatalogueDiff } from '../content/diff.js';
import type { Review, ReviewSettings } from '../worker/thread.js';
import { type LintRule, lintRules, type LintWarning } from '../content/lint.js';
import { CatalogueVersion } from './catalogue-version.entity.js';
import { CatalogueService } from './catalogue.service.js';
import { VersionNotFound } from './catalogue.errors.js';
import { versionOf } from './version-rows.js';
import { RegisterService } from './register.service.js';
import { inBackground } from '../worker/in-background.js';

/** Compares and lints versions, in a worker thread. */
@Injectable()
export class ReviewService {
  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueService,
    private readonly register: RegisterService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async settings(): Promise<ReviewSettings> {
    const { config } = this;
    return {
      register: await this.register.stored(),
      now: this.clock.now().getTime(),
      rails: {
        coverageLostPercent: config.railCoverageLostPercent,
        priceMovedPercent: config.railPriceMovedPercent,
        productLost: config.railProductLost,
        zoneWithoutPrices: config.railZoneWithoutPrices,
      },
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
  async lint(number: number): Promise<readonly LintWarning[]> {
    return (await this.review(null, number)).warnings;
  }

  /**
   * The guard rails that a version breaks, compared with the active version. Reuses the result of the
   * import unless another version has gone live since.
   * @throws {VersionNotFound}
   */
  async railsOf(number: number): Promise<readonly BrokenRail[]> {
    const active = await this.activeNumber();
    const version = await this.transactions.read((tx) => versionOf(tx, number));
    if (active === version.comparedWith || active === number) return version.rails ?? [];
    return (await this.review(active, number)).rails;
  }

  async activeNumber(): Promise<number | null> {
    const active = await this.transactions.read((tx) =>
      tx.findOneBy(CatalogueVersion, { state: 'active' }),
    );
    return active?.number ?? null;
  }

  private async review(before: number | null, after: number): Promise<Review> {
    return inBackground('review', {
      ...(await this.settings()),
      before: before === null ? null : await this.catalogue.stored(before),
      after: await this.catalogue.stored(after),
    });
  }
}
