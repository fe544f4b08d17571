import type { ExampleObject, ResponseObject, HeaderObject, HeadersObject } from '@nestjs/swagger';
import { exampleOf, type Schema, type Schemas } from './description-schemas.js';
import { exampleOfProblem } from '../problems/problem.js';
import { type ProblemCode, problemTypes } from '../problems/problem-types.js';
import { holderOf, type Scope } from '../access/scopes.js';
import type { DeclaredOperation } from '../http/described.js';

/** What determines the headers of a response. */
interface DescribedResponse {
  readonly status: number;
  readonly isProblem: boolean;
  /** The operation counts towards the limits of an API client. */
  readonly isLimited: boolean;
  /** The path of what a 201 created. */
  readonly hasPath: boolean;
  /** A repeated request gets the first 201 again. */
  readonly isReplayed: boolean;
  /** See `StreamedBody`. */
  readonly isVersioned: boolean;
}

/** Statuses of requests that fail before they are counted. */
const uncounted = new Set([401, 403, 413, 415]);
/** What exceeds a limit has the limit, also where successes of staff do not. */
const isCounted = ({ isLimited, status }: DescribedResponse) =>
  status === 429 || (isLimited && !uncounted.has(status));

interface DescribedHeader extends HeaderObject {
  /** Which responses carry it. */
  readonly when: (response: DescribedResponse) => boolean;
}

const headers: Readonly<Record<string, DescribedHeader>> = {
  'X-Request-Id': {
    when: () => true,
    description: 'The id of this request. Quote it to the operator.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    example: '5b0a7c9e-2f64-4f5d-9a51-0d3c7e8b6a21',
  },
  Location: {
    when: ({ status, hasPath }) => status === 201 && hasPath,
    description: 'The path of the created resource.',
    schema: { type: 'string', format: 'uri-reference', maxLength: 200 },
    example: '/product-availability/order/019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90',
  },
  ETag: {
    when: ({ status, isVersioned }) => isVersioned && status < 400,
    description: 'The version of what was sent. Send it as `If-None-Match`.',
    schema: { type: 'string', pattern: '^W/"[A-Za-z0-9_.-]+"$', maxLength: 50 },
    example: 'W/"q0Jx1mZ3rT5v7Yb9"',
  },
  'Idempotent-Replayed': {
    when: ({ status, isReplayed }) => status === 201 && isReplayed,
    description: 'Only on the response to a repeated request, which is the first response again.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  RateLimit: {
    when: isCounted,
    description:
      'What is left: `r` requests in the next `t` seconds (draft-ietf-httpapi-ratelimit-headers-10).',
    schema: { type: 'string', pattern: '^"[a-z-]+";r=[0-9]+;t=[0-9]+$', maxLength: 100 },
    example: '"look-ups";r=599;t=60',
  },
  'RateLimit-Policy': {
    when: isCounted,
    description:
      'The limits: `q` requests in `w` seconds, or `q` concurrent ones, for each API client; `failures` is for each IP address.',
    schema: {
      type: 'string',
      pattern: '^"[a-z-]+";q=[0-9]+;[^,]+(?:, "[a-z-]+";q=[0-9]+;w=[0-9]+)*$',
      maxLength: 100,
    },
    example: '"look-ups";q=600;w=60, "burst";q=100;w=1',
  },
  'Retry-After': {
    when: ({ status, isProblem }) => isProblem && [409, 429, 503].includes(status),
    description: 'Seconds to wait before a retry; on 409 only with `request-in-progress`.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 3600 },
    example: 5,
  },
  'WWW-Authenticate': {
    when: ({ status }) => status === 401 || status === 403,
    description:
      'RFC 6750. `error` is absent without a token, `invalid_token` for an unknown, expired or revoked token, and `insufficient_scope`, with the `scope`, for a missing scope. Other problems with 403 have no such header.',
    schema: { type: 'string', pattern: '^Bearer realm="[^"]+"', maxLength: 200 },
    example: 'Bearer realm="product-availability", error="invalid_token"',
  },
  'Accept-Post': {
    when: ({ status }) => status === 415,
    description: 'The accepted media type. Absent if only the encoding of the body is the problem.',
    schema: { type: 'string', pattern: '^[a-z]+/[a-z-]+$', maxLength: 100 },
    example: 'application/json',
  },
};

/** The headers to which `part` of the document refers. */
export function headersUnder(part: unknown): HeadersObject {
  const text = JSON.stringify(part);
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => text.includes(`"#/components/headers/${name}"`))
      .map(([name, { when: _when, ...header }]) => [name, header]),
  );
}

