import type { HeaderObject, HeadersObject } from '@nestjs/swagger';

/** Every header that an answer can carry for its reader. */
const headers: Readonly<Record<string, HeaderObject>> = {
  'X-Request-Id': {
    description: 'Names this request. Quote it when you ask the operator about it.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    example: '5b0a7c9e-2f64-4f5d-9a51-0d3c7e8b6a21',
  },
  Location: {
    description: 'The path of what was created.',
    schema: { type: 'string', format: 'uri-reference', maxLength: 200 },
    example: '/product-availability/order/019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90',
  },
  'Idempotent-Replayed': {
    description:
      'There, and `true`, where the first request with this `Idempotency-Key` was given this answer before.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  RateLimit: {
    description:
      'What is left: `r` requests in the `t` seconds to come (draft-ietf-httpapi-ratelimit-headers-10).',
    schema: { type: 'string', pattern: '^"[a-z-]+";r=[0-9]+;t=[0-9]+$', maxLength: 100 },
    example: '"look-ups";r=599;t=60',
  },
  'RateLimit-Policy': {
    description:
      'The limits: `q` requests in `w` seconds, or `q` at the same time, for each API client; `failures` are those of an address.',
    schema: {
      type: 'string',
      pattern: '^"[a-z-]+";q=[0-9]+;[^,]+(?:, "[a-z-]+";q=[0-9]+;w=[0-9]+)*$',
      maxLength: 100,
    },
    example: '"look-ups";q=600;w=60, "burst";q=100;w=1',
  },
  'Retry-After': {
    description:
      'Seconds to wait before the same request is sent again; on 409 only with `request-in-progress`.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 3600 },
    example: 5,
  },
  'WWW-Authenticate': {
    description:
      'RFC 6750. Without a token in the request it has no `error`; for one that is unknown, expired or revoked `error="invalid_token"`; for one that lacks the scope `error="insufficient_scope"` and the `scope`.',
    schema: { type: 'string', pattern: '^Bearer realm="[^"]+"', maxLength: 200 },
    example: 'Bearer realm="product-availability", error="invalid_token"',
  },
  'Accept-Post': {
    description: 'The media type that is taken.',
    schema: { type: 'string', enum: ['application/json'] },
    example: 'application/json',
  },
};

/** What decides which headers an answer carries. */
export interface DescribedResponse {
  readonly status: number;
  readonly isProblem: boolean;
  /** The operation counts against an API client's limits. */
  readonly isLimited: boolean;
  readonly takesKey: boolean;
}

/** Answered before the request is counted. */
const uncounted = new Set([401, 403, 413, 415]);
const isCounted = ({ isLimited, status }: DescribedResponse) => isLimited && !uncounted.has(status);

const carriedBy: Readonly<Record<string, (answer: DescribedResponse) => boolean>> = {
  'X-Request-Id': () => true,
  Location: ({ status }) => status === 201,
  'Idempotent-Replayed': ({ status, takesKey }) => status === 201 && takesKey,
  RateLimit: isCounted,
  'RateLimit-Policy': isCounted,
  'Retry-After': ({ status, isProblem }) => isProblem && [409, 429, 503].includes(status),
  'WWW-Authenticate': ({ status }) => status === 401 || status === 403,
  'Accept-Post': ({ status }) => status === 415,
};

/** The headers that `part` of the document needs. */
export function headersUnder(part: unknown): HeadersObject {
  const text = JSON.stringify(part);
  const needed = ([name]: [string, unknown]) => text.includes(`"#/components/headers/${name}"`);
  return Object.fromEntries(Object.entries(headers).filter(needed));
}

export function headersOf(answer: DescribedResponse): HeadersObject {
  const carried = Object.keys(headers).filter((name) => carriedBy[name]?.(answer));
  return Object.fromEntries(
    carried.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
