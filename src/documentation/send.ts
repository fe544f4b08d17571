import type { Request, Response } from 'express';
import type { StaticPage } from './documentation.service.js';

/** A page loads only its own stylesheet and picture. */
export const READING_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The browser asks each time, and gets 304 while nothing has changed. */
const REVALIDATE = 'no-cache';
/** For files whose name contains a hash of the content. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

interface How {
  readonly policy?: string;
  readonly cache?: string;
}

/** Sends the page, or 304 where the caller has it already (RFC 9110 §13.1.2). */
export function send(
  request: Request,
  response: Response,
  sent: StaticPage,
  { policy = READING_POLICY, cache = REVALIDATE }: How = {},
): void {
  response.setHeader('ETag', sent.etag);
  response.setHeader('Cache-Control', cache);
  response.setHeader('Content-Security-Policy', policy);
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', sent.type);
  response.setHeader('Content-Length', Buffer.byteLength(sent.text));
  response.end(request.method === 'HEAD' ? undefined : sent.text);
}
