import { Get, Param } from '@nestjs/common';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Heavy } from '../../access/counting.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../problems/problem.js';
import { londonDay } from '../../kernel/working-hours.js';
import { AreaDemandService } from '../../follow-up/reports/area-demand.service.js';
import { ReportsService } from '../../follow-up/reports/reports.service.js';
import { nameOfArea } from './area-tiles.js';
import { isMeasure, measureMap } from './map-measures.js';
import { AreaPage, MapPage } from './map-page.js';
import { choosePeriod, type ChosenPeriod } from './period.js';
import { page } from '../shell/render.js';
import { reportKinds } from './report-kinds.js';
import { ReportPage, ReportsPage, type ShownReport } from './report-page.js';
import { Form, QueryForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';

@Heavy()
@StaffPages('staff', 'manager')
export class ReportPagesController {
  constructor(
    private readonly reports: ReportsService,
    private readonly areas: AreaDemandService,
    private readonly clock: Clock,
  ) {}

  @Get('reports')
  async showReports(@Staff() viewer: StaffCaller, @QueryForm() query: Form) {
    const chosen = this.chosenPeriod(query);
    const reports: ShownReport[] = [];
    // In turn: one page must not take all connections of the pool.
    for (const kind of reportKinds) {
      reports.push({ kind, shown: await kind.show(this.reports, chosen.period) });
    }
    return page(<ReportsPage {...{ viewer, chosen, reports }} />, statusOf(chosen));
  }

  @Get('reports/:name')
  async showReport(
    @Staff() viewer: StaffCaller,
    @Param('name') name: string,
    @QueryForm() query: Form,
  ) {
    const kind = reportKinds.find((one) => one.name === name);
    if (!kind) throw new NotFound('There is no report with this name.');
    const chosen = this.chosenPeriod(query);
    const shown = await kind.show(this.reports, chosen.period);
    return page(<ReportPage {...{ viewer, chosen, kind, shown }} />, statusOf(chosen));
  }

  @Get('map')
  async showMap(@Staff() viewer: StaffCaller, @QueryForm() query: Form) {
    const chosen = this.chosenPeriod(query);
    const text = query.text('measure');
    const { items } = await this.reports.demand(chosen.period);
    const map = measureMap(items, isMeasure(text) ? text : 'demand');
    return page(<MapPage {...{ viewer, chosen, map }} />, statusOf(chosen));
  }

  @Get('map/:area')
  async showArea(
    @Staff() viewer: StaffCaller,
    @Param('area') area: string,
    @QueryForm() query: Form,
  ) {
    if (nameOfArea(area) === null && area !== 'BF' && area !== 'BX') {
      throw new NotFound('There is no postcode area with this code.');
    }
    const chosen = this.chosenPeriod(query);
    const demand = await this.areas.find(area, chosen.period);
    return page(<AreaPage {...{ viewer, chosen, area, demand }} />, statusOf(chosen));
  }

  private chosenPeriod(query: Form): ChosenPeriod {
    return choosePeriod(query, londonDay(this.clock.now()));
  }
}

function statusOf({ refused }: ChosenPeriod): number | undefined {
  return refused ? 400 : undefined;
}
