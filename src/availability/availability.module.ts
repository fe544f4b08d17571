import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { Transactions } from '../platform/database/transactions.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { MINUTE } from '../platform/kernel/time.js';
import { SandboxModule } from '../catalogue/sandbox/sandbox.module.js';
import { AvailabilityController } from './availability.controller.js';
import { AvailabilityService } from './availability.service.js';
import { CheckCodes } from './check-codes.js';
import { CheckDaysService } from './check-days.service.js';
import { ChecksService } from './checks.service.js';
import { PostcodeChecksService } from './postcode-checks.service.js';

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
  constructor(background: BackgroundWork, days: CheckDaysService) {
    background.every('check days', MINUTE, () => days.countInBackground(), { whileServing: true });
  }
}
