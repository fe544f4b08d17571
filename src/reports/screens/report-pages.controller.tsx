import { Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Heavy } from '../../platform/access/rules.js';
import { csvOf, printed, type PrintedColumn } from '../drawing/columns.js';
import { type ChosenPeriod, periodQuery } from '../drawing/period.js';
import { countReport, type ReportTab } from '../drawing/report-table.js';
import { ReportSourcesService } from '../report-sources.service.js';
import { pageTabs, reportTabs } from '../tables/tabs.js';
import { attach, CSV } from '../../platform/http/attachment.js';
import { sendChunks } from '../../platform/http/compression.js';
import { SeeOther } from '../../platform/http/written.js';
import { NotFound } from '../../platform/problems/problem.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { addressOf, ReportPage, shownTable } from './report-page.js';
import { ReportScopeService } from './report-scope.service.js';

@Heavy()
@StaffPages('staff', 'manager')
export class ReportPagesController {
  constructor(
    private readonly sources: ReportSourcesService,
    private readonly scope: ReportScopeService,
    private readonly catalogue: CatalogueService,
  ) {}

  @Get('reports')
  showReports(@Visited() visit: Visit) {
    return this.show(visit, reportTabs.overview);
  }

  @Get('reports/:name.csv')
  async exportReport(
    @Visited() { query }: Visit,
    @Param('name') name: string,
    @Res() response: Response,
  ) {
    const { table } = tableNamed(name);
    const { period } = this.scope.valid(query);
    await sendCsv(response, name, printed(table.columns, await table.count(this.sources, period)));
  }

  /** A tab. The name of a table, which once had a page, leads to its place on a tab. */
  @Get('reports/:name')
  async showReport(@Visited() visit: Visit, @Param('name') name: string) {
    const tab = pageTabs.find((one) => one.name === name);
    if (tab) return this.show(visit, tab);
    const { period } = await this.scope.choose(visit.query);
    const place = tableNamed(name);
    const query = `${periodQuery(period)}&by=${name}`;
    return new SeeOther(`${addressOf(place.tab)}?${query}#${place.report.name}`);
  }

  private async show({ viewer, query }: Visit, tab: ReportTab) {
    const chosen = await this.scope.choose(query);
    const by = query.text('by');
    const shown = tab.reports.map((report) => shownTable(report, by));
    const rows = await countReport(shown, this.sources, chosen.period);
    const view = {
      period: chosen.period,
      targetMinutes: this.sources.targetMinutes,
      zoneInWords: (zone: string) => this.catalogue.zoneInWords(zone),
    };
    return page(
      <ReportPage viewer={viewer} chosen={chosen} tab={tab} by={by} rows={rows} view={view} />,
      statusOf(chosen),
    );
  }
}

/** @throws {NotFound} */
function tableNamed(name: string) {
  for (const tab of pageTabs) {
    for (const report of tab.reports) {
      const table = Object.values(report.by).find((one) => one.name === name);
      if (table) return { tab, report, table };
    }
  }
  throw new NotFound('There is no report with this name.');
}

/** Sends a table as a file. Its name has only letters, digits and hyphens. */
export async function sendCsv(
  response: Response,
  name: string,
  columns: readonly PrintedColumn[],
): Promise<void> {
  attach(response, CSV, `${name}.csv`);
  await sendChunks(response, [csvOf(columns)]);
}

/** The page shows an invalid form again. */
export function statusOf({ refused }: ChosenPeriod): number | undefined {
  return refused ? 400 : undefined;
}