export function headersOf(response: DescribedResponse): HeadersObject {
  const carried = Object.keys(headers).filter((name) => headers[name]?.when(response));
  return Object.fromEntries(
    carried.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

export type Operation = DeclaredOperation & { readonly 'x-required-scope'?: Scope | 'client' };

const isSecured = (operation: Operation) => operation['x-required-scope'] !== undefined;

/** Limits are for API clients only. */
export function isLimited({ 'x-required-scope': scope }: Operation): boolean {
  return scope !== undefined && holderOf(scope) === 'client';
}

function takesQuery({ parameters = [] }: Operation): boolean {
  return parameters.some((parameter) => 'in' in parameter && parameter.in === 'query');
}

/** Problems of many operations; an operation lists its own in `@throws`. */
const shared: readonly { codes: readonly ProblemCode[]; when: (it: Operation) => boolean }[] = [
  { codes: ['malformed-request', 'internal-error'], when: () => true },
  {
    codes: ['missing-token', 'invalid-token', 'insufficient-scope', 'unavailable'],
    when: isSecured,
  },
  // Failed tokens have a limit for each IP address.
  { codes: ['rate-limited'], when: isSecured },
  { codes: ['validation-error'], when: takesQuery },
  {
    codes: ['validation-error', 'content-too-large', 'unsupported-media-type'],
    when: ({ requestBody }) => requestBody !== undefined,
  },
];

const isCode = (text: string): text is ProblemCode => Object.hasOwn(problemTypes, text);

/** By status: the shared problems, and those of `@throws {status} code, code`. */
export function problemsOf(operation: Operation): Map<number, ProblemCode[]> {
  const own = Object.entries(operation.responses).flatMap(([status, response]) =>
    Number(status) >= 400 && response && 'description' in response
      ? response.description.split(', ').map((code) => ownProblem(code, Number(status), operation))
      : [],
  );
  const codes = shared.flatMap(({ codes, when }) => (when(operation) ? codes : [])).concat(own);
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of Object.keys(problemTypes).filter(isCode)) {
    const { status } = problemTypes[code];
    if (codes.includes(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

function ownProblem(code: string, status: number, operation: Operation): ProblemCode {
  if (isCode(code) && problemTypes[code].status === status) return code;
  throw new Error(`${operation.operationId}: no problem of status ${status} is called "${code}".`);
}

export function problemResponse(codes: readonly ProblemCode[], schemas: Schemas): ResponseObject {
  const [first] = codes;
  const example = (code: ProblemCode) => [code, { $ref: `#/components/examples/${code}` }];
  return {
    description:
      codes.length === 1 && first
        ? explain(first)
        : codes.map((code) => `- \`${code}\`: ${explain(code)}`).join('\n'),
    content: {
      'application/problem+json': {
        schema: anyOf(codes.map((code) => schemaName(code, schemas))),
        examples: Object.fromEntries(codes.map(example)) as Record<string, ExampleObject>,
      },
    },
  };
}

function explain(code: ProblemCode): string {
  const { cause, cure } = problemTypes[code];
  return `${cause} ${cure}`;
}

const GENERAL = 'Problem';
const referTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** `offer-changed` becomes OfferChanged. */
const inOneWord = (code: ProblemCode) =>
  code.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

/** Such as MalformedRequestOrInvalidPostcode. Has the caller too: only API clients receive limits. */
export function responseName(codes: readonly ProblemCode[], operation: Operation): string {
  const { 'x-required-scope': scope } = operation;
  const caller = scope === undefined ? 'Public' : holderOf(scope) === 'staff' ? 'Staff' : '';
  return `${caller}${codes.map(inOneWord).join('Or')}`;
}

/** The schema of a problem with further members, such as OfferChangedProblem; otherwise Problem. */
function schemaName(code: ProblemCode, schemas: Schemas): string {
  const own = `${inOneWord(code)}Problem`;
  return own in schemas ? own : GENERAL;
}

/** `Problem` comes last: it fits every body, and some generated clients take the first fit. */
function anyOf(names: readonly string[]): Schema {
  const special = [...new Set(names)].filter((name) => name !== GENERAL);
  const references = (names.includes(GENERAL) ? [...special, GENERAL] : special).map(referTo);
  return references.length === 1 && references[0] ? references[0] : { anyOf: references };
}

/** An example of each problem of the operations, by code. */
export function problemExamples(
  operations: readonly Operation[],
  schemas: Schemas,
  publicUrl: string,
): Record<string, ExampleObject> {
  const answered = new Set(operations.flatMap((it) => [...problemsOf(it).values()].flat()));
  return Object.fromEntries(
    [...answered].sort().map((code) => {
      const { title, status } = problemTypes[code];
      const schema = referTo(schemaName(code, schemas));
      const members = exampleOf(schema, schemas) as object;
      const type = `${publicUrl}/problems/${code}`;
      const value = { ...members, type, title, status, code, ...exampleOfProblem(code) };
      return [code, { summary: title, value }];
    }),
  );
}
