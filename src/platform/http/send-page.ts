import type { Response } from 'express';
import { sendBytes } from './compression.js';
import { PAGE_POLICY } from './security-headers.js';
import { SeeOther, WrittenHtml } from './written.js';

/** Bytes. A smaller page fits into one packet uncompressed. */
export const LEAST_COMPRESSED = 1_000;

/** Sends a page or a redirect. */
export function sendPage(
  response: Response,
  page: WrittenHtml | SeeOther,
  statusCode?: number,
): void {
  response.setHeader('Referrer-Policy', 'same-origin');
  if (page instanceof SeeOther) {
    response.statusCode = 303;
    response.setHeader('Location', page.location);
    response.setHeader('Content-Length', 0);
    response.end();
    return;
  }
  response.statusCode = page.status ?? statusCode ?? 200;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  sendBytes(response, Buffer.from(page.text), LEAST_COMPRESSED);
}
