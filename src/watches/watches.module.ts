import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { SECOND } from '../platform/kernel/time.js';
import { SandboxModule } from '../catalogue/sandbox/sandbox.module.js';
import { ClientWatchesService } from './client-watches.service.js';
import { OperatorWatchesService } from './operator-watches.service.js';
import { ServedService } from './served.service.js';
import { TestWatchesController, WatchesController } from './watches.controller.js';
import { TestWatchesService } from './test-watches.service.js';
import { WatchDemandService } from './watch-demand.service.js';
import { EmailKindsService } from '../platform/notifications/messages/email-kinds.service.js';
import { callerServed, watchServed } from './watch-emails.js';
import { WatchEvaluationService } from './watch-evaluation.service.js';
import { WatchLocksService } from './watch-locks.service.js';
import { WatchTargetService } from './watch-target.service.js';
import { WatchesService } from './watches.service.js';

/** Places at which API clients wait for products. */
@Module({
  imports: [AvailabilityModule, CatalogueModule, SandboxModule],
  controllers: [WatchesController, TestWatchesController],
  providers: [
    ClientWatchesService,
    OperatorWatchesService,
    ServedService,
    TestWatchesService,
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
  ) {
    emails.declare(watchServed);
    emails.declare(callerServed);
    background.every('watches', SECOND, (stopping) => evaluation.evaluate(stopping), {
      whileServing: true,
    });
  }
}
