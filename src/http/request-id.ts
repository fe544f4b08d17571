import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { MalformedRequest, Problem } from '../problems/problem.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** UUID of this request: `X-Request-Id` of the answer, `instance` of a problem. */
    id: string;
  }
}

const inbound = /^[A-Za-z0-9._-]{8,64}$/;

/** Characters. The longest address of this service has a few hundred. */
export const LONGEST_URL = 2_048;

export const uriTooLong = () =>
  new Problem('uri-too-long', 'The address has more than 2,048 characters.');

/** Gives the request an id. @returns the header for it, name and value */
export function identify(request: Pick<Request, 'id'>): [name: string, value: string] {
  request.id = randomUUID();
  return ['X-Request-Id', request.id];
}

/** What is wrong with the address or the `Host` header, before the route is known. */
export function requestFault(request: IncomingMessage): Problem | undefined {
  if (request.url!.length > LONGEST_URL) return uriTooLong();
  // RFC 9112 §3.2. Node could refuse this itself, but without a body.
  if (request.headers.host !== undefined || request.httpVersion !== '1.1') return undefined;
  return new MalformedRequest('An HTTP/1.1 request has a Host header.');
}

/** Gives every request its id, and refuses those that no route can answer. */
export function acceptRequest(request: Request, response: Response, next: NextFunction): void {
  response.setHeader(...identify(request));
  next(requestFault(request));
}

/** Clients whose base address ends with a slash ask for `//product-availability/…`. */
export function joinSlashes(request: Request, _response: Response, next: NextFunction): void {
  if (request.url.startsWith('//')) request.url = request.url.replace(/^\/+/, '/');
  next();
}

/** The caller's own `X-Request-Id`, if it is fit to be logged. */
export function callersRequestId(request: Request): string | undefined {
  const id = request.headers['x-request-id'];
  return typeof id === 'string' && inbound.test(id) ? id : undefined;
}
