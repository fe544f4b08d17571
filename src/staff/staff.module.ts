import { Module } from '@nestjs/common';
import { SessionGuard } from './session.guard.js';
import { SessionsService } from './sessions.service.js';
import { StaffService } from './staff.service.js';

/** WHO WORKS HERE: the operator's people who follow orders up, and how they sign in. */
@Module({
  providers: [SessionGuard, SessionsService, StaffService],
  exports: [SessionGuard, SessionsService, StaffService],
})
export class StaffModule {}
