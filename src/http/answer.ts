import http from 'node:http';
import type { Problem } from '../problems/problem.js';

/** What is noted on an answer for whoever hears of its end. */
export interface Answer extends http.ServerResponse {
  /** Milliseconds, as `performance.now()`. */
  readonly began: number;
  /** The problem that it tells, if any. */
  problem?: Problem;
  /** Lowered when it has ended. */
  inFlight?: { running: number };
}

declare module 'express-serve-static-core' {
  interface Response {
    problem?: Problem;
    inFlight?: { running: number };
  }
}

/** @param headers name and value in turn */
export function setHeaders(response: http.ServerResponse, headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i]!, headers[i + 1]!);
}

/** What holds for every answer of a server. */
export interface AnswerRules {
  /** Name and value in turn; those in `replaceable` only where the handler has set no other. */
  readonly headers: readonly string[];
  /** In lower case. */
  readonly replaceable: ReadonlySet<string>;
  /** Whether connections are to end with their next answer. */
  closing: boolean;
  /** Called once for each answer, when its last byte has been handed over or it was given up. */
  ended(answer: Answer): void;
}

/** A class of Node's responses that follows the rules: the one place where a request ends. */
export function answersBy(rules: AnswerRules): typeof http.ServerResponse {
  const { headers, replaceable } = rules;

  class RuledAnswer extends http.ServerResponse implements Answer {
    readonly began = performance.now();
    problem?: Problem = undefined;
    inFlight?: { running: number } = undefined;
    private told = false;

    override writeHead(status: number, ...rest: unknown[]): this {
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
      this.tell();
      return this;
    }

    override destroy(error?: Error): this {
      super.destroy(error);
      this.tell();
      return this;
    }

    private tell(): void {
      if (this.told) return;
      this.told = true;
      if (this.inFlight) this.inFlight.running -= 1;
      rules.ended(this);
    }
  }
  return RuledAnswer as unknown as typeof http.ServerResponse;
}
