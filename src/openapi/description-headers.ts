import type { HeaderObject, HeadersObject } from '@nestjs/swagger';

/** What decides which headers a response carries. */
export interface DescribedResponse {
  readonly status: number;
  readonly isProblem: boolean;
  /** The operation counts towards an API client's limits. */
  readonly isLimited: boolean;
  readonly takesKey: boolean;
}

/** Statuses of requests that no limit has counted yet. */
const uncounted = new Set([401, 403, 413, 415]);
const isCounted = ({ isLimited, status }: DescribedResponse) => isLimited && !uncounted.has(status);

interface DescribedHeader extends HeaderObject {
  /** Which responses carry it. */
  readonly when: (response: DescribedResponse) => boolean;
}

const headers: Readonly<Record<string, DescribedHeader>> = {
  'X-Request-Id': {
    when: () => true,
    description: 'Names this request. Quote it when you ask the operator about it.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    example: '5b0a7c9e-2f64-4f5d-9a51-0d3c7e8b6a21',
  },
  Location: {
    when: ({ status }) => status === 201,
    description: 'The path of what was created.',
    schema: { type: 'string', format: 'uri-reference', maxLength: 200 },
    example: '/product-availability/order/019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90',
  },
  'Idempotent-Replayed': {
    when: ({ status, takesKey }) => status === 201 && takesKey,
    description:
      'There, and `true`, where the first request with this `Idempotency-Key` was given this answer before.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  RateLimit: {
    when: isCounted,
    description:
      'What is left: `r` requests in the `t` seconds to come (draft-ietf-httpapi-ratelimit-headers-10).',
    schema: { type: 'string', pattern: '^"[a-z-]+";r=[0-9]+;t=[0-9]+$', maxLength: 100 },
    example: '"look-ups";r=599;t=60',
  },
  'RateLimit-Policy': {
    when: isCounted,
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
    when: ({ status, isProblem }) => isProblem && [409, 429, 503].includes(status),
    description:
      'Seconds to wait before the same request is sent again; on 409 only with `request-in-progress`.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 3600 },
    example: 5,
  },
  'WWW-Authenticate': {
    when: ({ status }) => status === 401 || status === 403,
    description:
      'RFC 6750. Without a token in the request it has no `error`; for one that is unknown, expired or revoked `error="invalid_token"`; for one that lacks the scope `error="insufficient_scope"` and the `scope`.',
    schema: { type: 'string', pattern: '^Bearer realm="[^"]+"', maxLength: 200 },
    example: 'Bearer realm="product-availability", error="invalid_token"',
  },
  'Accept-Post': {
    when: ({ status }) => status === 415,
    description: 'The media type that is taken.',
    schema: { type: 'string', enum: ['application/json'] },
    example: 'application/json',
  },
};

/** The headers that `part` of the document needs. */
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
