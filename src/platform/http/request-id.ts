import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { MalformedRequest, Problem } from '../problems/problem.js';

/**
 * How many headers of this name, in lower case, are among Node's `rawHeaders` (names and values in turn).
 * `headersDistinct` would report it too, but builds a whole second set of headers to do so.
 */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** UUID: `X-Request-Id` of the response, `instance` of a problem. */
    id: string;
  }
}

const inbound = /^[A-Za-z0-9._-]{8,64}$/;

/** Characters. The longest URL of this service has a few hundred. */
export const LONGEST_URL = 2_048;

export const uriTooLong = () => new Problem('uri-too-long');

/** Sets the id of the request. @returns name and value of its header */
export function identify(request: Pick<Request, 'id'>): [name: string, value: string] {
  request.id = randomUUID();
  return ['X-Request-Id', request.id];
}

/** A fault of the URL or the `Host` header, if any. */
export function requestFault(request: IncomingMessage): Problem | undefined {
  if (request.url!.length > LONGEST_URL) return uriTooLong();
  // RFC 9112 §3.2. Node could refuse a missing one itself, but without a body, and takes the first of two.
  const hosts = countHeader(request.rawHeaders, 'host');
  if (hosts === 1 || (hosts === 0 && request.httpVersion !== '1.1')) return undefined;
  return new MalformedRequest(
    hosts === 0 ? 'An HTTP/1.1 request has a Host header.' : 'A request has only one Host header.',
  );
}

/** Sets the id of every request, and refuses malformed ones. */
export function acceptRequest(request: Request, response: Response, next: NextFunction): void {
  response.setHeader(...identify(request));
  next(requestFault(request));
}

/**
 * Clients whose base URL ends with a slash request `//product-availability/…`. Other paths have to be
 * exact, because a proxy may refuse them by their prefix.
 */
export function joinSlashes(request: Request, _response: Response, next: NextFunction): void {
  if (request.url.startsWith('//')) {
    request.url = request.url.replace(/^\/+(?=product-availability\/)/, '/');
  }
  next();
}

/** The caller's `X-Request-Id`, if it is safe to log. */
export function callersRequestId(request: Request): string | undefined {
  const id = request.headers['x-request-id'];
  return typeof id === 'string' && inbound.test(id) ? id : undefined;
}

/** The `Authorization` header of a request that has exactly one. */
export function singleAuthorization(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  return countHeader(request.rawHeaders, 'authorization') === 1 ? authorization : undefined;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const shape = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;

/** The trace id of a `traceparent`: 32 hexadecimal digits. Undefined where the header is absent or invalid. */
function traceIdIn(header: unknown): string | undefined {
  if (typeof header !== 'string' || header.length > 200) return undefined;
  const [, traceId, spanId] = shape.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (header.startsWith('00') && header.length !== 55) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : traceId;
}

/** The trace of a request in the log: its caller's, otherwise the digits of the request's id. */
export function traceIdOf(requestId: string, header: unknown): string {
  return traceIdIn(header) ?? digitsOf(requestId);
}

/** A UUID without hyphens. Slicing is faster than replacing. */
function digitsOf(id: string): string {
  return id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
}
