import { Get, Param, Post } from '@nestjs/common';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { StaffPages } from '../shell/staff-pages.js';
import type { SeeOther, WrittenHtml } from '../../http/written-html.js';
import { CheckPagesService } from './check-pages.service.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { TelephoneService } from './telephone.service.js';

/** Check a postcode, and order for a client that is on the telephone. */
@StaffPages('staff/check', 'agent')
export class CheckPagesController {
  constructor(
    private readonly pages: CheckPagesService,
    private readonly telephone: TelephoneService,
  ) {}

  @Get()
  lookUpPostcode(@Staff() viewer: StaffCaller, @QueryForm() query: Form): Promise<WrittenHtml> {
    return this.pages.lookUp(viewer, query);
  }

  @Post()
  recordCheck(@Staff() viewer: StaffCaller, @SentForm() form: Form): Promise<SeeOther> {
    return this.telephone.record(viewer, form);
  }

  @Get(':id')
  showCheck(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @QueryForm() query: Form,
  ): Promise<WrittenHtml> {
    return this.telephone.showCheck(viewer, id, query);
  }

  @Get(':id/order')
  showOrderForm(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @QueryForm() query: Form,
  ): Promise<WrittenHtml> {
    return this.telephone.showForm(viewer, id, query);
  }

  @Post(':id/order')
  placeOrderByTelephone(
    @Staff() viewer: StaffCaller,
    @Param('id') id: string,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    return this.telephone.place(viewer, id, form);
  }
}
