import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { MalformedRequest, Problem } from '../problems/problem.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** UUID of this request: `X-Request-Id` of the answer, `instance` of a problem. */
    id: string;
  }
}

const inbound = /^[A-Za-z0-9._-]{8,64}$/;

/** Characters. The longest address of ours, with all that can be asked of it, has a few hundred. */
export const LONGEST_URL = 2_048;

export const uriTooLong = () =>
  new Problem('uri-too-long', 'The address has more than 2,048 characters.');

/** The request gets its id; one whose address cannot be one of ours goes no further. */
export function giveRequestId(request: Request, response: Response, next: NextFunction): void {
  request.id = randomUUID();
  response.setHeader('X-Request-Id', request.id);
  if (request.url.length > LONGEST_URL) {
    return next(uriTooLong());
  }
  next();
}

/** Clients whose base address ends with a slash ask for `//product-availability/…`: it is the same. */
export function joinSlashes(request: Request, _response: Response, next: NextFunction): void {
  if (request.url.startsWith('//')) request.url = request.url.replace(/^\/+/, '/');
  next();
}

/** RFC 9112 §3.2. Node can see to it too, but answers without a body. */
export function requireHost(request: Request, _response: Response, next: NextFunction): void {
  const isMissing = request.headers.host === undefined && request.httpVersion === '1.1';
  next(isMissing ? new MalformedRequest('An HTTP/1.1 request has a Host header.') : undefined);
}

/** The caller's own `X-Request-Id`, if it is fit to be logged. */
export function callersRequestId(request: Request): string | undefined {
  const id = request.headers['x-request-id'];
  return typeof id === 'string' && inbound.test(id) ? id : undefined;
}
