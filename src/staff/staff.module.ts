import { Module } from '@nestjs/common';
import { StaffService } from './staff.service.js';

/** WHO WORKS HERE: the operator's people who follow orders up. */
@Module({ providers: [StaffService], exports: [StaffService] })
export class StaffModule {}
