import { ArgumentsHost, Catch, ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isDatabaseOutage } from '../database/engine/errors.js';
import { hasBody } from './json-body.js';
import { placeOfFault } from './json-text.js';
import { InternalError, MalformedRequest, Problem, Unavailable } from '../problems/problem.js';
import { RoutesService } from './routes.service.js';
import { Redirect, sendPage, type WrittenHtml } from './written.js';
import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LONGEST_URL, uriTooLong } from './request-id.js';
import { securityHeaders } from './security-headers.js';

/** The problem as a page for a browser; null for other clients. Never rejects. */
export type ErrorPage = (problem: Problem, request: Request) => Promise<WrittenHtml> | null;

/** An error of Express, its router or its body parser (http-errors). */
interface HttpError {
  readonly status?: number;
  readonly type?: string;
  /** Bytes, with `entity.too.large`. */
  readonly limit?: number;
  /** With `entity.parse.failed`. */
  readonly body?: string;
}

/** Writes every error, including the framework's, as RFC 9457 problem details. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  constructor(
    private readonly publicUrl: string,
    private readonly routes: RoutesService,
    private readonly errorPage: ErrorPage,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (thrown instanceof Redirect) return sendPage(response, thrown.to);
    if (isUnmatched(thrown)) {
      const methods = this.routes.methodsAt(request.path);
      if (request.method === 'OPTIONS' && methods.length > 0) {
        response.status(204).setHeader('Allow', methods.join(', ')).end();
        return;
      }
    }
    this.answer(this.problemOf(thrown, request), request, response);
  }

  private problemOf(thrown: unknown, request: Request): Problem {
    if (thrown instanceof Problem) return thrown;
    if (isUnmatched(thrown)) return this.routes.problemAt(request.path);
    if (thrown instanceof URIError) return undecodable(thrown);
    if (isDatabaseOutage(thrown)) {
      return new Unavailable('The database is not available at the moment.', thrown);
    }
    if (thrown instanceof HttpException) return new InternalError(thrown);
    return ofHttpError(thrown as HttpError) ?? new InternalError(thrown);
  }

  /** Writes the problem, as JSON or as a page. */
  private answer(problem: Problem, request: Request, response: Response): void {
    if (problem.status >= 500) {
      const cause = problem.cause ?? problem;
      this.logger.error(
        `${problem.code} in request ${request.id}: ${describe(cause)}`,
        problem instanceof InternalError && cause instanceof Error ? cause.stack : undefined,
      );
    }
    response.problem = problem;
    for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
    if (hasBody(request) && !request.complete) response.setHeader('Connection', 'close');
    const page = this.errorPage(problem, request);
    if (page) return void page.then((written) => sendPage(response, written));
    const body = JSON.stringify(problem.body(this.publicUrl, request.id));
    response.status(problem.status);
    response.setHeader('Content-Type', 'application/problem+json');
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

function describe(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : JSON.stringify(cause);
}

/** Nest throws NotFoundException for an unmatched path; our code never does. */
function isUnmatched(thrown: unknown): boolean {
  return thrown instanceof HttpException && thrown.getStatus() === 404;
}

function undecodable(cause: unknown): Problem {
  return new MalformedRequest('The address has broken percent-encoding.', cause);
}

function ofHttpError(error: HttpError): Problem | undefined {
  switch (error.type) {
    case 'entity.too.large':
      return new Problem(
        'content-too-large',
        `The body has more than ${(error.limit ?? 0) / 1_024} KB.`,
      );
    case 'entity.parse.failed': {
      const place = placeOfFault(error.body ?? '');
      const detail = `The body is not well-formed JSON${place && `: ${place}`}.`;
      return new MalformedRequest(detail, error);
    }
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new Problem('unsupported-media-type', 'Send JSON in UTF-8, without Content-Encoding.');
    case 'entity.not.utf8':
      return new MalformedRequest('The body is not UTF-8.', error);
    case 'request.aborted':
    case 'request.size.invalid':
      return new MalformedRequest('The length of the body differs from Content-Length.', error);
    case undefined:
  }
  if (error.status === 400) return undecodable(error);
  return undefined;
}

/**
 * Answers requests that Node refuses before Express with problem details. Ignores an unknown `Expect`
 * (RFC 9110 §10.1.1): Node would answer it without a body.
 */
export function answerBrokenRequests(
  server: Server,
  publicUrl: string,
  heard?: (problem: Problem, id: string) => void,
): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const running = answerRunningOn(socket);
    if (running?.req.complete) {
      // The broken bytes follow a complete request, which still gets its response.
      running.shouldKeepAlive = false;
      running.once('finish', () => socket.end());
      return;
    }
    if (running?.headersSent) {
      socket.destroy();
      return;
    }
    const problem = problemOf(error);
    const id = randomUUID();
    heard?.(problem, id);
    const body = JSON.stringify(problem.body(publicUrl, id));
    socket.end(
      [
        `HTTP/1.1 ${problem.status} ${problem.title}`,
        'Content-Type: application/problem+json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Cache-Control: no-store',
        ...lines(securityHeaders(publicUrl)),
        `X-Request-Id: ${id}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  });
}

function lines(headers: readonly string[]): string[] {
  return headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1]}`] : []));
}

/** Node's own handler also finds the current response on the socket. */
function answerRunningOn(socket: Socket): ServerResponse | null | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;
}

/** Whether the first line, with the URL, was too long. */
function isAllAddress({ rawPacket }: { readonly rawPacket?: Buffer }): boolean {
  const end = rawPacket?.indexOf('\r\n') ?? 0;
  return end < 0 || end > LONGEST_URL;
}

function problemOf(error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }): Problem {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      if (isAllAddress(error)) return uriTooLong();
      return new Problem('header-fields-too-large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout');
    case undefined:
    default:
      return new MalformedRequest('This is not a well-formed HTTP/1.1 request.');
  }
}
