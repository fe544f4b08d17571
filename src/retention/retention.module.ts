import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { StaffModule } from '../staff/staff.module.js';
import { RetentionService } from './retention.service.js';

/** WHAT WE FORGET: records that have been kept long enough. */
@Module({ imports: [AvailabilityModule, StaffModule], providers: [RetentionService] })
export class RetentionModule {}
