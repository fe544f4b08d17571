import { expect } from '@jest/globals';
import { type ProblemCode, problemTypes } from '../../src/platform/problems/problem-types.js';
import { testConfig } from './databases.js';
import type { Reply } from './http.js';

const { publicUrl } = testConfig({ sqliteFile: '', databaseUrl: null });
const members = ['type', 'title', 'status', 'detail', 'instance', 'code'];

/** What a problem must never contain: code or paths of the service. */
const innards =
  /node_modules|node:|\.js\b|\.ts\b|\n\s+at |stack|express|\bnest(?:js)?\b|typeorm|sqlite|postgres|body-parser|iconv|class-valid|SELECT |INSERT |SyntaxError|Unexpected token|position \d/i;

/** `[status, body]` of an answer. */
export function outcome<T>({ status, body }: Reply<T>): [status: number, body: T] {
  return [status, body];
}

/** The `[status, body]` of a problem with exactly its standard members and these. */
export function problem(
  code: ProblemCode,
  further: Readonly<Record<string, unknown>> = {},
): [status: number, body: Record<string, unknown>] {
  const { status, title } = problemTypes[code];
  return [
    status,
    {
      type: `${publicUrl}/problems/${code}`,
      title,
      status,
      detail: expect.stringMatching(/^[A-Z\d].{10,}$/),
      instance: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      code,
      ...further,
    },
  ];
}

/** Whether the answer allows a retry, as on a busy machine. */
export function isUnavailable({ status, body }: Reply<unknown>): boolean {
  return status === 503 && (body as { readonly code?: unknown }).code === 'unavailable';
}

/** Expects a complete problem with this code and without internals. */
export function expectProblem(reply: Reply<unknown>, code: ProblemCode): void {
  const body = reply.body as Record<string, unknown>;
  expect(outcome(reply)).toEqual([
    problemTypes[code].status,
    expect.objectContaining(problem(code)[1]),
  ]);
  expect(Object.keys(body).slice(0, members.length)).toEqual(members);
  expect({
    type: reply.headers['content-type'],
    cache: reply.headers['cache-control'],
    id: `urn:uuid:${reply.headers['x-request-id'] as string}`,
    poweredBy: reply.headers['x-powered-by'],
    innards: innards.exec(reply.text.replaceAll(publicUrl, ''))?.[0],
  }).toEqual({
    type: 'application/problem+json',
    cache: 'no-store',
    id: body.instance,
    poweredBy: undefined,
    innards: undefined,
  });
}
