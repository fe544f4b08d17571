import { chargesReport } from './charge-drawing.js';
import { enquiriesReport } from './enquiry-drawing.js';
import {
  arrivalsReport,
  dailyReport,
  firstContactReport,
  lostReasonsReport,
  outcomesReport,
} from './order-drawings.js';
import { byClientReport, byPersonReport } from './performance-drawings.js';
import { ageReport, conversionReport, demandReport, peopleReport } from './report-drawings.js';
import type { ReportKind } from './report-kinds.js';

export const reportKinds: readonly ReportKind[] = [
  ageReport,
  peopleReport,
  byPersonReport,
  byClientReport,
  conversionReport,
  arrivalsReport,
  dailyReport,
  firstContactReport,
  outcomesReport,
  demandReport,
  lostReasonsReport,
  chargesReport,
  enquiriesReport,
];
