import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { MINUTE, SECOND } from '../platform/kernel/time.js';
import { ClientsModule } from '../clients/clients.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { BackupsService } from './backups.service.js';
import { DatabaseGaugesService } from './database-gauges.service.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MeController } from '../clients/me.controller.js';
import { MetricsService } from './metrics.service.js';
import { RequestLogService } from './request-log.service.js';
import { RateLimitsGuard } from '../platform/limits/rate-limits.guard.js';

/** IS IT HEALTHY? Health, limits, logs. */
@Module({
  imports: [AvailabilityModule, CatalogueModule, ClientsModule, OrdersModule],
  controllers: [HealthController, MeController],
  providers: [
    BackupsService,
    DatabaseGaugesService,
    HealthService,
    MetricsService,
    RequestLogService,
    RateLimitsGuard,
  ],
  exports: [HealthService, MetricsService, RateLimitsGuard, RequestLogService],
})
export class OpsModule {
  constructor(background: BackgroundWork, health: HealthService, backups: BackupsService) {
    background.every('health', SECOND, () => health.look());
    const options = { firstAfter: 0, whileServing: true };
    background.every('age of the backup', MINUTE, () => backups.look(), options);
  }
}
