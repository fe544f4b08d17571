/** @see https://opentelemetry.io/docs/specs/otel/trace/api/#span */
export interface TraceSpan {
  readonly name: string;
  readonly kind: 'server' | 'client';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** Milliseconds since the epoch. */
  readonly began: number;
  readonly ended: number;
  readonly attributes: Attributes;
  readonly failure?: string | undefined;
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** SpanKind and StatusCode of the protocol. */
const kinds = { server: 2, client: 3 } as const;
const FAILED = 2;

/**
 * The body of an OTLP/HTTP request in JSON.
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding ids in hexadecimal, 64-bit
 * integers as texts
 */
export function otlpBody(spans: readonly TraceSpan[], resource: Attributes): string {
  const scopeSpans = [
    { scope: { name: 'product-availability-service' }, spans: spans.map(otlpSpan) },
  ];
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: otlpAttributes(resource) }, scopeSpans }],
  });
}

function otlpSpan(span: TraceSpan) {
  const { traceId, spanId, parentSpanId, name, kind, began, ended, attributes, failure } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(began),
    endTimeUnixNano: nanoseconds(ended),
    attributes: otlpAttributes(attributes),
    status: failure === undefined ? {} : { code: FAILED, message: failure },
  };
}

function otlpAttributes(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const isText = typeof value === 'string';
    return [{ key, value: isText ? { stringValue: value } : { intValue: String(value) } }];
  });
}

/** As text, because a double has too few digits. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1_000)}000`;
}

/**
 * Whether to keep a trace if the caller has not decided. All instances decide alike.
 * @see https://opentelemetry.io/docs/specs/otel/trace/sdk/#traceidratiobased
 */
export function isSampled(traceId: string, ratio: number): boolean {
  return parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52;
}

/** Reads `name=value,…`; undefined for any other text. */
export function readOtlpHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=([^=].*|)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) return undefined;
    try {
      headers[name.toLowerCase()] = decodeURIComponent(value.trim());
    } catch {
      return undefined;
    }
  }
  return headers;
}
