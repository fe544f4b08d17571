import type { VNode } from 'preact';
import type { ChargeReportService } from '../charge-report.service.js';
import type { EnquiryReportService } from '../enquiry-report.service.js';
import type { PerformanceService } from '../performance.service.js';
import type { ReportsService } from '../reports.service.js';
import type { Period } from './period.js';
import type { ReportTable } from './report-table.js';

export interface ReportDrawing {
  readonly drawing: VNode | false;
  readonly table: ReportTable;
}

export interface ReportSources {
  readonly reports: ReportsService;
  readonly performance: PerformanceService;
  readonly charges: ChargeReportService;
  readonly enquiries: EnquiryReportService;
}

export interface ReportKind {
  readonly name: string;
  readonly title: string;
  readonly definition: string;
  readonly empty: string;
  /** The report has no period. */
  readonly now?: true;
  /** A table of many columns, which is the report. */
  readonly wide?: true;
  readonly show: (from: ReportSources, period: Period) => Promise<ReportDrawing>;
}
