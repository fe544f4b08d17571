import { Get } from '@nestjs/common';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Form, QueryForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';
import { AuditPagesService } from './audit-pages.service.js';

/** Who did what to which subject. */
@StaffPages('staff/audit', 'manager')
export class AuditPagesController {
  constructor(private readonly pages: AuditPagesService) {}

  @Get()
  showAudit(@Staff() viewer: StaffCaller, @QueryForm() query: Form) {
    return this.pages.show(viewer, query);
  }
}
