import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import http from 'node:http';
import { WrittenJson } from './written-json.js';

type Constructor = new (...parameters: never[]) => object;

/** A constructor that does what Node's own does, for objects that have `prototype` from birth. */
function bornAs<T>(parent: Constructor, prototype: object): T {
  function Born(this: object, ...parameters: unknown[]): void {
    (parent as unknown as (...parameters: unknown[]) => void).apply(this, parameters);
  }
  Born.prototype = prototype;
  return Born as unknown as T;
}

/**
 * Nest on Express without Express's largest cost. Express calls `Object.setPrototypeOf` on every
 * request and response, which makes V8 forget what it has learnt about them; here Node creates them
 * with these prototypes, and the call changes nothing. Answers are written without ETag hashing.
 */
export class LeanExpressAdapter extends ExpressAdapter {
  constructor() {
    super();
    this.disable('x-powered-by');
    this.disable('etag');
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    this.httpServer = http.createServer(
      {
        IncomingMessage: bornAs<typeof http.IncomingMessage>(http.IncomingMessage, app.request),
        ServerResponse: bornAs<typeof http.ServerResponse>(http.ServerResponse, app.response),
        headersTimeout: 10_000,
        requestTimeout: 15_000,
        maxHeaderSize: 16_384,
        connectionsCheckingInterval: 2_000,
        requireHostHeader: false, // The middleware requires it, and answers with a problem.
      },
      app as http.RequestListener,
    );
  }

  /** Leaves errors as they are: the one filter tells them apart. */
  override mapException(error: unknown): unknown {
    return error;
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (body instanceof WrittenJson) return sendJson(response, statusCode, body.text);
    if (isPlainObject(body)) return sendJson(response, statusCode, JSON.stringify(body));
    return super.reply(response, body, statusCode);
  }
}

function isPlainObject(body: unknown): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    !(body instanceof Error) &&
    !('getStream' in body) &&
    !Buffer.isBuffer(body)
  );
}

function sendJson(response: Response, statusCode: number | undefined, text: string): void {
  if (statusCode !== undefined) response.statusCode = statusCode;
  if (!response.hasHeader('Content-Type')) {
    response.setHeader('Content-Type', 'application/json');
  }
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Cache-Control', 'no-store');
  response.end(text);
}
