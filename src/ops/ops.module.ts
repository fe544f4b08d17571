import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MeController } from './me.controller.js';
import { MeService } from './me.service.js';
import { Metrics } from './metrics.js';
import { RequestJournal } from './request-journal.js';
import { RateLimits } from './rate-limits.js';
import { SharedCounts } from './shared-counts.js';
import { RateLimitsGuard } from './rate-limits.guard.js';

/** IS IT WELL? Health, limits, logs. */
@Module({
  imports: [AvailabilityModule, CatalogueModule],
  controllers: [HealthController, MeController],
  providers: [
    HealthService,
    MeService,
    Metrics,
    RequestJournal,
    RateLimits,
    RateLimitsGuard,
    SharedCounts,
  ],
  exports: [HealthService, Metrics, RequestJournal, RateLimits, RateLimitsGuard],
})
export class OpsModule {}
