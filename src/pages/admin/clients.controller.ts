import { Get, Param, Post } from '@nestjs/common';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';
import { ClientPagesService } from './client-pages.service.js';
import type { TokenPath } from './tokens.js';

/** API clients and their tokens. */
@StaffPages('staff/clients', 'admin')
export class ClientsPagesController {
  constructor(private readonly pages: ClientPagesService) {}

  @Get()
  listClients(@Staff() viewer: StaffCaller) {
    return this.pages.list(viewer);
  }

  @Get('new')
  newClient(@Staff() viewer: StaffCaller) {
    return this.pages.form(viewer);
  }

  @Post()
  addClient(@Staff() viewer: StaffCaller, @SentForm() form: Form) {
    return this.pages.add(viewer, form);
  }

  @Get(':id')
  showClient(@Staff() viewer: StaffCaller, @Param('id') id: string, @QueryForm() query: Form) {
    return this.pages.show(viewer, id, query);
  }

  @Post(':id/tokens')
  issueToken(@Staff() viewer: StaffCaller, @Param('id') id: string, @SentForm() form: Form) {
    return this.pages.issueToken(viewer, id, form);
  }

  @Post(':id/tokens/:tokenId/revoke')
  revokeToken(@Staff() viewer: StaffCaller, @Param() path: TokenPath, @SentForm() form: Form) {
    return this.pages.revokeToken(viewer, path, form);
  }

  @Post(':id/limits')
  setLimits(@Staff() viewer: StaffCaller, @Param('id') id: string, @SentForm() form: Form) {
    return this.pages.setLimits(viewer, id, form);
  }

  @Post(':id/enabled')
  setEnabled(@Staff() viewer: StaffCaller, @Param('id') id: string, @SentForm() form: Form) {
    return this.pages.setEnabled(viewer, id, form);
  }

  @Post(':id/webhook')
  setWebhook(@Staff() viewer: StaffCaller, @Param('id') id: string, @SentForm() form: Form) {
    return this.pages.setWebhook(viewer, id, form);
  }
}
