import { Module } from '@nestjs/common';
import { StaffModule } from '../staff/staff.module.js';
import { RetentionService } from './retention.service.js';

/** WHAT WE FORGET: records that have been kept long enough. */
@Module({ imports: [StaffModule], providers: [RetentionService] })
export class RetentionModule {}
