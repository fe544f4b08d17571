import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';

export const CSV = 'text/csv; charset=utf-8; header=present';
export const PDF = 'application/pdf';

/** The response is a file to save. */
export function attach(response: Response, type: string, name: string): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
}

/** A file to save, in place of the view of type T that the OpenAPI document shows. */
export function attached<T>(
  response: Response,
  type: string,
  name: string,
  content: string | Uint8Array,
): T {
  attach(response, type, name);
  return (typeof content === 'string' ? content : new StreamableFile(content)) as T;
}
