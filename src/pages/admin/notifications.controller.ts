import { Get, Post } from '@nestjs/common';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';
import { NotificationPagesService } from './notification-pages.service.js';

/** Messages to people and systems, and which of them could not be delivered. */
@StaffPages('staff/notifications', 'admin')
export class NotificationsPagesController {
  constructor(private readonly pages: NotificationPagesService) {}

  @Get()
  listNotifications(@Staff() viewer: StaffCaller, @QueryForm() query: Form) {
    return this.pages.show(viewer, query);
  }

  @Post()
  changeNotifications(@Staff() viewer: StaffCaller, @SentForm() form: Form) {
    return this.pages.change(viewer, form);
  }
}
