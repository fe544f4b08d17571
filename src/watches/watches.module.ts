import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { SECOND } from '../platform/kernel/time.js';
import { RetentionService, TEST_DAYS } from '../platform/retention/retention.service.js';
import { SandboxModule } from '../catalogue/sandbox/sandbox.module.js';
import { ClientWatchesService } from './client-watches.service.js';
import { OperatorWatchesService } from './operator-watches.service.js';
import { ServedService } from './served.service.js';
import { TestWatchesController, WatchesController } from './watches.controller.js';
import { WatchDemandService } from './watch-demand.service.js';
import { EmailKindsService } from '../platform/notifications/messages/email-kinds.service.js';
import { endWatches, pruneCallers, pruneTestWatches, pruneWatches } from './stored-watches.js';
import { callerServed, watchServed } from './watch-emails.js';
import { WatchEvaluationService } from './watch-evaluation.service.js';
import { WatchLocksService } from './watch-locks.service.js';
import { WatchTargetService } from './watch-target.service.js';
import { LIFETIME_DAYS } from './watch-rows.js';
import { WatchesService } from './watches.service.js';

/** Days for which watches are kept that were served or have ended. */
const CLOSED_DAYS = 90;

/** Places at which API clients wait for products. */
@Module({
  imports: [AvailabilityModule, CatalogueModule, SandboxModule],
  controllers: [WatchesController, TestWatchesController],
  providers: [
    ClientWatchesService,
    OperatorWatchesService,
    ServedService,
    WatchDemandService,
    WatchEvaluationService,
    WatchLocksService,
    WatchTargetService,
    WatchesService,
  ],
  exports: [OperatorWatchesService, WatchDemandService, WatchEvaluationService, WatchesService],
})
export class WatchesModule {
  constructor(
    background: BackgroundWork,
    evaluation: WatchEvaluationService,
    emails: EmailKindsService,
    retention: RetentionService,
  ) {
    retention.register({ rows: null, days: LIFETIME_DAYS, prune: endWatches });
    retention.register({ rows: 'watches', days: CLOSED_DAYS, prune: pruneWatches });
    retention.register({ rows: 'sandbox records', days: TEST_DAYS, prune: pruneTestWatches });
    // As long as a watch may exist.
    const callerDays = LIFETIME_DAYS + CLOSED_DAYS;
    retention.register({ rows: 'addresses of callers', days: callerDays, prune: pruneCallers });
    emails.declare(watchServed);
    emails.declare(callerServed);
    background.every('watches', SECOND, (stopping) => evaluation.evaluate(stopping), {
      whileServing: true,
    });
  }
}
