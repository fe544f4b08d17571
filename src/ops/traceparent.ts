/** https://www.w3.org/TR/trace-context/#traceparent-header */
const shape = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Of the caller's span: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

/** What the caller's header says; undefined where there is none that can be believed. */
export function readTraceParent(header: unknown): TraceParent | undefined {
  if (typeof header !== 'string' || header.length > 200) return undefined;
  const [, traceId, spanId, flags] = shape.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (header.startsWith('00') && header.length !== 55) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}
