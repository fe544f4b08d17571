import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { SandboxModule } from '../sandbox/sandbox.module.js';
import { AvailabilityController } from './availability.controller.js';
import { AvailabilityService } from './availability.service.js';
import { ChecksService } from './checks.service.js';
import { PostcodeChecksService } from './postcode-checks.service.js';

/** CAN WE SELL HERE? The check and its record. */
@Module({
  imports: [CatalogueModule, SandboxModule],
  controllers: [AvailabilityController],
  providers: [AvailabilityService, ChecksService, PostcodeChecksService],
  exports: [AvailabilityService, ChecksService],
})
export class AvailabilityModule {}
