import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { HOUR, MINUTE } from '../platform/kernel/time.js';
import { ClientsModule } from '../clients/clients.module.js';
import { StaffModule } from '../staff/staff.module.js';
import { RetentionService } from './retention.service.js';

/** WHAT WE FORGET: records that have been kept long enough. */
@Module({
  imports: [AvailabilityModule, ClientsModule, StaffModule],
  providers: [RetentionService],
})
export class RetentionModule {
  constructor(background: BackgroundWork, retention: RetentionService) {
    const options = { firstAfter: 5 * MINUTE, whileServing: true };
    background.every('retention', HOUR, (stopping) => retention.pruneAndLog(stopping), options);
  }
}
