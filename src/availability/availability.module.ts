import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { AvailabilityController } from './availability.controller.js';
import { AvailabilityService } from './availability.service.js';
import { ChecksService } from './checks.service.js';

/** CAN WE SELL HERE? The check and its record. */
@Module({
  imports: [CatalogueModule],
  controllers: [AvailabilityController],
  providers: [AvailabilityService, ChecksService],
  exports: [AvailabilityService, ChecksService],
})
export class AvailabilityModule {}
