import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Page } from '../../access/scopes.js';
import type { WrittenHtml } from '../../http/written-html.js';
import { type Form, QueryForm } from '../forms/form.js';
import { ReportPagesService } from './report-pages.service.js';

/** The reports, and the map of the country. */
@Controller('staff')
@ApiExcludeController()
export class ReportPagesController {
  constructor(private readonly pages: ReportPagesService) {}

  @Get('reports')
  @Page('manager')
  showReports(@Staff() viewer: StaffCaller, @QueryForm() query: Form): Promise<WrittenHtml> {
    return this.pages.overview(viewer, query);
  }

  @Get('reports/:name')
  @Page('manager')
  showReport(
    @Staff() viewer: StaffCaller,
    @Param('name') name: string,
    @QueryForm() query: Form,
  ): Promise<WrittenHtml> {
    return this.pages.report(viewer, name, query);
  }

  @Get('map')
  @Page('manager')
  showMap(@Staff() viewer: StaffCaller, @QueryForm() query: Form): Promise<WrittenHtml> {
    return this.pages.map(viewer, query);
  }

  @Get('map/:area')
  @Page('manager')
  showArea(
    @Staff() viewer: StaffCaller,
    @Param('area') area: string,
    @QueryForm() query: Form,
  ): Promise<WrittenHtml> {
    return this.pages.area(viewer, area, query);
  }
}
