import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import http from 'node:http';
import {
  IDLE_SECONDS,
  responsesBy,
  type ResponseRules,
  setHeaders,
  type TrackedResponse,
} from './tracked-response.js';
import { SECOND } from '../kernel/time.js';
import { sendBytes } from './compression.js';
import { replaceableHeaders } from './security-headers.js';
import type { AnswerText } from './kept-text.js';
import {
  answerAs,
  jsonHeaders,
  LEAST_COMPRESSED_JSON,
  SeeOther,
  sendPage,
  WrittenHtml,
  WrittenJson,
} from './written.js';

/** Answers a request and returns true, or leaves it untouched. */
export type FirstAnswer = (request: http.IncomingMessage, response: TrackedResponse) => boolean;

/**
 * Nest on Express, with rules for every response and without ETags. Node creates requests and responses
 * with Express's prototypes: Express would change them for each, which undoes V8's optimisations.
 */
export class LeanExpressAdapter extends ExpressAdapter {
  readonly rules: ResponseRules;
  private first: FirstAnswer | undefined;

  constructor(headers: readonly string[]) {
    // A proxy may refuse paths by their prefix. Express reads this when it gets its first handler.
    super(express().enable('case sensitive routing'));
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
    app.request = IncomingMessage.prototype as Express['request'];
    const ServerResponse = responsesBy(this.rules);
    Object.setPrototypeOf(ServerResponse.prototype, app.response);
    app.response = ServerResponse.prototype as Express['response'];
    const handle = app as http.RequestListener;
    this.httpServer = http.createServer(
      {
        IncomingMessage,
        ServerResponse,
        keepAliveTimeout: IDLE_SECONDS * SECOND,
        headersTimeout: 10_000,
        // With the checking interval: refuses a slow request within 15 seconds.
        requestTimeout: 14_000,
        maxHeaderSize: 16_384,
        connectionsCheckingInterval: 500,
        requireHostHeader: false, // `requestFault` requires it, and answers with a problem.
        optimizeEmptyRequests: true,
      },
      (request, response) => {
        if (!this.first?.(request, response as TrackedResponse)) handle(request, response);
      },
    );
  }

  /** ProblemFilter handles errors. */
  override mapException(error: unknown): unknown {
    return error;
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (body instanceof WrittenJson) {
      const { text } = body;
      if (typeof text === 'string') return sendJson(response, statusCode, text);
      return sendAnswer(response, statusCode, text);
    }
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

function sendAnswer(response: Response, statusCode: number | undefined, answer: AnswerText): void {
  if (statusCode !== undefined) response.statusCode = statusCode;
  const accepted = response.req.headers['accept-encoding'];
  const { headers, body, encoding } = answerAs(accepted, answer);
  setHeaders(response, headers);
  response.end(body, encoding);
}

/** Compressed if the client accepts it and the text is long. */
export function sendJson(response: Response, statusCode: number | undefined, text: string): void {
  if (statusCode !== undefined) response.statusCode = statusCode;
  const type = response.getHeader('Content-Type');
  const bytes = Buffer.byteLength(text);
  setHeaders(response, jsonHeaders(bytes));
  if (type !== undefined) response.setHeader('Content-Type', type);
  if (bytes <= LEAST_COMPRESSED_JSON) response.end(text);
  else sendBytes(response, Buffer.from(text), LEAST_COMPRESSED_JSON);
}
