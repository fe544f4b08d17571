import type { Response } from 'express';

export const CSV = 'text/csv; charset=utf-8; header=present';
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
export const PDF = 'application/pdf';

/** The response is a file to save. */
export function attach(response: Response, type: string, name: string): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
}
