import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import http from 'node:http';
import { answersBy, type AnswerRules, setHeaders } from './answer.js';
import { replaceableHeaders } from './security-headers.js';
import { sendPage } from './send-page.js';
import { SeeOther, WrittenHtml } from './written-html.js';
import { jsonHeaders, WrittenJson } from './written-json.js';

/** Answers a request whole, or says that it has not touched it. */
export type FirstAnswer = (request: http.IncomingMessage, response: http.ServerResponse) => boolean;

/**
 * A class of Node's requests or responses whose objects have Express's prototype from birth: the
 * chain of prototypes is the class's own, then Express's, then Node's. It has to be a class that
 * extends Node's, so that V8 reserves as much room in its objects as in Node's own.
 */
function bornWith<T extends new (...parameters: never[]) => object>(
  nodes: T,
  expresses: object,
): T {
  const Base = nodes as unknown as new (...parameters: unknown[]) => object;
  class Born extends Base {}
  Object.setPrototypeOf(Born.prototype, expresses);
  return Born as unknown as T;
}

/** The same class, with Express's `prototype` between its own and Node's. */
function bornFrom(answers: typeof http.ServerResponse, prototype: object) {
  Object.setPrototypeOf(answers.prototype, prototype);
  return answers;
}

/**
 * Nest on Express without Express's largest cost. Express calls `Object.setPrototypeOf` on every
 * request and response, which makes V8 forget what it has learnt about them; here Node creates them
 * with these prototypes, and the call changes nothing. Answers are written without ETag hashing.
 */
export class LeanExpressAdapter extends ExpressAdapter {
  /** What holds for every answer; whoever is to hear of their end puts itself here. */
  readonly rules: AnswerRules;
  private first: FirstAnswer | undefined;

  constructor(headers: readonly string[]) {
    super();
    this.rules = { headers, replaceable: replaceableHeaders, closing: false, ended: () => {} };
    this.disable('x-powered-by');
    this.disable('etag');
  }

  /** Lets `first` see every request before Express does; what it answers goes no further. */
  answerFirst(first: FirstAnswer): void {
    this.first = first;
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    const IncomingMessage = bornWith(http.IncomingMessage, app.request);
    const ServerResponse = bornFrom(answersBy(this.rules), app.response);
    app.request = IncomingMessage.prototype as Express['request'];
    app.response = ServerResponse.prototype as unknown as Express['response'];
    const handle = app as http.RequestListener;
    this.httpServer = http.createServer(
      {
        IncomingMessage,
        ServerResponse,
        // Longer than a balancer keeps its idle connections, so that it is never the one surprised.
        keepAliveTimeout: 75_000,
        headersTimeout: 10_000,
        // With the interval of the looks, a slow request is gone within 15 seconds.
        requestTimeout: 14_000,
        maxHeaderSize: 16_384,
        connectionsCheckingInterval: 500,
        requireHostHeader: false, // The middleware requires it, and answers with a problem.
      },
      (request, response) => {
        if (!this.first?.(request, response)) handle(request, response);
      },
    );
  }

  /** Leaves errors as they are: the one filter tells them apart. */
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
