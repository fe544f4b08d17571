import { Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Heavy } from '../../platform/access/counting.js';
import { ChargeReportService } from '../charge-report.service.js';
import { EnquiryReportService } from '../enquiry-report.service.js';
import { PerformanceService } from '../performance.service.js';
import { ReportsService } from '../reports.service.js';
import { NotFound } from '../../platform/problems/problem.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { sendCsv } from './csv-file.js';
import type { ChosenPeriod } from './period.js';
import type { ReportKind, ReportSources } from './report-kinds.js';
import { reportKinds } from './report-list.js';
import { ReportPage, ReportsPage, type ShownReport } from './report-page.js';
import { ReportScopeService } from './report-scope.service.js';

@Heavy()
@StaffPages('staff', 'manager')
export class ReportPagesController {
  private readonly sources: ReportSources;

  constructor(
    reports: ReportsService,
    private readonly performance: PerformanceService,
    private readonly scope: ReportScopeService,
    charges: ChargeReportService,
    enquiries: EnquiryReportService,
  ) {
    this.sources = { reports, performance, charges, enquiries };
  }

  @Get('reports')
  async showReports(@Visited() { viewer, query }: Visit) {
    const chosen = await this.scope.choose(query);
    const summary = await this.performance.summary(chosen.period);
    const reports: ShownReport[] = [];
    // In turn: one page must not take all connections of the pool.
    for (const kind of reportKinds) {
      reports.push({ kind, shown: await kind.show(this.sources, chosen.period) });
    }
    return page(<ReportsPage {...{ viewer, chosen, summary, reports }} />, statusOf(chosen));
  }

  @Get('reports/:name.csv')
  async exportReport(
    @Visited() { query }: Visit,
    @Param('name') name: string,
    @Res() response: Response,
  ) {
    const kind = kindNamed(name);
    const { period } = this.scope.valid(query);
    const { table } = await kind.show(this.sources, period);
    sendCsv(response, kind.name, table);
  }

  @Get('reports/:name')
  async showReport(@Visited() { viewer, query }: Visit, @Param('name') name: string) {
    const kind = kindNamed(name);
    const chosen = await this.scope.choose(query);
    const shown = await kind.show(this.sources, chosen.period);
    return page(<ReportPage {...{ viewer, chosen, kind, shown }} />, statusOf(chosen));
  }
}

/** @throws {NotFound} */
function kindNamed(name: string): ReportKind {
  const kind = reportKinds.find((one) => one.name === name);
  if (!kind) throw new NotFound('There is no report with this name.');
  return kind;
}

/** The page shows an invalid form again. */
export function statusOf({ refused }: ChosenPeriod): number | undefined {
  return refused ? 400 : undefined;
}
