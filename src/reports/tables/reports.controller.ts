import { Controller, Get } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { Staff, type StaffCaller } from '../../platform/access/caller.js';
import { Heavy, Requires } from '../../platform/access/rules.js';
import { ScopeInsufficient } from '../../clients/clients.errors.js';
import { Described, PathParameter } from '../../platform/http/described.js';
import { ValidQuery } from '../../platform/http/valid.js';
import { NotFound } from '../../platform/problems/problem.js';
import { countReport, ReportOf, type ReportTab, tablesOf } from '../drawing/report-table.js';
import { ReportQuery } from '../report-query.dto.js';
import { ReportSourcesService } from '../report-sources.service.js';
import { allTabs, reportTabs } from './tabs.js';

@ApiSchema({ description: 'The tables of the report, and no others.' })
export class ReportTables extends ReportOf(allTabs.flatMap(tablesOf)) {}

function reportNamed(text: string): ReportTab {
  const report = allTabs.find(({ name }) => name === text);
  if (report) return report;
  throw new NotFound('There is no report with this name.');
}

/** The `report` of the path. */
function ReportParameter(): ParameterDecorator {
  return PathParameter(
    {
      name: 'report',
      description: allTabs.map(({ name, definition }) => `- \`${name}\`: ${definition}`).join('\n'),
      schema: { type: 'string', enum: allTabs.map(({ name }) => name) },
    },
    { transform: reportNamed },
  );
}

@Controller('follow-up/reports')
@Heavy()
@Described('Reports', "For the operator's staff: counts, each with its definition.")
export class ReportsController {
  constructor(private readonly sources: ReportSourcesService) {}

  /**
   * Read a report
   *
   * @remarks Each row has the figures that the schema of its table defines. `margins` also needs the scope `margins:read`.
   *
   * @throws {404} not-found
   */
  @Get(':report')
  @Requires('reports:read')
  readReport(
    @ReportParameter() report: ReportTab,
    @ValidQuery() query: ReportQuery,
    @Staff() { scopes }: StaffCaller,
  ): Promise<ReportTables> {
    const isSecret = report.name === reportTabs.margins.name && !scopes.has('margins:read');
    if (isSecret) throw new ScopeInsufficient('margins:read');
    return countReport(tablesOf(report), this.sources, query);
  }
}
