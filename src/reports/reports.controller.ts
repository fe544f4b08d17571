import { Controller, Get } from '@nestjs/common';
import { Heavy } from '../platform/access/counting.js';
import { Requires } from '../platform/access/scopes.js';
import { Described } from '../platform/http/described.js';
import { ValidQuery } from '../platform/http/valid.js';
import { ChargeReport } from './charge-report.dto.js';
import { EnquiryReport } from './enquiry-report.dto.js';
import {
  AgeReport,
  ArrivalsReport,
  ClientFiguresReport,
  ConversionReport,
  DailyReport,
  DemandReport,
  FirstContactReport,
  LostReasonsReport,
  OutcomeReport,
  PeopleReport,
  PersonFiguresReport,
  ReportQuery,
  SummaryReport,
} from './reports.dto.js';
import { ChargeReportService } from './charge-report.service.js';
import { EnquiryReportService } from './enquiry-report.service.js';
import { PerformanceService } from './performance.service.js';
import { ReportsService } from './reports.service.js';

@Controller('follow-up/reports')
@Heavy()
@Described('Reports', "For the operator's staff: counts, each with its definition.")
export class ReportsController {
  constructor(
    private readonly reports: ReportsService,
    private readonly performance: PerformanceService,
    private readonly charges: ChargeReportService,
    private readonly enquiries: EnquiryReportService,
  ) {}

  /**
   * The main figures, with those of the period before
   *
   * @remarks The period before has as many days.
   */
  @Get('summary')
  @Requires('reports:read')
  reportSummary(@ValidQuery() query: ReportQuery): Promise<SummaryReport> {
    return this.performance.summary(query);
  }

  /** Figures by person */
  @Get('by-person')
  @Requires('reports:read')
  reportByPerson(@ValidQuery() query: ReportQuery): Promise<PersonFiguresReport> {
    return this.performance.byPerson(query);
  }

  /** Figures by API client */
  @Get('by-client')
  @Requires('reports:read')
  reportByClient(@ValidQuery() query: ReportQuery): Promise<ClientFiguresReport> {
    return this.performance.byClient(query);
  }

  /**
   * Open orders by age against the deadline
   *
   * @remarks The current state.
   */
  @Get('age')
  @Requires('reports:read')
  reportAge(): Promise<AgeReport> {
    return this.reports.age();
  }

  /** Orders received, closed and open by day */
  @Get('daily')
  @Requires('reports:read')
  reportDaily(@ValidQuery() query: ReportQuery): Promise<DailyReport> {
    return this.reports.daily(query);
  }

  /**
   * Time to first contact by week
   *
   * @remarks In working minutes, of the orders received in each week.
   */
  @Get('first-contact')
  @Requires('reports:read')
  reportFirstContact(@ValidQuery() query: ReportQuery): Promise<FirstContactReport> {
    return this.performance.firstContact(query);
  }

  /** Outcome by product */
  @Get('outcomes')
  @Requires('reports:read')
  reportOutcomes(@ValidQuery() query: ReportQuery): Promise<OutcomeReport> {
    return this.reports.outcomes(query);
  }

  /** Why orders were lost */
  @Get('lost-reasons')
  @Requires('reports:read')
  reportLostReasons(@ValidQuery() query: ReportQuery): Promise<LostReasonsReport> {
    return this.reports.lostReasons(query);
  }

  /**
   * Open, due and late orders by person
   *
   * @remarks The current state.
   */
  @Get('people')
  @Requires('reports:read')
  reportPeople(): Promise<PeopleReport> {
    return this.reports.people();
  }

  /**
   * Enquiries and offers by postcode area
   *
   * @remarks Enquiries have no product: the filter of products does not apply.
   */
  @Get('enquiries')
  @Requires('reports:read')
  reportEnquiries(@ValidQuery() query: ReportQuery): Promise<EnquiryReport> {
    return this.enquiries.enquiries(query);
  }

  /** Extra charges by category */
  @Get('charges')
  @Requires('reports:read')
  reportCharges(@ValidQuery() query: ReportQuery): Promise<ChargeReport> {
    return this.charges.charges(query);
  }

  /** Arrivals by weekday and hour */
  @Get('arrivals')
  @Requires('reports:read')
  reportArrivals(@ValidQuery() query: ReportQuery): Promise<ArrivalsReport> {
    return this.reports.arrivals(query);
  }

  /** From checks to won orders */
  @Get('conversion')
  @Requires('reports:read')
  reportConversion(@ValidQuery() query: ReportQuery): Promise<ConversionReport> {
    return this.reports.conversion(query);
  }

  /** Demand and coverage by postcode area */
  @Get('demand')
  @Requires('reports:read')
  reportDemand(@ValidQuery() query: ReportQuery): Promise<DemandReport> {
    return this.reports.demand(query);
  }
}
