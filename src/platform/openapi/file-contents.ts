import type { ContentObject } from '@nestjs/swagger';
import { XLSX } from '../http/attachment.js';
import { ANY_TEXT } from '../kernel/text.js';

/** Characters of a body in CSV. */
const LONGEST_CSV = 10_000_000;

/** A body as CSV, beside JSON. */
export function csv(example: string | undefined): ContentObject {
  if (example === undefined) return {};
  return {
    'text/csv': { schema: { type: 'string', maxLength: LONGEST_CSV, pattern: ANY_TEXT }, example },
  };
}

/** A list may also be a workbook. */
export function workbook(isTaken: boolean): ContentObject {
  const schema = { type: 'string', maxLength: LONGEST_CSV, format: 'binary' };
  return isTaken ? { [XLSX]: { schema } } : {};
}

export function pdf(isSent: true | undefined): ContentObject {
  const schema = { type: 'string', maxLength: LONGEST_CSV, format: 'binary' };
  return isSent ? { 'application/pdf': { schema } } : {};
}
