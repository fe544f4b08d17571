import { Get, Param } from '@nestjs/common';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Form, QueryForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';
import { ReportPagesService } from './report-pages.service.js';

/** The reports, and the map of the country. */
@StaffPages('staff', 'manager')
export class ReportPagesController {
  constructor(private readonly pages: ReportPagesService) {}

  @Get('reports')
  showReports(@Staff() viewer: StaffCaller, @QueryForm() query: Form) {
    return this.pages.overview(viewer, query);
  }

  @Get('reports/:name')
  showReport(@Staff() viewer: StaffCaller, @Param('name') name: string, @QueryForm() query: Form) {
    return this.pages.report(viewer, name, query);
  }

  @Get('map')
  showMap(@Staff() viewer: StaffCaller, @QueryForm() query: Form) {
    return this.pages.map(viewer, query);
  }

  @Get('map/:area')
  showArea(@Staff() viewer: StaffCaller, @Param('area') area: string, @QueryForm() query: Form) {
    return this.pages.area(viewer, area, query);
  }
}
