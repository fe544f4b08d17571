import {
  arrivalsReport,
  dailyReport,
  firstContactReport,
  lostReasonsReport,
  outcomesReport,
} from './order-drawings.js';
import { ageReport, conversionReport, demandReport, peopleReport } from './report-drawings.js';

export const reportKinds = [
  ageReport,
  peopleReport,
  conversionReport,
  arrivalsReport,
  dailyReport,
  firstContactReport,
  outcomesReport,
  demandReport,
  lostReasonsReport,
];
