import { Get, Param, Post } from '@nestjs/common';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Form, QueryForm, SentForm, type Visit, Visited } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';
import { AccountPagesService } from './account-pages.service.js';

/** A member's own sessions, password and second factor. */
@StaffPages('staff', 'agent')
export class AccountController {
  constructor(private readonly pages: AccountPagesService) {}

  @Get('account')
  showAccount(@Staff() viewer: StaffCaller, @QueryForm() query: Form) {
    return this.pages.show(viewer, query);
  }

  @Get('account/password')
  showPassword(@Staff() viewer: StaffCaller) {
    return this.pages.showPassword(viewer);
  }

  @Post('account/password')
  changePassword(@Staff() viewer: StaffCaller, @Visited() visit: Visit) {
    return this.pages.changePassword(viewer, visit);
  }

  @Post('account/sessions/end-others')
  endOtherSessions(@Staff() viewer: StaffCaller) {
    return this.pages.endOtherSessions(viewer);
  }

  @Post('account/sessions/:id/end')
  endSession(@Staff() viewer: StaffCaller, @Param('id') id: string) {
    return this.pages.endSession(viewer, id);
  }

  @Get('account/second-factor')
  showSecondFactor(@Staff() viewer: StaffCaller) {
    return this.pages.showSecondFactor(viewer);
  }

  @Post('account/second-factor')
  setUpSecondFactor(@Staff() viewer: StaffCaller, @SentForm() form: Form) {
    return this.pages.setUpSecondFactor(viewer, form);
  }

  @Post('account/second-factor/change')
  changeSecondFactor(@Staff() viewer: StaffCaller, @Visited() visit: Visit) {
    return this.pages.changeSecondFactor(viewer, visit);
  }

  @Post('sign-out')
  signOut(@Staff() viewer: StaffCaller, @Visited() { response }: Visit) {
    return this.pages.signOut(viewer, response);
  }
}
