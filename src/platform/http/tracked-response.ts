import { Logger } from '@nestjs/common';
import http from 'node:http';
import type { Problem } from '../problems/problem.js';

const logger = new Logger('http');

/** Fields that code sets on a response and that are read when it ends. */
export interface TrackedResponse extends http.ServerResponse {
  /** Milliseconds, as `performance.now()`. */
  readonly began: number;
  problem?: Problem;
  /** Decremented when the response ends. */
  inFlight?: { running: number };
  /** Called when the response begins, or was aborted. */
  endWork?: () => void;
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
      const last = rest.at(-1);
      if (Array.isArray(last)) last.push(...headers);
      else {
        for (let i = 0; i < headers.length; i += 2) {
          const name = headers[i]!;
          if (!replaceable.has(name.toLowerCase()) || !this.hasHeader(name)) {
            this.setHeader(name, headers[i + 1]!);
          }
        }
      }
      return super.writeHead(status, ...(rest as []));
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
