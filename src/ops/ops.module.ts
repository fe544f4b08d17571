import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { HealthController } from './health.controller.js';
import { ProblemsController } from './problems.controller.js';
import { RateLimits } from './rate-limits.js';
import { RateLimitsGuard } from './rate-limits.guard.js';

/** IS IT WELL? Health, limits, and the pages that explain problems. */
@Module({
  imports: [CatalogueModule],
  controllers: [HealthController, ProblemsController],
  providers: [RateLimits, RateLimitsGuard],
  exports: [RateLimits, RateLimitsGuard],
})
export class OpsModule {}
