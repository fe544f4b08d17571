import { Get, Param, Post } from '@nestjs/common';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';
import { MemberPagesService } from './member-pages.service.js';
import type { TokenPath } from './tokens.js';

/** Staff members: who they are, what they may do, and how they sign in. */
@StaffPages('staff/members', 'admin')
export class MembersPagesController {
  constructor(private readonly pages: MemberPagesService) {}

  @Get()
  listMembers(@Staff() viewer: StaffCaller) {
    return this.pages.list(viewer);
  }

  @Get('new')
  newMember(@Staff() viewer: StaffCaller) {
    return this.pages.form(viewer);
  }

  @Post()
  addMember(@Staff() viewer: StaffCaller, @SentForm() form: Form) {
    return this.pages.add(viewer, form);
  }

  @Get(':id')
  showMember(@Staff() viewer: StaffCaller, @Param('id') id: string, @QueryForm() query: Form) {
    return this.pages.show(viewer, id, query);
  }

  @Post(':id/link')
  makeLink(@Staff() viewer: StaffCaller, @Param('id') id: string) {
    return this.pages.makeLink(viewer, id);
  }

  @Post(':id/role')
  setRole(@Staff() viewer: StaffCaller, @Param('id') id: string, @SentForm() form: Form) {
    return this.pages.setRole(viewer, id, form);
  }

  @Post(':id/forget-second-factor')
  forgetSecondFactor(@Staff() viewer: StaffCaller, @Param('id') id: string) {
    return this.pages.forgetSecondFactor(viewer, id);
  }

  @Post(':id/end-sessions')
  endSessions(@Staff() viewer: StaffCaller, @Param('id') id: string) {
    return this.pages.endSessions(viewer, id);
  }

  @Post(':id/enabled')
  setEnabled(@Staff() viewer: StaffCaller, @Param('id') id: string, @SentForm() form: Form) {
    return this.pages.setEnabled(viewer, id, form);
  }

  @Post(':id/tokens/:tokenId/revoke')
  revokeToken(@Staff() viewer: StaffCaller, @Param() path: TokenPath, @SentForm() form: Form) {
    return this.pages.revokeToken(viewer, path, form);
  }
}
