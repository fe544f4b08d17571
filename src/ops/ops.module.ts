import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { BackgroundWork } from '../kernel/background-work.js';
import { SECOND } from '../kernel/time.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { DatabaseGaugesService } from './database-gauges.service.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MeController } from '../clients/me.controller.js';
import { MeService } from '../clients/me.service.js';
import { Metrics } from './metrics.js';
import { RequestJournal } from './request-journal.js';
import { RateLimits } from '../limits/rate-limits.js';
import { SharedCounts } from '../limits/shared-counts.js';
import { RateLimitsGuard } from '../limits/rate-limits.guard.js';

/** IS IT WELL? Health, limits, logs. */
@Module({
  imports: [AvailabilityModule, CatalogueModule, OrdersModule],
  controllers: [HealthController, MeController],
  providers: [
    DatabaseGaugesService,
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
export class OpsModule {
  constructor(background: BackgroundWork, health: HealthService) {
    background.every('health', SECOND, () => health.look());
  }
}
