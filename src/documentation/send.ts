import type { Request, Response } from 'express';
import type { StaticPage } from './documentation.service.js';

/** Of a page to be read: its own stylesheet and picture, and nothing else from anywhere. */
export const READING_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Kept, but asked for again each time, which is answered 304 while it is the same. */
const ASK_AGAIN = 'no-cache';
/** The name holds a hash of the content, so another content has another name. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

interface How {
  readonly policy?: string;
  readonly cache?: string;
}

/** Sends it, or says that the caller has it already (RFC 9110 §13.1.2). */
export function send(
  request: Request,
  response: Response,
  sent: StaticPage,
  { policy = READING_POLICY, cache = ASK_AGAIN }: How = {},
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
