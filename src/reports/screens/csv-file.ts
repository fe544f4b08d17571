import type { Response } from 'express';
import { csvOf, type ReportTable } from './report-table.js';

/** Sends a table as a file. Its name has only letters, digits and hyphens. */
export function sendCsv(response: Response, name: string, table: ReportTable): void {
  response.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
  response.setHeader('Content-Disposition', `attachment; filename="${name}.csv"`);
  response.end(csvOf(table));
}
