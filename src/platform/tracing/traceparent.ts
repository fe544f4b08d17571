/** https://www.w3.org/TR/trace-context/#traceparent-header */
const shape = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The caller's span: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

/** Undefined where the header is absent or invalid. */
export function readTraceParent(header: unknown): TraceParent | undefined {
  if (typeof header !== 'string' || header.length > 200) return undefined;
  const [, traceId, spanId, flags] = shape.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (header.startsWith('00') && header.length !== 55) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

export interface Trace {
  /** 32 hexadecimal digits; by default those of the caller. */
  readonly traceId: string;
  /** The request itself: 16 hexadecimal digits. */
  readonly spanId: string;
  /** The caller's span. */
  readonly parentSpanId: string | undefined;
  /** The caller's sampling decision, if any. */
  readonly sampled: boolean | undefined;
}

/** The trace of a request, with ids from the digits of its UUID: one id is enough to find the other. */
export function traceOf(requestId: string, header: unknown): Trace {
  const own = digitsOf(requestId);
  const caller = readTraceParent(header);
  return {
    traceId: caller?.traceId ?? own,
    spanId: own.slice(16),
    parentSpanId: caller?.spanId,
    sampled: caller?.sampled,
  };
}

/** The `traceId` of `traceOf`. */
export function traceIdOf(requestId: string, header: unknown): string {
  return readTraceParent(header)?.traceId ?? digitsOf(requestId);
}

/** A UUID without hyphens. Slicing is faster than replacing. */
function digitsOf(id: string): string {
  return id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
}

/** The header for children of a span. */
export function traceParent(
  { traceId, spanId }: Pick<Trace, 'traceId' | 'spanId'>,
  sampled: boolean,
): string {
  return `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`;
}
