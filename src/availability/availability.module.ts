import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { Config } from '../platform/config/config.js';
import { LIVE, SANDBOX, type Side } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { MINUTE } from '../platform/kernel/time.js';
import { londonDay } from '../platform/kernel/working-hours.js';
import {
  type RetentionRule,
  RetentionService,
  TEST_DAYS,
} from '../platform/retention/retention.service.js';
import { SandboxModule } from '../catalogue/sandbox/sandbox.module.js';
import { AvailabilityController } from './availability.controller.js';
import { AvailabilityService } from './availability.service.js';
import { CheckCodes } from './check-numbers.js';
import { CheckDaysService } from './check-days.service.js';
import { ChecksService } from './checks.service.js';
import { PostcodeChecksService } from './postcode-checks.service.js';
import { StoredChecks } from './stored-checks.js';

/** What can be supplied at a postcode: the check and its record. */
@Module({
  imports: [CatalogueModule, SandboxModule],
  controllers: [AvailabilityController],
  providers: [
    AvailabilityService,
    {
      provide: CheckCodes,
      inject: [Transactions],
      useFactory: (t: Transactions) => CheckCodes.load(t),
    },
    CheckDaysService,
    ChecksService,
    PostcodeChecksService,
  ],
  exports: [AvailabilityService, CheckDaysService, ChecksService],
})
export class AvailabilityModule {
  constructor(
    background: BackgroundWork,
    days: CheckDaysService,
    retention: RetentionService,
    config: Config,
    transactions: Transactions,
  ) {
    const prune = (side: Side): RetentionRule['prune'] => {
      const stored = new StoredChecks(transactions, side);
      return (tx, before, most) => stored.prune(tx, before, most);
    };
    retention.register({
      rows: 'checks',
      days: config.checkRetentionDays,
      // Reports must count checks before they are deleted.
      prepare: () => days.countNew(),
      prune: prune(LIVE),
    });
    retention.register({ rows: 'sandbox records', days: TEST_DAYS, prune: prune(SANDBOX) });
    retention.register({
      rows: 'daily counts of checks',
      days: config.checkDayRetentionDays,
      prune: (tx, before, most) => days.prune(tx, londonDay(before), most),
    });
    background.every('check days', MINUTE, () => days.countInBackground(), { whileServing: true });
  }
}
