import { Controller, Get } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { Heavy, Requires } from '../../platform/access/rules.js';
import { countReport, ReportOf, tablesOf } from '../drawing/report-table.js';
import { ReportQuery } from '../report-query.dto.js';
import { ReportSourcesService } from '../report-sources.service.js';
import { reportTabs } from './tabs.js';
import { Described } from '../../platform/http/described.js';
import { ValidQuery } from '../../platform/http/valid.js';

const { overview, people, demand, deals, promised, margins } = reportTabs;

@ApiSchema({ description: overview.definition })
export class OverviewReport extends ReportOf(overview) {}

@ApiSchema({ description: people.definition })
export class PeopleReport extends ReportOf(people) {}

@ApiSchema({ description: demand.definition })
export class DemandReport extends ReportOf(demand) {}

@ApiSchema({ description: deals.definition })
export class DealsReport extends ReportOf(deals) {}

@ApiSchema({ description: promised.definition })
export class PromisedReport extends ReportOf(promised) {}

@ApiSchema({ description: margins.definition })
export class MarginsReport extends ReportOf(margins) {}

@Controller('follow-up/reports')
@Heavy()
@Described('Reports', "For the operator's staff: counts, each with its definition.")
export class ReportsController {
  constructor(private readonly sources: ReportSourcesService) {}

  /** The main figures, orders by day and hour, what is open, and how checks become orders */
  @Get('overview')
  @Requires('reports:read')
  reportOverview(@ValidQuery() query: ReportQuery): Promise<OverviewReport> {
    return countReport(tablesOf(overview), this.sources, query);
  }

  /** Figures by week, person and API client */
  @Get('people')
  @Requires('reports:read')
  reportPeople(@ValidQuery() query: ReportQuery): Promise<PeopleReport> {
    return countReport(tablesOf(people), this.sources, query);
  }

  /** Checks and orders by postcode area, outcomes by product, and why orders were lost */
  @Get('demand')
  @Requires('reports:read')
  reportDemand(@ValidQuery() query: ReportQuery): Promise<DemandReport> {
    return countReport(tablesOf(demand), this.sources, query);
  }

  /** Enquiries, quotes and extra charges */
  @Get('deals')
  @Requires('reports:read')
  reportDeals(@ValidQuery() query: ReportQuery): Promise<DealsReport> {
    return countReport(tablesOf(deals), this.sources, query);
  }

  /** First contacts, and whether they were in time */
  @Get('promised')
  @Requires('reports:read')
  reportPromised(@ValidQuery() query: ReportQuery): Promise<PromisedReport> {
    return countReport(tablesOf(promised), this.sources, query);
  }

  /** Prices, costs and margins of third-party networks */
  @Get('margins')
  @Requires('margins:read')
  reportMargins(@ValidQuery() query: ReportQuery): Promise<MarginsReport> {
    return countReport(tablesOf(margins), this.sources, query);
  }
}
