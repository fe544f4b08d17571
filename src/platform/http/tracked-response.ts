import { Logger } from '@nestjs/common';
import http from 'node:http';
import type { Problem } from '../problems/problem.js';

const logger = new Logger('http');

/** Seconds until an idle connection is closed. Longer than load balancers' timeouts: they must not send on one that we just closed. */
export const IDLE_SECONDS = 75;

/** Fields that code sets on a response and that are read when it ends. */
export interface TrackedResponse extends http.ServerResponse {
  /** Milliseconds, as `performance.now()`. */
  readonly began: number;
  problem?: Problem;
  /** Decremented when the response ends. */
  inFlight?: { running: number };
  /** Called when the response begins, or was aborted. */
  endWork?: () => void;
  /**
   * As `writeHead(200, headers)` and `end`, but Node does not validate the headers again, which is a tenth of a check.
   * @param headers each alternating names and values, made here, with the length of the body
   */
  answer(body: string, encoding: BufferEncoding, ...headers: readonly (readonly string[])[]): void;
}

/** What Node's `writeHead` sets: see docs/develop/internals.md. */
interface WrittenHead {
  /** All that is sent before the body. */
  _header: string;
  /** Whether the connection is closed after it. */
  _last: boolean;
}

declare module 'express-serve-static-core' {
  interface Response {
    problem?: Problem;
    inFlight?: { running: number };
    endWork?: () => void;
  }
}

/** @param headers alternating names and values */
export function setHeaders(response: http.ServerResponse, headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i]!, headers[i + 1]!);
}

function linesOf(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}

const date = { second: NaN, line: '' };

/** As Node writes it. */
function dateLine(): string {
  const now = Date.now();
  const second = Math.floor(now / 1_000);
  if (second !== date.second) {
    date.second = second;
    date.line = `Date: ${new Date(now).toUTCString()}\r\n`;
  }
  return date.line;
}

const KEPT_OPEN = `Connection: keep-alive\r\nKeep-Alive: timeout=${IDLE_SECONDS}\r\n\r\n`;
const CLOSED = 'Connection: close\r\n\r\n';

export interface ResponseRules {
  /** Alternating names and values; a handler can replace those in `replaceable`. */
  readonly headers: readonly string[];
  /** In lower case. */
  readonly replaceable: ReadonlySet<string>;
  /** Close connections after their next response. */
  closing: boolean;
  /** Called once for each response, after it was sent or aborted. */
  ended(response: TrackedResponse): void;
}

/** Such as of a write after the end: it must not end the process. */
function report(error: Error): void {
  logger.error(`A response failed: ${error.stack}`);
}

/** A response class that applies the rules. */
export function responsesBy(rules: ResponseRules): typeof http.ServerResponse {
  const { headers, replaceable } = rules;
  const ruleLines = linesOf(headers);

  class RuledResponse extends http.ServerResponse implements TrackedResponse {
    readonly began = performance.now();
    problem?: Problem = undefined;
    inFlight?: { running: number } = undefined;
    endWork?: () => void = undefined;
    private hasEnded = false;

    constructor(...parameters: ConstructorParameters<typeof http.ServerResponse>) {
      super(...parameters);
      this.on('error', report);
    }

    override writeHead(status: number, ...rest: unknown[]): this {
      this.endWork?.();
      if (rules.closing) this.shouldKeepAlive = false;
      for (let i = 0; i < headers.length; i += 2) {
        const name = headers[i]!;
        if (!replaceable.has(name.toLowerCase()) || !this.hasHeader(name)) {
          this.setHeader(name, headers[i + 1]!);
        }
      }
      return super.writeHead(status, ...(rest as []));
    }

    answer(body: string, encoding: BufferEncoding, ...own: readonly (readonly string[])[]): void {
      let head = 'HTTP/1.1 200 OK\r\n';
      for (const some of own) head += linesOf(some);
      const isLast = rules.closing || !this.shouldKeepAlive;
      const written = this as unknown as WrittenHead;
      written._last = isLast;
      written._header = head + ruleLines + dateLine() + (isLast ? CLOSED : KEPT_OPEN);
      super.end(body, encoding);
      this.finish();
    }

    override end(...rest: unknown[]): this {
      super.end(...(rest as []));
      this.finish();
      return this;
    }

    override destroy(error?: Error): this {
      super.destroy(error);
      this.finish();
      return this;
    }

    private finish(): void {
      this.endWork?.();
      if (this.hasEnded) return;
      this.hasEnded = true;
      if (this.inFlight) this.inFlight.running -= 1;
      rules.ended(this);
    }
  }
  return RuledResponse as typeof http.ServerResponse;
}
