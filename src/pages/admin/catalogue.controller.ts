import { Get, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';
import { CataloguePagesService } from './catalogue-pages.service.js';

/** Catalogue versions: what they change, and which one is in service. */
@StaffPages('staff/catalogue', 'admin')
export class CataloguePagesController {
  constructor(private readonly pages: CataloguePagesService) {}

  @Get()
  listVersions(@Staff() viewer: StaffCaller) {
    return this.pages.list(viewer);
  }

  @Get('new')
  newVersion(@Staff() viewer: StaffCaller) {
    return this.pages.form(viewer);
  }

  @Post('versions')
  upload(@Staff() viewer: StaffCaller, @Req() request: Request) {
    return this.pages.upload(viewer, request);
  }

  @Get('versions/:number')
  showVersion(
    @Staff() viewer: StaffCaller,
    @Param('number') number: string,
    @QueryForm() query: Form,
  ) {
    return this.pages.show(viewer, number, query);
  }

  @Post('versions/:number/activate')
  activate(@Staff() viewer: StaffCaller, @Param('number') number: string, @SentForm() form: Form) {
    return this.pages.activate(viewer, number, form);
  }

  @Post('versions/:number/withdraw')
  withdraw(@Staff() viewer: StaffCaller, @Param('number') number: string) {
    return this.pages.withdraw(viewer, number);
  }

  @Post('versions/:number/rollback')
  rollBack(@Staff() viewer: StaffCaller, @Param('number') number: string) {
    return this.pages.rollBack(viewer, number);
  }
}
