import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import http from 'node:http';
import { responsesBy, type ResponseRules, setHeaders } from './tracked-response.js';
import { replaceableHeaders } from './security-headers.js';
import { sendPage } from './send-page.js';
import { SeeOther, WrittenHtml } from './written-html.js';
import { jsonHeaders, WrittenJson } from './written-json.js';

/** Answers a request completely and returns true, or leaves it untouched. */
export type FirstAnswer = (request: http.IncomingMessage, response: http.ServerResponse) => boolean;

/**
 * Nest on Express, with the rules for every answer, and without ETag hashing. Node creates requests and
 * responses with Express's prototypes: Express sets them on each, and a change of prototype makes V8
 * drop what it has optimised for them.
 */
export class LeanExpressAdapter extends ExpressAdapter {
  /** `ended` is set by the caller that wants to know when responses end. */
  readonly rules: ResponseRules;
  private first: FirstAnswer | undefined;

  constructor(headers: readonly string[]) {
    super();
    this.rules = { headers, replaceable: replaceableHeaders, closing: false, ended: () => {} };
    this.disable('x-powered-by');
    this.disable('etag');
  }

  /** Offers every request to `first` before Express. */
  answerFirst(first: FirstAnswer): void {
    this.first = first;
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    class IncomingMessage extends http.IncomingMessage {}
    Object.setPrototypeOf(IncomingMessage.prototype, app.request);
    app.request = IncomingMessage.prototype as unknown as Express['request'];
    const ServerResponse = responsesBy(this.rules);
    Object.setPrototypeOf(ServerResponse.prototype, app.response);
    app.response = ServerResponse.prototype as unknown as Express['response'];
    const handle = app as http.RequestListener;
    this.httpServer = http.createServer(
      {
        IncomingMessage,
        ServerResponse,
        // Longer than a load balancer keeps idle connections: it must not send on one we just closed.
        keepAliveTimeout: 75_000,
        headersTimeout: 10_000,
        // With the interval of the checks, a slow request is refused within 15 seconds.
        requestTimeout: 14_000,
        maxHeaderSize: 16_384,
        connectionsCheckingInterval: 500,
        requireHostHeader: false, // `requestFault` requires it, and the answer is a problem.
      },
      (request, response) => {
        if (!this.first?.(request, response)) handle(request, response);
      },
    );
  }

  /** Leaves errors to ProblemFilter. */
  override mapException(error: unknown): unknown {
    return error;
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (body instanceof WrittenJson) return sendJson(response, statusCode, body.text);
    if (body instanceof WrittenHtml || body instanceof SeeOther) {
      return sendPage(response, body, statusCode);
    }
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
  const type = response.getHeader('Content-Type');
  setHeaders(response, jsonHeaders(Buffer.byteLength(text)));
  if (type !== undefined) response.setHeader('Content-Type', type);
  response.end(text);
}
