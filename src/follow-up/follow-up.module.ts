import { Module } from '@nestjs/common';
import { FollowUpController } from './follow-up.controller.js';
import { FollowUpService } from './follow-up.service.js';
import { RemindersService } from './reminders.service.js';

/** WHO CALLS, AND WHEN: the staff's queue of orders. */
@Module({ controllers: [FollowUpController], providers: [FollowUpService, RemindersService] })
export class FollowUpModule {}
