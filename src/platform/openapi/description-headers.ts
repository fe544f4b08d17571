import type { HeaderObject, HeadersObject } from '@nestjs/swagger';

/** What determines the headers of a response. */
export interface DescribedResponse {
  readonly status: number;
  readonly isProblem: boolean;
  /** The operation counts towards the limits of an API client. */
  readonly isLimited: boolean;
  /** The path of what a 201 created. */
  readonly hasPath: boolean;
  /** A repeated request gets the first 201 again. */
  readonly isReplayed: boolean;
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
