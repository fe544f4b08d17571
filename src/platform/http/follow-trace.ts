import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { traceOf } from '../tracing/traceparent.js';
import type { Traces } from '../tracing/traces.js';

/** Runs a request in its trace, for the messages that it causes. Reading causes none. */
export function followTrace(traces: Traces): RequestHandler {
  return (request: Request, _response: Response, next: NextFunction) => {
    if (request.method === 'GET' || request.method === 'HEAD') return next();
    traces.follow(traceOf(request.id, request.headers.traceparent), next);
  };
}
